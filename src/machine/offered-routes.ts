/** The routes that a failure is offered, in order: those of its node, then those of the workflow. */
import type { FilePlan } from '../workflow/model.ts';
import type { NodePlan } from '../workflow/node-model.ts';
import type { Route } from '../workflow/route.ts';

export interface OfferedRoute {
  readonly route: Route;
  /** The table that it stands in. */
  readonly bucket: 'error' | 'workflow';
}

export function offeredRoutes(
  file: FilePlan,
  { routes }: NodePlan,
  kind: string,
): readonly OfferedRoute[] {
  // the table whose guard has failed is not asked once more
  const own = kind === 'route.guard_failed' ? [] : routes.filter(isForErrors);
  return [
    ...own.map((route) => ({ route, bucket: 'error' as const })),
    ...file.onError.map((route) => ({ route, bucket: 'workflow' as const })),
  ];
}

function isForErrors({ onError }: Route): boolean {
  return onError !== undefined;
}
