/** `set`: values from templates, into its output or into the state. */
import { omitUndefined } from '../plan/omit-undefined.ts';
import type { SetPlan } from '../plan/node-plan.ts';
import type { FieldType } from '../plan/plan.ts';
import type { Path } from '../plan/pointer.ts';
import type { Planner } from '../plan/planner.ts';
import { choice, exampled, json, jsonMap, literal, type FromShape } from '../schema/leaf.ts';
import { planStep, stepShape } from './shared-keys.ts';

/** `list` and `dict` are Conductor’s names. */
const OUTPUT_TYPES = [
  'auto',
  'string',
  'number',
  'integer',
  'boolean',
  'array',
  'object',
  'list',
  'dict',
] as const;

const VALUE_TYPES: Readonly<Record<(typeof OUTPUT_TYPES)[number], FieldType | undefined>> = {
  auto: undefined,
  string: 'string',
  number: 'number',
  integer: 'integer',
  boolean: 'boolean',
  array: 'array',
  object: 'object',
  list: 'array',
  dict: 'object',
};

export const setShape = exampled(
  {
    type: literal('Values from templates.', 'set'),
    ...stepShape,
    value: json('The output, as one value.').optional(),
    output_type: choice(
      'The type of `value`: text is read as JSON for any type but `string`. Default: auto, a single {{ expression }} keeps its type.',
      OUTPUT_TYPES,
    ).optional(),
    values: jsonMap('The output, by name.').optional(),
    state: jsonMap('Values to write to state keys.').optional(),
  },
  {
    value: '{{ workflow.input.ticket | upper }}',
    output_type: 'string',
    values: { label: 'bug', score: 1 },
    state: { labels: ['bug'] },
  },
);

export type SetFile = FromShape<typeof setShape>;

export function planSet(node: SetFile, path: Path, planner: Planner): Omit<SetPlan, 'fingerprint'> {
  return omitUndefined({
    type: 'set',
    ...planStep(node, path, planner),
    value: node.value,
    valueType: node.output_type === undefined ? undefined : VALUE_TYPES[node.output_type],
    values: node.values,
    state: node.state ?? {},
  });
}
