/** `human_gate`: a person chooses an option. */
import { parseDuration } from '../plan/duration.ts';
import { omitUndefined } from '../plan/omit-undefined.ts';
import type { GateOption, HumanGatePlan } from '../plan/node-plan.ts';
import type { Path } from '../plan/pointer.ts';
import type { Planner } from '../plan/planner.ts';
import {
  choice,
  duration,
  exampled,
  flag,
  hinted,
  list,
  literal,
  scalar,
  strict,
  text,
  type FromFile,
  type FromShape,
} from '../schema/leaf.ts';
import { target } from '../schema/route-schema.ts';
import { planStep, stepShape } from './shared-keys.ts';

const option = hinted(
  strict(
    'an option',
    'One answer that the person may choose.',
    {
      label: text('What the person reads. Default: the value.').optional(),
      value: scalar('The value of the answer. Default: the label.').optional(),
      route: target.describe('The node that runs next; wins over `routes`.').optional(),
      prompt_for: text(
        'Also asks for a text, under this name. Templates read the text as `NODE.output.additional_input`.',
      ).optional(),
      multiline: flag('Whether that text may have several lines. Default: false.').optional(),
    },
    { label: 'Publish it', value: 'yes', route: 'publish', prompt_for: 'comment' },
  ),
  { anyOf: [{ required: ['label'] }, { required: ['value'] }] },
);

export const humanGateShape = exampled(
  {
    type: literal('A person chooses.', 'human_gate'),
    ...stepShape,
    prompt: text('The question, as a template.'),
    options: list('The answers to choose from.', option, 1),
    timeout: duration('How long the gate is open. Default: no limit.').optional(),
    default: scalar('The answer when the gate expires; without one, the node fails.').optional(),
    answered_by: choice(
      'Who may answer: `person` refuses the answers of programs. Default: anyone.',
      ['anyone', 'person'],
    ).optional(),
  },
  {
    prompt: 'Publish {{ escalate.output.value }}?',
    options: [{ value: 'yes' }, { value: 'no', route: 'escalate' }],
    timeout: '24h',
    default: 'no',
  },
);

export type HumanGateFile = FromShape<typeof humanGateShape>;

export function planHumanGate(
  node: HumanGateFile,
  path: Path,
  planner: Planner,
): Omit<HumanGatePlan, 'fingerprint'> {
  return omitUndefined({
    type: 'human_gate',
    ...planStep(node, path, planner),
    prompt: node.prompt,
    options: node.options.map(planOption),
    expiresMs: node.timeout === undefined ? undefined : parseDuration(node.timeout),
    default: node.default,
    answeredBy: node.answered_by === 'person' ? node.answered_by : undefined,
  });
}

function planOption(from: FromFile<typeof option>): GateOption {
  return omitUndefined({
    label: from.label ?? String(from.value),
    value: from.value ?? from.label ?? '',
    route: from.route,
    promptFor: from.prompt_for,
    isMultiline: from.multiline ?? false,
  });
}
