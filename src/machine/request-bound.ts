/**
 * The bound that was printed before the run, kept: a leg asks models no more often than that, whatever
 * the check that worked it out has overlooked. What was lost in a crash and is made again counts too.
 */
import type { ErrorReport } from '../errors/report.ts';
import { failRun } from './endings.ts';
import type { Bound, EventBody } from './events.ts';
import { failureAt, isTurnedAway } from './failure.ts';
import { visitOf } from './plan-lookup.ts';
import type { RunState, Scope } from './state.ts';

/** Each leg has the whole of it. */
export function beginLeg({ legRequests }: RunState, { bound }: { readonly bound?: Bound }): void {
  legRequests.made = 0;
  if (bound !== undefined) legRequests.most = bound.modelRequests;
}

export function noteRequest({ legRequests }: RunState): void {
  legRequests.made++;
}

/** An open breaker kept it back: nobody was asked. */
export function takeBackUnmade({ legRequests }: RunState, error: ErrorReport): void {
  if (isTurnedAway(error)) legRequests.made = Math.max(0, legRequests.made - 1);
}

export function isAtBound({ legRequests: { made, most } }: RunState): boolean {
  return most !== null && made >= most;
}

/** The end of the run where one more request would be beyond the bound; no route takes it. */
export function beyondBound(
  state: RunState,
  scope: Scope,
  cause: ErrorReport | undefined,
): readonly EventBody[] | undefined {
  if (!isAtBound(state)) return undefined;
  const { made, most } = state.legRequests;
  const { node } = visitOf(scope);
  const error = failureAt(state, scope, node, {
    kind: 'limit.requests',
    message: `${node} would make one model request more than the ${most ?? 0} that the workflow was said to need at most`,
    details: { limit: most ?? 0, spent: made },
    ...(cause === undefined ? {} : { cause }),
  });
  return failRun(error);
}
