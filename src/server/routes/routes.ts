/** All routes of a server. */
import type { ServerCore } from '../core.ts';
import type { Route } from '../http/http-route.ts';
import { openapiRoute } from '../http/openapi.ts';
import { catalogRoutes } from './catalog.ts';
import { changesRoute } from './changes.ts';
import { gatesRoute } from './gates.ts';
import { healthRoutes, sessionRoutes } from './health.ts';
import { listRunsRoute } from './get-runs.ts';
import { metricsRoute } from './metrics.ts';
import { moveRunRoutes } from './post-moves.ts';
import { planRoutes } from './read-plans.ts';
import { readRunRoutes } from './read-run.ts';
import { runPageRoutes } from './read-run-page.ts';
import { runEventsRoute } from './run-events.ts';
import { startRunRoute } from './post-run.ts';
import { workflowRoutes } from './workflows.ts';

/** `pages`: those of the dashboard, which no document describes. */
export function allRoutes(
  core: ServerCore,
  { pages, mcp }: { readonly pages: readonly Route[]; readonly mcp: Route },
): readonly Route[] {
  const described: readonly Route[] = [
    ...healthRoutes(core),
    ...sessionRoutes(core),
    metricsRoute(core),
    ...workflowRoutes(core),
    startRunRoute(core),
    listRunsRoute(core),
    ...readRunRoutes(core),
    ...planRoutes(core),
    ...runPageRoutes(core),
    runEventsRoute(core),
    ...moveRunRoutes(core),
    gatesRoute(core),
    changesRoute(core),
    ...catalogRoutes(core),
    mcp,
  ];
  return [...described, openapiRoute(described, core), ...pages];
}
