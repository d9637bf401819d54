/** Applies the events of gates: a gate opens, a person answers it, or it expires. */
import { holdAttempts, releaseAttempts } from '../policy/deadlines.ts';
import type { JsonValue } from '../../errors/support/safe-json.ts';
import {
  callInQuestion,
  earlierCall,
  editedValue,
  settleByAnswer,
  whereItArose,
} from '../policy/unknown-outcome.ts';
import { toolRef } from '../conversation/tool-ref.ts';
import { noteGivenResult } from '../conversation/finished-calls.ts';
import type { EventBody } from '../state/events.ts';
import { conversationGate } from './conversation.ts';
import { reopenToAnswer } from './reopen.ts';
import { isApproval } from '../policy/approval-grants.ts';
import { visitOf } from '../state/plan-lookup.ts';
import { raiseBudget } from '../policy/spending.ts';
import type { OpenGate, RunState, Scope, Visit } from '../state/state.ts';

export function applyGate(
  state: RunState,
  scope: Scope,
  event: Extract<EventBody, { type: `gate:${string}` }>,
): void {
  const visit = visitOf(scope);
  if (event.type !== 'gate:opened') {
    const open = state.gates.get(event.gate);
    // an earlier answer closed the gate, or its node is gone
    if (open === undefined) return;
    state.gates.delete(event.gate);
    releaseAttempts(state, scope);
    if (open.budget !== undefined) return budgetAnswered(state, visit, open, event);
    if (conversationGate(state, scope, event)) return;
    visit.isApproved = event.type === 'gate:answered' && isApproval(event.value);
    if (event.type === 'gate:expired') visit.phase = { type: 'expired' };
    else answerAt(state, scope, event.value);
    return;
  }
  const { openings } = state.prepared ?? {};
  openings?.set(event.gate, (openings.get(event.gate) ?? 0) + 1);
  const { deadline, options, promptFor } = event;
  const deadlineMs = deadline === undefined ? undefined : Date.parse(deadline);
  state.gates.set(event.gate, {
    scope: scope.id,
    opening: state.seq,
    options,
    ...(promptFor === undefined ? {} : { promptFor }),
    deadlineMs,
    budget: event.budget,
  });
  if (event.budget !== undefined) visit.phase = { type: 'conversation' };
  else if (!conversationGate(state, scope, event))
    visit.phase = { type: 'asking', gate: event.gate };
  holdAttempts(state, scope);
}

/**
 * Applies the answer about an unknown outcome where it arose, even if an enclosing node asked. So
 * nothing that completed beside it is repeated.
 */
function answerAt(state: RunState, scope: Scope, value: JsonValue): void {
  const visit = visitOf(scope);
  const inside = value === 'abort' ? undefined : whereItArose(state, visit);
  const at = inside !== undefined && reopenToAnswer(state, visit) ? inside : scope;
  visitOf(at).phase = answered(state, at, value);
}

/**
 * An edit at a call of a conversation is the result of that call, even if an earlier conversation
 * made it.
 */
function answered(state: RunState, scope: Scope, value: JsonValue): Visit['phase'] {
  const visit = visitOf(scope);
  const open = callInQuestion(state, visit);
  const earlier = earlierCall(state, visit);
  settleByAnswer(state, visit, value);
  const given = editedValue(value);
  if (given === undefined) return { type: 'answered', value };
  if (open !== undefined) return { type: 'answered', value, given: toolRef(state, scope, open) };
  if (earlier === undefined) return { type: 'answered', value };
  noteGivenResult(state, scope, earlier, given);
  return { type: 'answered', value, given: earlier.effect };
}

function budgetAnswered(
  state: RunState,
  visit: Visit,
  gate: OpenGate,
  event: Extract<EventBody, { type: 'gate:answered' | 'gate:expired' }>,
): void {
  const isRefused = event.type === 'gate:expired' || event.value === 'abort';
  if (isRefused) visit.isBudgetRefused = true;
  else raiseBudget(state, gate, event.value);
}
