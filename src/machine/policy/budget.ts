/**
 * Budgets of a run, a child or a node. A call reserves its estimated cost before it is made, so that
 * parallel branches cannot overspend together; a call that only other reservations block waits for
 * them. 0 means 0.
 */
import { usdWords } from '../../errors/render/money.ts';
import type { ErrorReport } from '../../errors/report/report.ts';
import type { BudgetMode } from '../../workflow/plan/plan.ts';
import { askPerson } from '../gates/ask-person.ts';
import { failWorkflow } from '../decide/end-run.ts';
import type { EventBody } from '../state/events.ts';
import { nodeFailed, failureAt } from '../decide/failure-reports.ts';
import { fileOf, nodeOf, visitOf, workflowsAround } from '../state/plan-lookup.ts';
import type { Amount } from './pricing.ts';
import { budgetGate } from '../state/scopes.ts';
import { ROOT_SCOPE, type RunState, type Scope } from '../state/state.ts';

export type Unit = 'usd' | 'tokens';

/** A budget that a call would exceed. */
export interface Excess {
  readonly unit: Unit;
  /** In micro-dollars or tokens. */
  readonly limit: number;
  readonly spent: number;
  /** The amount that the call reserves. */
  readonly wanted: number;
  /** The workflow whose budget it is; undefined for the node's own. */
  readonly holder: Scope | undefined;
  readonly mode: BudgetMode;
}

export type BudgetCheck =
  | { readonly type: 'free' }
  /** Blocked only by other reservations or by an open question about the budget. */
  | { readonly type: 'held' }
  | { readonly type: 'over'; readonly excess: Excess };

interface Budget {
  readonly unit: Unit;
  readonly limit: number;
  readonly spent: number;
  readonly reserved: number;
  readonly holder: Scope | undefined;
  readonly mode: BudgetMode;
}

export function checkBudgets(state: RunState, scope: Scope, wanted: Amount): BudgetCheck {
  let isHeld = false;
  for (const budget of budgetsOf(state, scope)) {
    const { unit, limit, spent, reserved, holder, mode } = budget;
    const more = unit === 'usd' ? wanted.usdMicros : wanted.tokens;
    if (more === 0) continue;
    if (spent + more > limit) {
      if (mode === 'audit' && holder?.isWarned === true) continue;
      if (isAlreadyAsked(state, holder)) return { type: 'held' };
      return { type: 'over', excess: { unit, limit, spent, wanted: more, holder, mode } };
    }
    if (spent + reserved + more > limit && mode !== 'audit') isHeld = true;
  }
  return isHeld ? { type: 'held' } : { type: 'free' };
}

/** Whether a money budget applies here, from the node or an enclosing workflow. */
export function hasMoneyBudget(state: RunState, scope: Scope): boolean {
  return budgetsOf(state, scope).some(({ unit }) => unit === 'usd');
}

/** One question is enough for all calls that need more of the same budget. */
function isAlreadyAsked(state: RunState, holder: Scope | undefined): boolean {
  if (holder === undefined) return false;
  return [...state.gates.values()].some(({ budget }) => budget?.holder === holder.id);
}

/** The node's own budget first, then those of the enclosing workflows, from the inside out. */
export function budgetsOf(state: RunState, scope: Scope): readonly Budget[] {
  const visit = visitOf(scope);
  const node = nodeOf(fileOf(state.plan, scope.file), visit.node);
  const own = 'budget' in node ? node.budget : undefined;
  const reservedHere = reservedAmount(state, (id) => id === scope.id);
  const budgets = [
    ...toBudgets(own?.usdMicros, own?.tokens, {
      spent: visit.spent,
      reserved: reservedHere,
      holder: undefined,
      mode: 'enforce',
    }),
  ];
  for (const around of workflowsAround(state, scope)) {
    const { limits } = fileOf(state.plan, around.file);
    budgets.push(
      ...toBudgets(
        raisedLimit(limits.budgetUsdMicros, around.raised.usdMicros),
        raisedLimit(limits.budgetTokens, around.raised.tokens),
        {
          spent: around.spent,
          reserved: reservedAmount(state, isWithin(around)),
          holder: around,
          mode: limits.budgetMode,
        },
      ),
    );
  }
  return budgets;
}

