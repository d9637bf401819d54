/** `terminate`: ends its workflow, as a success or a failure. It has no routes. */
import { omitUndefined } from '../plan/omit-undefined.ts';
import type { TerminatePlan } from '../plan/node-plan.ts';
import type { Path } from '../plan/pointer.ts';
import type { Planner } from '../plan/planner.ts';
import { exampled, anyText, choice, jsonMap, literal, type FromShape } from '../schema/leaf.ts';
import { inputShape, namedShape, planStep } from './shared-keys.ts';

export const terminateShape = exampled(
  {
    type: literal('Ends the workflow here.', 'terminate'),
    ...namedShape,
    ...inputShape,
    status: choice('How it ends.', ['success', 'failed']),
    reason: anyText('The reason, as a template; the message of a failure.').optional(),
    output_template: jsonMap('The output of the workflow, as templates.').optional(),
  },
  {
    status: 'failed',
    reason: 'No order {{ workflow.input.ticket }}',
    output_template: { label: 'none' },
  },
);

export type TerminateFile = FromShape<typeof terminateShape>;

export function planTerminate(
  node: TerminateFile,
  path: Path,
  planner: Planner,
): Omit<TerminatePlan, 'fingerprint'> {
  return omitUndefined({
    type: 'terminate',
    ...planStep(node, path, planner),
    status: node.status,
    reason: node.reason,
    outputTemplate: node.output_template,
  });
}
