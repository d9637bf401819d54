/** Cost ledger of a run: one row for each call of each effect, including failed and abandoned ones. */
import type { RunEvent } from '../machine/state/events.ts';
import { beginView, foldView } from './run-view.ts';
import { openRow, type LedgerRow } from './run-view/ledger-row.ts';
import type { ViewCosts } from './run-view/view.ts';

export interface Costs {
  readonly totalUsdMicros: number;
  readonly failedUsdMicros: number;
  readonly attempts: readonly LedgerRow[];
}

export function costsOf(events: Iterable<RunEvent>): Costs {
  return ledgerOf(foldView(beginView({ run: '', workflow: '', startedAt: '' }), events).costs);
}

/** Calls that were requested and have not ended count with their estimates. */
export function ledgerOf({ total, rows, open }: ViewCosts): Costs {
  const estimated = open.map(openRow);
  const reserved = estimated.reduce((sum, row) => sum + row.costUsdMicros, 0);
  return {
    totalUsdMicros: total.usdMicros + reserved,
    failedUsdMicros: total.failedUsdMicros + reserved,
    attempts: [...rows, ...estimated],
  };
}
