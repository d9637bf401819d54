/** `agent`: a model answers a prompt, with tools if it may use any. The type of a node without one. */
import { parseDuration } from '../duration.ts';
import { given } from '../given.ts';
import { PARTIAL_POLICIES, type AgentPlan } from '../node-model.ts';
import type { Path } from '../path.ts';
import type { Planner } from '../planner.ts';
import {
  choice,
  duration,
  hinted,
  list,
  literal,
  strict,
  text,
  wholeNumber,
  type FromShape,
} from '../schema/leaf.ts';
import {
  answeringShape,
  planAnswering,
  planSpending,
  planStep,
  planTruncating,
  spendingShape,
  stepShape,
  timeoutShape,
  truncatingShape,
} from './common.ts';

const DEFAULT_MAX_TURNS = 20;

const toolName = text('A tool: its name, or server/name.');

export const agentShape = {
  type: literal('A model answers a prompt.', 'agent').optional(),
  ...stepShape,
  ...timeoutShape,
  ...answeringShape,
  ...truncatingShape,
  ...spendingShape,
  prompt: hinted(text('What the model is asked, as a template.'), {
    defaultSnippets: [{ label: 'text', body: '|\n  ${1:Do this with {{ workflow.input.x \\}\\}}' }],
  }),
  images: list(
    'Pictures that the model is shown with the prompt.',
    text('The address of one (https: or data:), or a template that gives one or a list.'),
  ).optional(),
  tools: list('These.', toolName)
    .nullable()
    .describe('Tools it may use. Nothing (null): all that do not write. []: none.')
    .optional(),
  policy: strict('`policy`', 'What it may do with its tools.', {
    allow: list('Only these; empty for no restriction.', toolName).optional(),
    deny: list('Not these.', toolName).optional(),
    ask: list('A person approves each call of these.', toolName).optional(),
    ask_timeout: duration(
      'How long a person has for that; a call that nobody approved is denied. Default: no end.',
    ).optional(),
  }).optional(),
  max_turns: wholeNumber('Requests to the model at most. Default: 20.', {
    min: 1,
    max: 10_000,
  }).optional(),
  writes: list(
    'State keys that it may write, with the tool write_state.',
    text('A state key.'),
  ).optional(),
  on_partial: choice(
    'What happens when a stream breaks after its first content. Default: fail.',
    PARTIAL_POLICIES,
  ).optional(),
};

export type AgentFile = FromShape<typeof agentShape>;

export function planAgent(
  node: AgentFile,
  path: Path,
  planner: Planner,
): Omit<AgentPlan, 'fingerprint'> {
  return given({
    type: 'agent',
    ...planStep(node, path, planner),
    ...planAnswering(node),
    ...planSpending(node, planner),
    ...planTruncating(node),
    prompt: node.prompt,
    images: node.images,
    tools: node.tools ?? null,
    policy: given({
      allow: node.policy?.allow ?? [],
      deny: node.policy?.deny ?? [],
      ask: node.policy?.ask ?? [],
      askTimeoutMs:
        node.policy?.ask_timeout === undefined ? undefined : parseDuration(node.policy.ask_timeout),
    }),
    maxTurns: node.max_turns ?? DEFAULT_MAX_TURNS,
    writes: node.writes ?? [],
    onPartial: node.on_partial ?? 'fail',
  });
}
