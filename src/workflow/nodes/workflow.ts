/** `workflow`: another workflow file as one node. */
import { omitUndefined } from '../plan/omit-undefined.ts';
import type { ChildPlan } from '../plan/node-plan.ts';
import type { Path } from '../plan/pointer.ts';
import type { Planner } from '../plan/planner.ts';
import { exampled, jsonMap, literal, text, type FromShape } from '../schema/leaf.ts';
import { planStep, stepShape, timeoutShape } from './shared-keys.ts';

export const workflowShape = exampled(
  {
    type: literal('Another workflow.', 'workflow'),
    ...stepShape,
    ...timeoutShape,
    workflow: text('The path of its file, from this file.', 'the path of a workflow file'),
    input_mapping: jsonMap(
      'Its inputs, as templates. Default: the inputs of this workflow.',
    ).optional(),
  },
  { workflow: './refund.yaml', input_mapping: { order: '{{ workflow.input.ticket }}' } },
);

export type ChildFile = FromShape<typeof workflowShape>;

export function planWorkflow(
  node: ChildFile,
  path: Path,
  planner: Planner,
): Omit<ChildPlan, 'fingerprint'> {
  return omitUndefined({
    type: 'workflow',
    ...planStep(node, path, planner),
    workflow: planner.resolve(node.workflow),
    inputMapping: node.input_mapping,
  });
}
