/**
 * The newest runs of what Temporal lists. It lists open executions by their start and closed ones by their
 * end, the latest first, and cannot be asked for another order; a run is never older than it says there, so
 * the reading ends early.
 */
import type { RunSummary } from '../../../machine/ports/store-port.ts';
import type { WorkflowDescription } from '../temporal-sdk.ts';

/** A run has its start by the clock of its client, an execution has its times by that of the server. */
const MAX_SKEW_MS = 60_000;

export class NewestRuns {
  readonly #limit: number;
  readonly #found: RunSummary[] = [];

  constructor(limit: number) {
    this.#limit = limit;
  }

  add(run: RunSummary): void {
    this.#found.push(run);
    if (this.#found.length < this.#limit) return;
    this.#found.sort(byNewest);
    this.#found.splice(this.#limit);
  }

  /** Whether no run of this execution, nor of those that Temporal lists after it, can be among them. */
  isComplete({
    startTime,
    closeTime,
  }: Pick<WorkflowDescription, 'startTime' | 'closeTime'>): boolean {
    const last = this.#found[this.#limit - 1];
    const latestMs = (closeTime ?? startTime).getTime() + MAX_SKEW_MS;
    return last !== undefined && Date.parse(last.startedAt) > latestMs;
  }

  all(): readonly RunSummary[] {
    return this.#found.toSorted(byNewest);
  }
}

/** Negative where the first is newer; runs of the same moment have an order too. */
export function byNewest(one: RunSummary, other: RunSummary): number {
  const ms = Date.parse(other.startedAt) - Date.parse(one.startedAt);
  if (ms !== 0) return ms;
  return one.run < other.run ? 1 : Number(one.run !== other.run) * -1;
}
