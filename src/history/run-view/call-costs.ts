/** Costs of a view: each call with its row, and sums by node and by what was called. */
import type { RunEvent } from '../../machine/state/events.ts';
import { NO_ITEMS } from './bars.ts';
import { isExecuted, isWords, openRow, rowOf, type LedgerRow } from './ledger-row.ts';
import type { CostSum, PendingCall, StepView, ViewCosts } from './view.ts';

type Requested = Extract<RunEvent, { type: 'effect:requested' }>;
type Settled = Extract<RunEvent, { type: 'effect:succeeded' | 'effect:failed' }>;

const NOTHING: CostSum = { calls: 0, usdMicros: 0, failedUsdMicros: 0, tokens: 0 };

export const NO_COSTS: ViewCosts = {
  total: NOTHING,
  byNode: [],
  byTarget: [],
  rows: NO_ITEMS,
  open: [],
  sentBack: [],
};

/**
 * Begins a call. If it was under way already, its process has died, and the first call has no
 * result.
 */
export function beginCall(costs: ViewCosts, event: Requested): ViewCosts {
  const lost = costs.open.find(({ key }) => key === event.effect.key);
  const call = callOf(event, lost);
  if (lost === undefined) return { ...costs, open: [...costs.open, call] };
  const open = costs.open.map((each) => (each === lost ? call : each));
  return { ...withRow(costs, openRow(lost)), open };
}

export function callOf(event: Requested, lost?: PendingCall): PendingCall {
  const { node, path, effect, attempt, at, seq } = event;
  // the same call, so its reserved amount is the same
  const reserves = event.reserves ?? lost?.reserves;
  return {
    node,
    path,
    ...effect,
    attempt,
    at,
    seq,
    ...(reserves === undefined ? {} : { reserves }),
    ...(event.judges === true ? { judges: true } : {}),
  };
}

/** Ends a call; `row` is its own, if something was executed for it. */
export function endCall(
  costs: ViewCosts,
  event: Settled,
): { readonly costs: ViewCosts; readonly row: LedgerRow | undefined } {
  const requested = costs.open.find(({ key }) => key === event.effect.key);
  const open =
    requested === undefined ? costs.open : costs.open.filter((each) => each !== requested);
  if (!isExecuted(event)) return { costs: { ...costs, open }, row: undefined };
  const row = rowOf(event, requested);
  return { costs: { ...withRow(costs, row), open }, row };
}

/** Remembers the latest reply in words: it may still be sent back. */
export function withAnswer(
  step: StepView,
  event: Settled,
  { rows, isVerdict }: { readonly rows: number; readonly isVerdict: boolean },
): StepView {
  const answerRow = rows - 1;
  if (isWords(event)) return { ...step, answerRow, ...(isVerdict ? {} : { judgedRow: answerRow }) };
  return event.effect.type === 'model' ? { ...step, answerRow: undefined } : step;
}

/** Counts the reply of that row as lost, because it was useless. */
export function sendBack(costs: ViewCosts, at: number): ViewCosts {
  const row = costs.rows.at(at);
  if (row === undefined || row.outcome !== 'succeeded' || costs.sentBack.includes(at)) return costs;
  const lost = { ...NOTHING, failedUsdMicros: row.costUsdMicros };
  return { ...summed(costs, row, lost), sentBack: [...costs.sentBack, at] };
}

function withRow(costs: ViewCosts, row: LedgerRow): ViewCosts {
  const sum: CostSum = {
    calls: 1,
    usdMicros: row.costUsdMicros,
    failedUsdMicros: row.outcome === 'succeeded' ? 0 : row.costUsdMicros,
    tokens: row.inputTokens + row.outputTokens,
    ...(row.estimated ? { estimated: true } : {}),
    ...(row.unpriced === true ? { unpriced: true } : {}),
  };
  return { ...summed(costs, row, sum), rows: costs.rows.add(row) };
}

function summed(costs: ViewCosts, { node, type, target }: LedgerRow, sum: CostSum): ViewCosts {
  return {
    ...costs,
    total: plus(costs.total, sum),
    byNode: added(costs.byNode, { ...NOTHING, name: node }, sum, (each) => each.name === node),
    byTarget: added(
      costs.byTarget,
      { ...NOTHING, name: target, type },
      sum,
      (each) => each.name === target && each.type === type,
    ),
  };
}

function added<T extends CostSum>(
  sums: readonly T[],
  first: T,
  sum: CostSum,
  fits: (each: T) => boolean,
): readonly T[] {
  const at = sums.findIndex(fits);
  const known = sums[at];
  return known === undefined
    ? [...sums, { ...first, ...plus(first, sum) }]
    : sums.with(at, { ...known, ...plus(known, sum) });
}

function plus(a: CostSum, b: CostSum): CostSum {
  return {
    calls: a.calls + b.calls,
    usdMicros: a.usdMicros + b.usdMicros,
    failedUsdMicros: a.failedUsdMicros + b.failedUsdMicros,
    tokens: a.tokens + b.tokens,
    ...(a.estimated === true || b.estimated === true ? { estimated: true } : {}),
    ...(a.unpriced === true || b.unpriced === true ? { unpriced: true } : {}),
  };
}
