/** Spending: what effects have cost, and what is reserved for running ones. */
import { isPlainObject, type JsonValue } from '../../errors/support/safe-json.ts';
import type { EventBody } from '../state/events.ts';
import { bounded, type Amount } from './pricing.ts';
import { scopeAndAncestors } from '../state/plan-lookup.ts';
import type { OpenGate, RunState, Scope } from '../state/state.ts';

type Settled = Extract<EventBody, { type: 'effect:succeeded' | 'effect:failed' }>;
type Requested = Extract<EventBody, { type: 'effect:requested' }>;

export function reserveCost(state: RunState, scope: Scope, event: Requested): void {
  const { key } = event.effect;
  const lost = state.reservations.get(key);
  // repeated after a crash: the cost of the lost call is unknown, so its estimate counts
  if (lost !== undefined) spend(state, scope, lost);
  if (event.reserves !== undefined)
    state.reservations.set(key, { scope: scope.id, ...event.reserves });
}

export function settleCost(state: RunState, scope: Scope, event: Settled): void {
  const reserved = state.reservations.get(event.effect.key);
  state.reservations.delete(event.effect.key);
  const { usage, costUsdMicros = 0 } = event;
  if (reserved !== undefined && isCostUnknown(event)) spend(state, scope, reserved);
  const tokens = (usage?.inputTokens ?? 0) + (usage?.outputTokens ?? 0);
  if (tokens > 0 || costUsdMicros > 0) spend(state, scope, { usdMicros: costUsdMicros, tokens });
  wakeHeldBack(state);
}

/** Whether a call was stopped before its cost was known; its estimate counts instead. */
export function isCostUnknown(event: Settled): boolean {
  if (event.type === 'effect:succeeded' || event.usage !== undefined) return false;
  const { kind, outcome } = event.error;
  return kind === 'cancelled.call' && (outcome === 'partial' || outcome === 'unknown');
}

/** Lets the conversations that wait for another call decide again. */
function wakeHeldBack(state: RunState): void {
  for (const id of state.heldBack) state.ready.add(id);
  state.heldBack.clear();
}

function spend(state: RunState, scope: Scope, { usdMicros, tokens }: Amount): void {
  if (scope.visit !== undefined)
    scope.visit.spent = addAmounts(scope.visit.spent, { usdMicros, tokens });
  for (const around of scopeAndAncestors(state, scope))
    around.spent = addAmounts(around.spent, { usdMicros, tokens });
}

/** Raises a budget by its own amount, by more where the call needs more, or by the amount of the answer. */
export function raiseBudget(state: RunState, { budget }: OpenGate, value: JsonValue): void {
  const holder = budget === undefined ? undefined : state.scopes.get(budget.holder);
  if (budget === undefined || holder === undefined) return;
  wakeHeldBack(state);
  const requested =
    isPlainObject(value) && isPlainObject(value['raise']) ? value['raise'] : undefined;
  const own = { [budget.unit]: budget.raise ?? budget.limit };
  holder.raised = addAmounts(holder.raised, {
    usdMicros: requested === undefined ? (own['usd'] ?? 0) : numberOf(requested['usd']) * 1_000_000,
    tokens: requested === undefined ? (own['tokens'] ?? 0) : numberOf(requested['tokens']),
  });
}

function numberOf(value: JsonValue | undefined): number {
  return typeof value === 'number' && value > 0 ? value : 0;
}

function addAmounts(one: Amount, other: Amount): Amount {
  return {
    usdMicros: bounded(one.usdMicros + Math.round(other.usdMicros)),
    tokens: bounded(one.tokens + Math.round(other.tokens)),
  };
}
