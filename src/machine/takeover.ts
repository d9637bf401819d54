/** Whether a retry of the author's takes the place of the default schedule. */
import type { FilePlan } from '../workflow/model.ts';
import type { NodePlan } from '../workflow/node-model.ts';

/** A route that names the kind itself, in the node's table or the workflow's; patterns do not. */
export function isNamedByRoute(plan: FilePlan, node: NodePlan, kind: string): boolean {
  return [...node.routes, ...plan.onError].some(
    ({ onError }) => onError !== undefined && onError !== true && onError.includes(kind),
  );
}
