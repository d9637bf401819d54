/** `set`: values from templates, into its output or into the state. */
import { omitUndefined } from '../plan/omit-undefined.ts';
import type { SetPlan } from '../plan/node-plan.ts';
import type { Path } from '../plan/pointer.ts';
import type { Planner } from '../plan/planner.ts';
import { exampled, json, jsonMap, literal, type FromShape } from '../schema/leaf.ts';
import { planStep, stepShape } from './shared-keys.ts';

export const setShape = exampled(
  {
    type: literal('Values from templates.', 'set'),
    ...stepShape,
    value: json('The output, as one value.').optional(),
    values: jsonMap('The output, by name.').optional(),
    state: jsonMap('Values to write to state keys.').optional(),
  },
  {
    value: '{{ workflow.input.ticket | upper }}',
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
    values: node.values,
    state: node.state ?? {},
  });
}
