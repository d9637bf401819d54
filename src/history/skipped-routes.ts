/** Skipped routes: those before the one that handled a failure, and why each did not. */
import { matchesKind } from '../errors/catalog/kinds.ts';
import { offeredRoutes } from '../machine/decide/offered-routes.ts';
import { endsTheRun, isOwnStepLimit } from '../machine/decide/unroutable.ts';
import type { ErrorReport } from '../errors/report/report.ts';
import { takes } from '../workflow/check/routing.ts';
import type { MoveType, Route } from '../workflow/plan/route-plan.ts';
import type { RouteBucket } from '../machine/state/events.ts';
import type { NodeAtPath } from './node-at-path.ts';

export interface SkippedRoute {
  readonly bucket: 'error' | 'workflow';
  /** Index in its table. */
  readonly rule: number;
  readonly move: MoveType;
  /** The kinds it handles: `true` is any kind. */
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
  /** A person has answered `abort`: no route after the question was used. */
  readonly isAborted: boolean;
}

/** Whether routes apply to the failure at all. */
export function isRouted(error: ErrorReport): boolean {
  return !isOwnStepLimit(error) && !endsTheRun(error.kind);
}

export function skippedRoutes(
  { node, file }: NodeAtPath,
  taken: TakenRoute,
  history: RouteHistory,
): readonly SkippedRoute[] {
  const skipped: SkippedRoute[] = [];
  let isFinal = false;
  for (const { route, bucket } of offeredRoutes(file, node, taken.kind)) {
    const { index: rule, move, onError: on } = route;
    if (on === undefined) continue;
    if (isTaken(route, bucket, taken)) return skipped;
    const used = history.uses(bucket, rule);
    const why = isFinal
      ? 'a person had answered abort'
      : skipReason(route, taken.kind, used, history);
    isFinal ||= history.isAborted && move.type === 'ask' && used > 0;
    skipped.push({ bucket, rule, move: move.type, on, why });
  }
  return skipped;
}

/** A halt is recorded under `error`, whichever table it comes from. */
function isTaken(route: Route, bucket: RouteBucket, taken: TakenRoute): boolean {
  const isTable = taken.bucket === bucket || (taken.move === 'halt' && taken.bucket === 'error');
  const isRule = taken.rule === route.index && route.move.type === taken.move;
  return isTable && isRule && takes(route, taken.kind);
}

function skipReason(route: Route, kind: string, used: number, { hasPeople }: RouteHistory): string {
  const { move, onError, when } = route;
  const isMeant = onError === true || (onError ?? []).some((pattern) => matchesKind(kind, pattern));
  if (!isMeant) return `it is not for ${kind}`;
  if (!takes(route, kind)) return `it runs the node again, which ${kind} allows only by name`;
  if (move.type === 'retry' && used >= move.max)
    return `its ${move.max === 1 ? 're-run is' : `${move.max} re-runs are`} used up`;
  if (move.type === 'park' && move.max !== undefined && used >= move.max)
    return `it has parked ${move.max} ${move.max === 1 ? 'time' : 'times'} already`;
  if (move.type === 'ask' && !hasPeople) return 'nobody can be asked';
  if (move.type === 'ask' && used > 0) return 'a person was asked, and did not resolve the failure';
  if (when !== undefined) return `its condition is false: ${when}`;
  // an effect that may have happened is repeated only by a route that names it
  return 'it would repeat an effect that may have happened already';
}