function toBudgets(
  usdMicros: number | undefined,
  tokens: number | undefined,
  of: {
    readonly spent: Amount;
    readonly reserved: Amount;
    readonly holder: Scope | undefined;
    readonly mode: BudgetMode;
  },
): readonly Budget[] {
  const { holder, mode } = of;
  const asBudget = (unit: Unit, limit: number | undefined): readonly Budget[] => {
    const field = unit === 'usd' ? 'usdMicros' : 'tokens';
    if (limit === undefined) return [];
    return [{ unit, limit, spent: of.spent[field], reserved: of.reserved[field], holder, mode }];
  };
  return [...asBudget('usd', usdMicros), ...asBudget('tokens', tokens)];
}

function raisedLimit(limit: number | undefined, by: number): number | undefined {
  return limit === undefined ? undefined : limit + by;
}

function isWithin({ id }: Scope): (scope: string) => boolean {
  return (scope) =>
    id === ROOT_SCOPE || scope === id || scope.startsWith(`${id}/`) || scope.startsWith(`${id}[`);
}

function reservedAmount(state: RunState, isMeant: (scope: string) => boolean): Amount {
  let usdMicros = 0;
  let tokens = 0;
  for (const [key, reservation] of state.reservations) {
    if (!isMeant(reservation.scope) || !state.effects.has(key)) continue;
    usdMicros += reservation.usdMicros;
    tokens += reservation.tokens;
  }
  return { usdMicros, tokens };
}

/** Events instead of a call that would exceed a budget; undefined when the call is made anyway. */
export function overBudget(
  state: RunState,
  scope: Scope,
  excess: Excess & { readonly cause: ErrorReport | undefined },
): readonly EventBody[] | undefined {
  const visit = visitOf(scope);
  const { holder, mode, limit, spent, wanted, unit } = excess;
  const error = budgetReport(state, scope, excess);
  if (holder === undefined) return [nodeFailed(visit, error)];
  if (mode === 'audit') return undefined;
  const mayAsk = mode === 'ask' && state.hasPeople && !visit.isBudgetRefused;
  if (!mayAsk) return failWorkflow(state, holder, error);
  // by less, the same call would ask again
  const raise = Math.max(limit, spent + wanted - limit);
  return [
    { type: 'budget:paused', limit, spent, unit, holder: holder.id },
    askPerson(state, visit, {
      gate: budgetGate(visit.path),
      prompt: `${error.message}. Raise the budget by ${budgetWords(raise, unit)}, or abort?`,
      options: ['raise', 'abort'],
      budget: { holder: holder.id, limit, unit, ...(raise === limit ? {} : { raise }) },
    }),
  ];
}

/** Given once, in `audit` mode. */
export function auditWarning({ limit, spent, unit, holder }: Excess): EventBody {
  return { type: 'budget:warning', limit, spent, unit, holder: holder?.id ?? '' };
}

function budgetReport(
  state: RunState,
  scope: Scope,
  { limit, spent, wanted, unit, holder, cause }: Parameters<typeof overBudget>[2],
): ErrorReport {
  const { node } = visitOf(scope);
  const isMoney = unit === 'usd';
  const left = Math.max(0, limit - spent);
  return failureAt(state, scope, node, {
    kind: 'limit.budget',
    message: `The next call may ${isMoney ? 'cost' : 'use'} ${budgetWords(wanted, unit)}, and ${budgetWords(left, unit)} of the budget of ${budgetOwner(state, scope, holder)} (${budgetWords(limit, unit)}) ${isMoney ? 'is' : 'are'} left`,
    outcome: 'not_started',
    details: { limit, spent, wanted, unit: isMoney ? 'usdMicros' : 'tokens' },
    // the failure that the call would have retried
    ...(cause === undefined ? {} : { cause }),
  });
}

/** Names the owner of the budget: a node's own budget has no holder. */
export function budgetOwner(state: RunState, scope: Scope, holder: Scope | undefined): string {
  if (holder === undefined) return visitOf(scope).node;
  return holder.parent === undefined ? 'the run' : fileOf(state.plan, holder.file).name;
}

export function budgetWords(amount: number, unit: Unit): string {
  if (unit === 'tokens') return `${amount} tokens`;
  return usdWords(amount);
}
