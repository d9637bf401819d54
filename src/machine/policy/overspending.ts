/**
 * Overspending: calls that cost more than was reserved for them, and thereby exceed a budget. The money
 * is spent and the next call is refused; but there may be no next call, so a warning accompanies the
 * result.
 */
import { budgetOwner, budgetsOf, budgetWords, type Unit } from './budget.ts';
import type { EventBody } from '../state/events.ts';
import { failureAt, stampAt } from '../decide/failure-reports.ts';
import type { RunState, Scope } from '../state/state.ts';

type SettledEffect = Extract<EventBody, { type: 'effect:succeeded' | 'effect:failed' }>;
type Budget = ReturnType<typeof budgetsOf>[number];

/** The events, each followed by a warning for every budget that it exceeds. */
export function withOverspending(
  state: RunState,
  happened: readonly EventBody[],
): readonly EventBody[] {
  if (!happened.some(isPaid)) return happened;
  /** Amounts that earlier events have added, by budget. */
  const added = new Map<string, number>();
  return happened.flatMap((event) =>
    isPaid(event) ? [event, ...overspentBy(state, event, added)] : [event],
  );
}

function isPaid(event: EventBody): event is SettledEffect {
  const isSettled = event.type === 'effect:succeeded' || event.type === 'effect:failed';
  return isSettled && event.usage !== undefined && event.effect.type === 'model';
}

function overspentBy(
  state: RunState,
  event: SettledEffect,
  added: Map<string, number>,
): readonly EventBody[] {
  const pending = state.effects.get(event.effect.key);
  const scope = pending === undefined ? undefined : state.scopes.get(pending.scope);
  if (scope?.visit === undefined) return [];
  return budgetsOf(state, scope).flatMap((budget): readonly EventBody[] => {
    const { unit, limit, holder, mode } = budget;
    const name = `${unit} ${holder === undefined ? `of ${scope.id}` : `in ${holder.id}`}`;
    const before = budget.spent + (added.get(name) ?? 0);
    const spent = before + spentOn(event, unit);
    added.set(name, spent - budget.spent);
    // one warning per budget
    const isKnown = before > limit || (mode === 'audit' && holder?.isWarned === true);
    return spent <= limit || isKnown ? [] : [warning(state, scope, { ...budget, spent }, name)];
  });
}

function spentOn({ usage, costUsdMicros = 0 }: SettledEffect, unit: Unit): number {
  if (unit === 'usd') return costUsdMicros;
  return (usage?.inputTokens ?? 0) + (usage?.outputTokens ?? 0);
}

function warning(
  state: RunState,
  scope: Scope,
  { unit, limit, spent, holder }: Budget,
  name: string,
): EventBody {
  const node = scope.visit?.node ?? '';
  const error = failureAt(state, scope, node, {
    kind: 'limit.budget',
    // one call may exceed several budgets
    id: stampAt(state, scope.visit?.path ?? '', `overspent ${name}`).id,
    message: `A call of ${node} cost more than was reserved for it: ${budgetWords(spent, unit)} of the budget of ${budgetOwner(state, scope, holder)} (${budgetWords(limit, unit)}) ${unit === 'usd' ? 'has' : 'have'} been spent`,
    outcome: 'failed',
    details: { limit, spent, unit: unit === 'usd' ? 'usdMicros' : 'tokens' },
  });
  const reason = 'the call was made, and its result is kept';
  return { type: 'error:suppressed', error, reason, isWarning: true };
}
