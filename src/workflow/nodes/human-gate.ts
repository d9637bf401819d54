/** `human_gate`: a person chooses. */
import { parseDuration } from '../duration.ts';
import { given } from '../given.ts';
import type { GateOption, HumanGatePlan } from '../node-model.ts';
import type { Path } from '../path.ts';
import type { Planner } from '../planner.ts';
import {
  duration,
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
import { target } from '../schema/route.ts';
import { planStep, stepShape } from './common.ts';

const option = hinted(
  strict('an option', 'One answer that the person may choose.', {
    label: text('What the person reads. Default: the value.').optional(),
    value: scalar('What the answer is. Default: the label.').optional(),
    route: target.describe('Where to go on; wins over `routes`.').optional(),
    prompt_for: text(
      'The answer needs a text as well, asked for by this name. The text itself is `NODE.output.additional_input`.',
    ).optional(),
    multiline: flag('Whether that text may have several lines. Default: false.').optional(),
  }),
  { anyOf: [{ required: ['label'] }, { required: ['value'] }] },
);

export const humanGateShape = {
  type: literal('A person chooses.', 'human_gate'),
  ...stepShape,
  prompt: text('What the person is asked, as a template.'),
  options: list('The answers to choose from.', option, 1),
  timeout: duration('How long the gate is open.').optional(),
  default: scalar('The value that is taken when it expires; without one it fails.').optional(),
};

export type HumanGateFile = FromShape<typeof humanGateShape>;

export function planHumanGate(
  node: HumanGateFile,
  path: Path,
  planner: Planner,
): Omit<HumanGatePlan, 'fingerprint'> {
  return given({
    type: 'human_gate',
    ...planStep(node, path, planner),
    prompt: node.prompt,
    options: node.options.map(planOption),
    expiresMs: node.timeout === undefined ? undefined : parseDuration(node.timeout),
    default: node.default,
  });
}

function planOption(from: FromFile<typeof option>): GateOption {
  return given({
    label: from.label ?? String(from.value),
    value: from.value ?? from.label ?? '',
    route: from.route,
    promptFor: from.prompt_for,
    isMultiline: from.multiline ?? false,
  });
}
