/**
 * Calls that cost more than was set aside for them, and more than a budget has. The money is spent, and the
 * next call is refused; but there may be none, so it is said beside the result that broke the budget.
 */
import { budgetOwner, budgetsOf, budgetWords, type Unit } from './budget.ts';
import type { EventBody } from './events.ts';
import { failureAt, stampAt } from './failure.ts';
import type { RunState, Scope } from './state.ts';

type Settled = Extract<EventBody, { type: 'effect:succeeded' | 'effect:failed' }>;
type Budget = ReturnType<typeof budgetsOf>[number];

/** What has happened and is not yet taken in, each with what it overspends after it. */
export function withOverspending(
  state: RunState,
  happened: readonly EventBody[],
): readonly EventBody[] {
  if (!happened.some(isPaid)) return happened;
  /** What the events before have added, by budget. */
  const added = new Map<string, number>();
  return happened.flatMap((event) =>
    isPaid(event) ? [event, ...overspentBy(state, event, added)] : [event],
  );
}

function isPaid(event: EventBody): event is Settled {
  const isSettled = event.type === 'effect:succeeded' || event.type === 'effect:failed';
  return isSettled && event.usage !== undefined && event.effect.type === 'model';
}

function overspentBy(
  state: RunState,
  event: Settled,
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
    // what has been told once is not told again
    const isKnown = before > limit || (mode === 'audit' && holder?.isWarned === true);
    return spent <= limit || isKnown ? [] : [warning(state, scope, { ...budget, spent }, name)];
  });
}

function spentOn({ usage, costUsdMicros = 0 }: Settled, unit: Unit): number {
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
    // several budgets may be broken at once
    id: stampAt(state, scope.visit?.path ?? '', `overspent ${name}`).id,
    message: `A call of ${node} cost more than was set aside for it: ${budgetWords(spent, unit)} of the budget of ${budgetOwner(state, scope, holder)} (${budgetWords(limit, unit)}) ${unit === 'usd' ? 'has' : 'have'} been spent`,
    outcome: 'failed',
    details: { limit, spent, unit: unit === 'usd' ? 'usdMicros' : 'tokens' },
  });
  const reason = 'the call was made, and its result is kept';
  return { type: 'error:suppressed', error, reason, isWarning: true };
}
