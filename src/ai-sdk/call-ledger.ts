/** The ledger of one call: a row for each attempt as it ends, and the failed ones for its report. */
import type { AttemptSummary, ErrorReport } from '../errors/report/report.ts';
import type { Used } from '../providers/pricing/counted-usage.ts';
import { rowOf, summaryOf, type AttemptRow } from './attempt-row.ts';
import type { Chain, Entry } from './chain-options.ts';

export class CallLedger<Model> {
  readonly #chain: Pick<Chain<Model>, 'clock' | 'onAttempt'>;
  readonly #rows: AttemptRow[] = [];
  readonly #failures: AttemptSummary[] = [];

  constructor(chain: Pick<Chain<Model>, 'clock' | 'onAttempt'>) {
    this.#chain = chain;
  }

  get rows(): readonly AttemptRow[] {
    return this.#rows;
  }

  /** As the report of the call lists them. */
  get failures(): readonly AttemptSummary[] {
    return this.#failures;
  }

  get spentUsdMicros(): number {
    return this.#rows.reduce((sum, row) => sum + row.costUsdMicros, 0);
  }

  add(
    { entry, startedMs }: { readonly entry: Entry<Model>; readonly startedMs: number },
    used: Used,
    error?: ErrorReport,
  ): void {
    const { clock, onAttempt } = this.#chain;
    const row = rowOf({
      target: entry.target,
      attempt: this.#rows.length,
      price: entry.price,
      used,
      latencyMs: clock.now() - startedMs,
      error,
    });
    this.#rows.push(row);
    if (error !== undefined) this.#failures.push(summaryOf(row, error));
    onAttempt?.(row);
  }
}
