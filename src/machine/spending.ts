/** What effects have cost, and what is set aside for those under way. */
import { isPlainObject, type JsonValue } from '../errors/json.ts';
import type { EventBody } from './events.ts';
import type { Amount } from './pricing.ts';
import { outwards } from './plan-lookup.ts';
import type { OpenGate, RunState, Scope } from './state.ts';

type Settled = Extract<EventBody, { type: 'effect:succeeded' | 'effect:failed' }>;
type Requested = Extract<EventBody, { type: 'effect:requested' }>;

export function reserve(state: RunState, scope: Scope, event: Requested): void {
  const { key } = event.effect;
  const lost = state.reservations.get(key);
  // asked again after a crash: what the first one cost nobody knows, so it counts as what it might
  if (lost !== undefined) spend(state, scope, lost);
  if (event.reserves !== undefined)
    state.reservations.set(key, { scope: scope.id, ...event.reserves });
}

export function settle(state: RunState, scope: Scope, event: Settled): void {
  const reserved = state.reservations.get(event.effect.key);
  state.reservations.delete(event.effect.key);
  const { usage, costUsdMicros = 0 } = event;
  if (reserved !== undefined && isCostUnknown(event)) spend(state, scope, reserved);
  const tokens = (usage?.inputTokens ?? 0) + (usage?.outputTokens ?? 0);
  if (tokens > 0 || costUsdMicros > 0) spend(state, scope, { usdMicros: costUsdMicros, tokens });
  askHeldBack(state);
}

/** A call that was stopped on its way: it counts as what it might have cost. */
export function isCostUnknown(event: Settled): boolean {
  if (event.type === 'effect:succeeded' || event.usage !== undefined) return false;
  const { kind, outcome } = event.error;
  return kind === 'cancelled.call' && (outcome === 'partial' || outcome === 'unknown');
}

/** Whoever was held back looks again. */
function askHeldBack(state: RunState): void {
  for (const id of state.heldBack) state.ready.add(id);
  state.heldBack.clear();
}

function spend(state: RunState, scope: Scope, { usdMicros, tokens }: Amount): void {
  if (scope.visit !== undefined) scope.visit.spent = add(scope.visit.spent, { usdMicros, tokens });
  for (const around of outwards(state, scope))
    around.spent = add(around.spent, { usdMicros, tokens });
}

/** A person has let the budget grow: by its own amount, or by what they say. */
export function raiseBudget(state: RunState, { budget }: OpenGate, value: JsonValue): void {
  const holder = budget === undefined ? undefined : state.scopes.get(budget.holder);
  if (budget === undefined || holder === undefined) return;
  askHeldBack(state);
  const said = isPlainObject(value) && isPlainObject(value['raise']) ? value['raise'] : undefined;
  const own = { [budget.unit]: budget.limit };
  holder.raised = add(holder.raised, {
    usdMicros: said === undefined ? (own['usd'] ?? 0) : numberOf(said['usd']) * 1_000_000,
    tokens: said === undefined ? (own['tokens'] ?? 0) : numberOf(said['tokens']),
  });
}

function numberOf(value: JsonValue | undefined): number {
  return typeof value === 'number' && value > 0 ? value : 0;
}

function add(one: Amount, other: Amount): Amount {
  return {
    usdMicros: one.usdMicros + Math.round(other.usdMicros),
    tokens: one.tokens + Math.round(other.tokens),
  };
}
