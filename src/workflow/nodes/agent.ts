/** `agent`: a model replies to a prompt, with tools if it may use any. The default node type. */
import { parseDuration } from '../plan/duration.ts';
import { omitUndefined } from '../plan/omit-undefined.ts';
import { PARTIAL_POLICIES, type AgentPlan, type ValidatorPlan } from '../plan/node-plan.ts';
import type { Path } from '../plan/pointer.ts';
import type { Planner } from '../plan/planner.ts';
import {
  choice,
  duration,
  exampled,
  hinted,
  list,
  literal,
  seconds,
  strict,
  text,
  wholeNumber,
  type FromShape,
} from '../schema/leaf.ts';
import { toChain } from '../plan/model-names.ts';
import { modelSchema } from '../schema/model-schema.ts';
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
} from './shared-keys.ts';

const DEFAULT_MAX_TURNS = 20;

const toolName = text('A tool: its name, or server/name.');

export const agentShape = exampled(
  {
    type: literal('A model replies to a prompt. Default: agent.', 'agent').optional(),
    ...stepShape,
    ...timeoutShape,
    ...answeringShape,
    ...truncatingShape,
    ...spendingShape,
    prompt: hinted(text('The prompt, as a template.'), {
      defaultSnippets: [
        { label: 'text', body: '|\n  ${1:Do this with {{ workflow.input.x \\}\\}}' },
      ],
    }),
    images: list(
      'Images that go with the prompt.',
      text('The URL of an image (https: or data:), or a template that gives a URL or a list.'),
    ).optional(),
    tools: list('These.', toolName)
      .nullable()
      .describe('The tools that the agent may use; `[]` for none. Default: all that do not write.')
      .optional(),
    policy: strict(
      '`policy`',
      'What it may do with its tools.',
      {
        allow: list('Only these; empty for no restriction.', toolName).optional(),
        deny: list('Not these.', toolName).optional(),
        ask: list('A person approves each call of these.', toolName).optional(),
        ask_timeout: duration(
          'How long a person has to approve a call; after that it is denied. Default: no limit.',
        ).optional(),
      },
      { allow: ['search'], deny: ['tickets/delete'], ask: ['refund'], ask_timeout: '2h' },
    ).optional(),
    max_agent_iterations: wholeNumber('Conductor’s name for max_turns.', {
      min: 1,
      max: 10_000,
    }).optional(),
    max_session_seconds: seconds('Conductor’s name for timeout_seconds.').optional(),
    working_dir: text(
      'Accepted for Conductor’s files: the tools of an agent run where their MCP server runs, which `runtime.working_dir` sets.',
    ).optional(),
    validator: strict(
      '`validator`',
      'A second model judges the output by criteria.',
      {
        criteria: text('What the output must meet, as a template.'),
        model: modelSchema
          .describe('The model that judges, or a fallback chain. Default: the model of the agent.')
          .optional(),
        max_retries: wholeNumber(
          'How often its words go back to the agent before the node fails. Default: 1.',
          { min: 0, max: 10 },
        ).optional(),
      },
      { criteria: 'It names a source.', model: 'openai/gpt-5.1', max_retries: 2 },
    ).optional(),
    dialog: strict(
      '`dialog`',
      'Lets the agent ask the person a question, with the tool ask_person.',
      { trigger_prompt: text('When it should ask, in words for the model.') },
      { trigger_prompt: 'Ask when the ticket can mean two things.' },
    ).optional(),
    max_turns: wholeNumber('The most requests to the model. Default: 20.', {
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
  },
  {
    prompt: 'Which label fits? {{ workflow.input.ticket }}',
    images: ['https://example.com/screenshot.png'],
    tools: ['search', 'tickets/read'],
    max_turns: 5,
    max_agent_iterations: 5,
    max_session_seconds: 60,
    working_dir: './work',
    writes: ['labels'],
    on_partial: 'keep_partial',
  },
);

export type AgentFile = FromShape<typeof agentShape>;

export function planAgent(
  node: AgentFile,
  path: Path,
  planner: Planner,
): Omit<AgentPlan, 'fingerprint'> {
  return omitUndefined({
    type: 'agent',
    ...planStep({ ...node, timeout_seconds: secondsOf(node, planner) }, path, planner),
    ...planAnswering(node),
    ...planSpending(node, planner),
    ...planTruncating(node),
    prompt: node.prompt,
    images: node.images,
    tools: node.tools === undefined ? (planner.defaults.tools ?? null) : node.tools,
    policy: omitUndefined({
      allow: node.policy?.allow ?? [],
      deny: node.policy?.deny ?? [],
      ask: node.policy?.ask ?? [],
      askTimeoutMs:
        node.policy?.ask_timeout === undefined ? undefined : parseDuration(node.policy.ask_timeout),
    }),
    maxTurns:
      node.max_turns ?? node.max_agent_iterations ?? planner.defaults.maxTurns ?? DEFAULT_MAX_TURNS,
    validator: planValidator(node, planner),
    dialog: node.dialog === undefined ? undefined : { when: node.dialog.trigger_prompt },
    writes: node.writes ?? [],
    onPartial: node.on_partial ?? 'fail',
  });
}

function secondsOf(node: AgentFile, { defaults }: Planner): number | undefined {
  return node.timeout_seconds ?? node.max_session_seconds ?? defaults.agentSeconds;
}

const DEFAULT_REJECTIONS = 1;

function planValidator({ validator }: AgentFile, { provider }: Planner): ValidatorPlan | undefined {
  if (validator === undefined) return undefined;
  const { criteria, model, max_retries: maxRetries = DEFAULT_REJECTIONS } = validator;
  return omitUndefined({
    criteria,
    model: model === undefined ? undefined : toChain(model, provider),
    maxRetries,
  });
}
