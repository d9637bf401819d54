/** The routes offered to a failure, in order: those of its node, then those of the workflow. */
import type { FilePlan } from '../../workflow/plan/plan.ts';
import type { NodePlan } from '../../workflow/plan/node-plan.ts';
import type { Route } from '../../workflow/plan/route-plan.ts';

export interface OfferedRoute {
  readonly route: Route;
  /** The table it is from. */
  readonly bucket: 'error' | 'workflow';
}

export function offeredRoutes(
  file: FilePlan,
  { routes }: NodePlan,
  kind: string,
): readonly OfferedRoute[] {
  // the table whose guard has failed is not used again
  const own = kind === 'route.guard_failed' ? [] : routes.filter(isForErrors);
  return [
    ...own.map((route) => ({ route, bucket: 'error' as const })),
    ...file.onError.map((route) => ({ route, bucket: 'workflow' as const })),
  ];
}

function isForErrors({ onError }: Route): boolean {
  return onError !== undefined;
}
