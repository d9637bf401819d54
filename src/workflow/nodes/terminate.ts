/** `terminate`: ends its workflow, well or not. It has no routes. */
import { given } from '../given.ts';
import type { TerminatePlan } from '../node-model.ts';
import type { Path } from '../path.ts';
import type { Planner } from '../planner.ts';
import { anyText, choice, jsonMap, literal, type FromShape } from '../schema/leaf.ts';
import { inputShape, namedShape, planStep } from './common.ts';

export const terminateShape = {
  type: literal('Ends the workflow here.', 'terminate'),
  ...namedShape,
  ...inputShape,
  status: choice('How it ends.', ['success', 'failed']),
  reason: anyText('Why, as a template; the message of a failure.').optional(),
  output_template: jsonMap('The output of the workflow, as templates.').optional(),
};

export type TerminateFile = FromShape<typeof terminateShape>;

export function planTerminate(
  node: TerminateFile,
  path: Path,
  planner: Planner,
): Omit<TerminatePlan, 'fingerprint'> {
  return given({
    type: 'terminate',
    ...planStep(node, path, planner),
    status: node.status,
    reason: node.reason,
    outputTemplate: node.output_template,
  });
}
