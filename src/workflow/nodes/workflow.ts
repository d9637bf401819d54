/** `workflow`: another workflow file as one node. */
import { given } from '../given.ts';
import type { ChildPlan } from '../node-model.ts';
import type { Path } from '../path.ts';
import type { Planner } from '../planner.ts';
import { jsonMap, literal, text, type FromShape } from '../schema/leaf.ts';
import { planStep, stepShape, timeoutShape } from './common.ts';

export const workflowShape = {
  type: literal('Another workflow.', 'workflow'),
  ...stepShape,
  ...timeoutShape,
  workflow: text('The path of its file, from this file.', 'the path of a workflow file'),
  input_mapping: jsonMap(
    'Its inputs, as templates. Without it: the inputs of this workflow.',
  ).optional(),
};

export type ChildFile = FromShape<typeof workflowShape>;

export function planWorkflow(
  node: ChildFile,
  path: Path,
  planner: Planner,
): Omit<ChildPlan, 'fingerprint'> {
  return given({
    type: 'workflow',
    ...planStep(node, path, planner),
    workflow: planner.resolve(node.workflow),
    inputMapping: node.input_mapping,
  });
}
