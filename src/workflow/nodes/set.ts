/** `set`: values from templates, into its output or into the state. */
import { given } from '../given.ts';
import type { SetPlan } from '../node-model.ts';
import type { Path } from '../path.ts';
import type { Planner } from '../planner.ts';
import { json, jsonMap, literal, type FromShape } from '../schema/leaf.ts';
import { planStep, stepShape } from './common.ts';

export const setShape = {
  type: literal('Values from templates.', 'set'),
  ...stepShape,
  value: json('The output, as one value.').optional(),
  values: jsonMap('The output, by name.').optional(),
  state: jsonMap('What is written to state keys.').optional(),
};

export type SetFile = FromShape<typeof setShape>;

export function planSet(node: SetFile, path: Path, planner: Planner): Omit<SetPlan, 'fingerprint'> {
  return given({
    type: 'set',
    ...planStep(node, path, planner),
    value: node.value,
    values: node.values,
    state: node.state ?? {},
  });
}
