/** Where a route stands among all that a failure is offered: the node's error routes, then the workflow's. */
import type { FilePlan } from '../workflow/model.ts';
import type { RouteBucket } from './events.ts';
import { nodeOf } from './plan-lookup.ts';

export function routePosition(
  plan: FilePlan,
  node: string,
  { rule, bucket }: { readonly rule?: number; readonly bucket: RouteBucket },
): number {
  const own = nodeOf(plan, node).routes.filter(({ onError }) => onError !== undefined);
  const table = bucket === 'workflow' ? plan.onError : own;
  const at = table.findIndex(({ index }) => index === rule);
  return bucket === 'workflow' ? own.length + at : at;
}
