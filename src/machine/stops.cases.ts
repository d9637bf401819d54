/** How effects end that the machine stops, in tests without a driver: all of them are killed. */
import { doubtDetails } from './doubt-details.ts';
import { DOUBT } from './doubt.ts';
import { pendingRequest } from './effect-request.ts';
import { stopped } from './endings.ts';
import type { EventBody } from './events.ts';
import { failureAt } from './failure.ts';
import { scopeOf, visitOf } from './plan-lookup.ts';
import type { PendingEffect, RunState } from './state.ts';
import { stoppedFor } from './stopping.ts';

/** The effects under way that nobody wants any more. */
export function beingStopped(state: RunState): readonly PendingEffect[] {
  return [...state.effects.values()].filter((pending) => stoppedFor(state, pending) !== undefined);
}

/** What is said when they have ended; empty when none is being stopped. */
export function stopsOf(state: RunState): readonly EventBody[] {
  return beingStopped(state).map((pending) => killed(state, pending));
}

function killed(state: RunState, pending: PendingEffect): EventBody {
  const message = 'It was stopped';
  const request = pendingRequest(state, pending);
  if (request?.isIdempotent !== false) return stopped(state, pending, { message });
  const { effect } = pending;
  const scope = scopeOf(state, pending.scope);
  const { node, path } = visitOf(scope);
  const error = failureAt(state, scope, node, {
    kind: DOUBT,
    message,
    details: doubtDetails(effect, request.work),
  });
  return { type: 'effect:failed', node, path, effect, error };
}
