/**
 * Enforces the bound on model requests that `errand validate` prints: a leg never makes more, even if
 * the check that computed the bound has overlooked something. Requests repeated after a crash count.
 */
import type { ErrorReport } from '../../errors/report/report.ts';
import { failRun } from '../decide/end-run.ts';
import type { Bound, EventBody } from '../state/events.ts';
import { failureAt, isTurnedAway } from '../decide/failure-reports.ts';
import { visitOf } from '../state/plan-lookup.ts';
import type { RunState, Scope } from '../state/state.ts';

/** Each leg has the whole bound. */
export function beginLeg({ legRequests }: RunState, { bound }: { readonly bound?: Bound }): void {
  legRequests.made = 0;
  if (bound !== undefined) legRequests.most = bound.modelRequests;
}

export function countRequest({ legRequests }: RunState): void {
  legRequests.made++;
}

/** An open breaker refused the call, so no request was made. */
export function uncountUnmadeRequest(
  { legRequests }: RunState,
  event: Extract<EventBody, { type: 'effect:failed' }>,
): void {
  if (isTurnedAway(event)) legRequests.made = Math.max(0, legRequests.made - 1);
}

export function isAtBound({ legRequests: { made, most } }: RunState): boolean {
  return most !== null && made >= most;
}

/** Fails the run when one more request would exceed the bound; no route handles this. */
export function failBeyondBound(
  state: RunState,
  scope: Scope,
  cause: ErrorReport | undefined,
): readonly EventBody[] | undefined {
  if (!isAtBound(state)) return undefined;
  const { made, most } = state.legRequests;
  const { node } = visitOf(scope);
  const error = failureAt(state, scope, node, {
    kind: 'limit.requests',
    message: `The next model request of ${node} would exceed the bound of ${most ?? 0} that was computed for this workflow`,
    details: { limit: most ?? 0, spent: made },
    ...(cause === undefined ? {} : { cause }),
  });
  return failRun(error);
}
