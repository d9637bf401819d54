/** `call`: a TypeScript function that the host registers or the workflow's module exports. */
import type { CallPlan } from '../plan/node-plan.ts';
import type { Path } from '../plan/pointer.ts';
import type { Planner } from '../plan/planner.ts';
import { exampled, flag, jsonMap, literal, text, type FromShape } from '../schema/leaf.ts';
import {
  breakerShape,
  planBreaker,
  planCalling,
  answeringShape,
  planAnswering,
  planStep,
  stepShape,
  timeoutShape,
} from './shared-keys.ts';

export const callShape = exampled(
  {
    type: literal('A function of the module or of the host.', 'call'),
    ...stepShape,
    ...timeoutShape,
    ...breakerShape,
    ...answeringShape,
    function: text('The name of the function.'),
    arguments: jsonMap('Its arguments; values are templates.').optional(),
    idempotent: flag(
      'Whether it may be repeated when its outcome is unknown. Default: what the function declares.',
    ).optional(),
  },
  { function: 'fetchOrder', arguments: { id: '{{ workflow.input.ticket }}' } },
);

export type CallFile = FromShape<typeof callShape>;

export function planCall(
  node: CallFile,
  path: Path,
  planner: Planner,
): Omit<CallPlan, 'fingerprint'> {
  return {
    type: 'call',
    ...planStep(node, path, planner),
    ...planAnswering(node),
    ...planBreaker(node),
    function: node.function,
    ...planCalling(node),
  };
}
