/** Applies the events of effects: what runs, what it costs, and what its node does next. */
import { matchesKind } from '../../errors/catalog/kinds.ts';
import { resumeAttemptClock, stopAttemptClock } from '../policy/deadlines.ts';
import { beginProbe } from '../policy/cooldown.ts';
import { noteUnknownOutcome } from '../policy/unknown-outcome.ts';
import { actionAt, noteEnded, noteTakenOver, noteUnended } from '../policy/unended-effects.ts';
import { pendingAction } from '../decide/effect-request.ts';
import { isTurnedAway } from '../decide/failure-reports.ts';
import { settleInput } from '../decide/effect-input.ts';
import type { EventBody } from '../state/events.ts';
import { noteAttempt, conversationEffect } from './conversation.ts';
import { hasConversation } from '../conversation/model-request.ts';
import { fileOf, nodeOf, visitOf } from '../state/plan-lookup.ts';
import { countRequest, uncountUnmadeRequest } from '../policy/request-bound.ts';
import { reserveCost, settleCost } from '../policy/spending.ts';
import type { RunState, Scope } from '../state/state.ts';

const SHORT_KEY_DIGITS = 16;

type EffectEvent = Extract<EventBody, { type: `effect:${string}` }>;

export function applyEffect(state: RunState, scope: Scope, event: EffectEvent): void {
  trackEffect(state, scope, event);
  const isStopped = event.type === 'effect:failed' && matchesKind(event.error.kind, 'cancelled.*');
  if (isStopped) applyStopped(state, scope, event);
  else if (hasConversation(nodeOf(fileOf(state.plan, scope.file), visitOf(scope).node)))
    conversationEffect(state, scope, event);
  else applyNodeEffect(state, scope, event);
}

/** Tracks running effects, reserved costs and unknown outcomes, the same way for every effect. */
function trackEffect(state: RunState, scope: Scope, event: EffectEvent): void {
  const { key, type, target } = event.effect;
  const visit = visitOf(scope);
  // an execution replaces it
  if (event.type !== 'effect:succeeded' || event.replayed !== true) state.keptResults.delete(key);
  if (event.type === 'effect:requested') {
    if (key.length === SHORT_KEY_DIGITS) state.hasShortKeys = true;
    state.effects.set(key, { scope: scope.id, effect: event.effect, attempt: event.attempt });
    visit.requestCounts.set(key, event.attempt + 1);
    visit.pending.add(key);
    state.unknownOutcomes.delete(key);
    noteTakenOver(state, scope, key);
    reserveCost(state, scope, event);
    if (type === 'model') {
      beginProbe(state, target, key);
      countRequest(state);
    }
    return;
  }
  if (type === 'model' && event.type === 'effect:failed') uncountUnmadeRequest(state, event);
  settleCost(state, scope, event);
  if (event.type === 'effect:failed') noteUnknownOutcome(state, scope, event);
  noteEnd(state, scope, event);
  state.effects.delete(key);
  visit.pending.delete(key);
}

function noteEnd(state: RunState, scope: Scope, event: EffectEvent): void {
  const { key, type } = event.effect;
  // both may be repeated at any time
  if (type === 'model' || type === 'transform') return;
  if (event.type !== 'effect:failed' || event.error.outcome !== 'unknown')
    return noteEnded(state, key);
  const pending = state.effects.get(key);
  const action = pending === undefined ? undefined : pendingAction(state, pending);
  noteUnended(state, key, action === undefined ? undefined : actionAt(state, scope, action));
}

function applyStopped(state: RunState, scope: Scope, { effect: { type } }: EffectEvent): void {
  const visit = visitOf(scope);
  // the model has not replied, so the conversation is unchanged
  const isTalk = type === 'model' && visit.conversation !== undefined;
  visit.phase = isTalk ? { type: 'conversation' } : { type: 'cancelled' };
  if (isTalk) stopAttemptClock(state, scope);
}

/** For a node that is one effect, and not a conversation. */
function applyNodeEffect(state: RunState, scope: Scope, event: EffectEvent): void {
  const visit = visitOf(scope);
  if (event.type === 'effect:requested') {
    resumeAttemptClock(state, scope);
    settleInput(state, scope);
    visit.phase = { type: 'effect' };
    return;
  }
  if (event.type === 'effect:failed') {
    if (isTurnedAway(event)) visit.turnedAway = (visit.turnedAway ?? 0) + 1;
    else noteAttempt(state, visit, event.error);
  }
  // the wait before a tool's own retry does not count
  stopAttemptClock(state, scope);
  visit.phase = { type: 'result', result: event, atMs: state.nowMs, effect: event.effect };
}
