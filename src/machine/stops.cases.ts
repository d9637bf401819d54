/** Ends of the effects that the machine stops, in tests without an engine: all of them are killed. */
import { unknownOutcomeDetails } from './policy/unknown-outcome-details.ts';
import { OUTCOME_UNKNOWN } from './policy/unknown-outcome.ts';
import { pendingRequest } from './decide/effect-request.ts';
import { stoppedEffect } from './decide/end-run.ts';
import type { EventBody } from './state/events.ts';
import { failureAt } from './decide/failure-reports.ts';
import { scopeOf, visitOf } from './state/plan-lookup.ts';
import type { PendingEffect, RunState } from './state/state.ts';
import { stoppedFor } from './decide/stop-effects.ts';

/** The running effects that are to be stopped. */
export function beingStopped(state: RunState): readonly PendingEffect[] {
  return [...state.effects.values()].filter((pending) => stoppedFor(state, pending) !== undefined);
}

/** The events of their ends; empty when none is being stopped. */
export function stopsOf(state: RunState): readonly EventBody[] {
  return beingStopped(state).map((pending) => killed(state, pending));
}

function killed(state: RunState, pending: PendingEffect): EventBody {
  const message = 'It was stopped';
  const request = pendingRequest(state, pending);
  if (request?.isIdempotent !== false) return stoppedEffect(state, pending, { message });
  const { effect } = pending;
  const scope = scopeOf(state, pending.scope);
  const { node, path } = visitOf(scope);
  const error = failureAt(state, scope, node, {
    kind: OUTCOME_UNKNOWN,
    message,
    details: unknownOutcomeDetails(effect, request.work),
  });
  return { type: 'effect:failed', node, path, effect, error };
}
