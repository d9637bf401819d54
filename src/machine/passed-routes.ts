/** Why a failure was not taken by the routes that were asked before the one that took it. */
import { matchesKind } from '../errors/kinds.ts';
import { offeredRoutes } from './offered-routes.ts';
import { endsTheRun, isOwnStepLimit } from './unroutable.ts';
import type { ErrorReport } from '../errors/report.ts';
import { takes } from '../workflow/check/routing.ts';
import type { MoveType, Route } from '../workflow/route.ts';
import type { RouteBucket } from './events.ts';
import type { PlacedNode } from './node-at-path.ts';

export interface PassedRoute {
  readonly bucket: 'error' | 'workflow';
  /** Index in its table. */
  readonly rule: number;
  readonly move: MoveType;
  /** What it is for: `true` is any kind. */
  readonly on: true | readonly string[];
  readonly why: string;
}

export interface TakenRoute {
  readonly kind: string;
  readonly bucket: RouteBucket;
  /** Absent for the default. */
  readonly rule?: number;
  readonly move: MoveType;
}

export interface RouteHistory {
  /** How often a route was taken since the node was last entered. */
  readonly uses: (bucket: RouteBucket, rule: number) => number;
  readonly hasPeople: boolean;
  /** A person has answered `abort`: nothing below the question was asked. */
  readonly isAborted: boolean;
}

/** Whether routes were asked at all. */
export function isRouted(error: ErrorReport): boolean {
  return !isOwnStepLimit(error) && !endsTheRun(error.kind);
}

export function passedRoutes(
  { node, file }: PlacedNode,
  taken: TakenRoute,
  history: RouteHistory,
): readonly PassedRoute[] {
  const passed: PassedRoute[] = [];
  let isStanding = false;
  for (const { route, bucket } of offeredRoutes(file, node, taken.kind)) {
    const { index: rule, move, onError: on } = route;
    if (on === undefined) continue;
    if (isTaken(route, bucket, taken)) return passed;
    const used = history.uses(bucket, rule);
    const why = isStanding
      ? 'a person had let the failure stand'
      : whyPassed(route, taken.kind, used, history);
    isStanding ||= history.isAborted && move.type === 'ask' && used > 0;
    passed.push({ bucket, rule, move: move.type, on, why });
  }
  return passed;
}

/** A halt is recorded under `error` whichever table it stands in. */
function isTaken(route: Route, bucket: RouteBucket, taken: TakenRoute): boolean {
  const isTable = taken.bucket === bucket || (taken.move === 'halt' && taken.bucket === 'error');
  const isRule = taken.rule === route.index && route.move.type === taken.move;
  return isTable && isRule && takes(route, taken.kind);
}

function whyPassed(route: Route, kind: string, used: number, { hasPeople }: RouteHistory): string {
  const { move, onError, when } = route;
  const isMeant = onError === true || (onError ?? []).some((pattern) => matchesKind(kind, pattern));
  if (!isMeant) return `it is not for ${kind}`;
  if (!takes(route, kind)) return `it runs the node again, which ${kind} allows only by name`;
  if (move.type === 'retry' && used >= move.max)
    return `its ${move.max === 1 ? 're-run is' : `${move.max} re-runs are`} used`;
  if (move.type === 'park' && move.max !== undefined && used >= move.max)
    return `it has parked ${move.max} ${move.max === 1 ? 'time' : 'times'} already`;
  if (move.type === 'ask' && !hasPeople) return 'nobody can be asked';
  if (move.type === 'ask' && used > 0) return 'it was asked, and the failure stands';
  if (when !== undefined) return `its guard did not hold: ${when}`;
  // work that may have happened inside is repeated only by a route that says so
  return 'it would repeat what may have happened already';
}
