/**
 * Runs as the server reads them: pages of the log, status, and a digest of the run's waits. A
 * digest takes the whole log, so it is kept until the run has changed.
 */
import type { EffectClock } from '../../effects/clock.ts';
import type { Engine } from '../../engine/errand.ts';
import { attentionOf, peopleIn, type Attention, type RunNeeds } from '../../history/attention.ts';
import { rowRetry, type RowRetry } from '../../history/run-row.ts';
import type { OpenQuestion } from '../../history/open-questions.ts';
import type { RunStatusName, RunSummary } from '../../machine/ports/store-port.ts';
import type { RunEvent } from '../../machine/state/events.ts';
import { FailurePlaces } from './failure-places.ts';
import { RunChanges } from './run-changes.ts';
import type { RunFolds } from './run-folds.ts';

export interface RunReaderOptions {
  readonly engine: () => Promise<Engine>;
  readonly clock: EffectClock;
  readonly folds: RunFolds;
}

/** The waits of a run and its questions to people. */
export interface RunDigest {
  readonly needs: RunNeeds;
  readonly questions: readonly OpenQuestion[];
  /** When each was asked, by its `opening`. */
  readonly askedAt: ReadonlyMap<number, string>;
}

interface KeptDigest {
  readonly digest: RunDigest;
  /** The row of the store that it was made for. */
  readonly key: string;
  readonly atMs: number;
}

/** Runs whose digest is kept. */
const MAX_KEPT = 2000;
/** A run that another process executes changes without a change of its row. */
const RUNNING_MS = 250;

export class RunReader {
  readonly changes: RunChanges;
  /** Where failed runs failed. */
  readonly places: FailurePlaces;
  readonly #options: RunReaderOptions;
  readonly #kept = new Map<string, KeptDigest>();

  constructor(options: RunReaderOptions) {
    this.#options = options;
    this.places = new FailurePlaces({
      lastSeq: (run) => this.#lastSeq(run),
      eventsAfter: (run, seq) => this.page(run, seq, { events: 1 }),
    });
    this.changes = new RunChanges({
      clock: options.clock,
      hasMore: async (run, seq) => (await this.page(run, seq, { events: 1 })).length > 0,
      statusOf: async (run) => (await this.summary(run)).status,
    });
  }

  /** Called with every event of this process. */
  note(event: RunEvent): void {
    this.#kept.delete(event.run);
    this.changes.note(event);
  }

  /** Rejects with `run.not_found`. */
  async summary(run: string): Promise<RunSummary> {
    return (await this.#options.engine()).summary(run);
  }

  /** The next events after that one, up to a limit. */
  async page(
    run: string,
    after: number,
    { events: most }: { readonly events: number },
  ): Promise<readonly RunEvent[]> {
    const engine = await this.#options.engine();
    const page: RunEvent[] = [];
    for await (const event of engine.history(run, after + 1)) {
      page.push(event);
      if (page.length >= most) break;
    }
    return page;
  }

  async attention(summary: RunSummary): Promise<Attention> {
    const { status } = summary;
    return shownAttention(summary) ?? attentionOf(status, (await this.digest(summary)).needs);
  }

  /** The next try of a run that is running; a paused run has it in its row. */
  async nextTry(summary: RunSummary): Promise<RowRetry | undefined> {
    if (summary.status !== 'running') return undefined;
    const { nextTry } = (await this.digest(summary)).needs;
    return nextTry === undefined ? undefined : rowRetry(nextTry);
  }

  async digest(summary: RunSummary): Promise<RunDigest> {
    const { run, status, waiting, costUsdMicros } = summary;
    const key = JSON.stringify([status, waiting, costUsdMicros]);
    const nowMs = this.#options.clock.now();
    const known = this.#kept.get(run);
    const isFresh = status !== 'running' || nowMs - (known?.atMs ?? 0) < RUNNING_MS;
    if (known?.key === key && isFresh) return known.digest;
    const { fold } = await this.#options.folds.of(run);
    const digest = { needs: fold.needs(), questions: fold.questions(), askedAt: fold.askedAt() };
    this.#keep(run, { digest, key, atMs: nowMs });
    return digest;
  }

  /** Resolves when the run has ended or paused, after that time, or when the signal is aborted. */
  async waitWhileRunning(run: string, waitMs: number, signal: AbortSignal): Promise<void> {
    const { clock } = this.#options;
    const over = new AbortController();
    const cancelTimer = clock.after(waitMs, () => over.abort());
    const either = AbortSignal.any([signal, over.signal]);
    try {
      while (!either.aborted) {
        const { status } = await this.summary(run);
        if (status !== 'running') return;
        await this.changes.changed(run, { seq: await this.#lastSeq(run), status }, either);
      }
    } finally {
      cancelTimer();
    }
  }

  /** Resolves to the first event after that one that fits; undefined after that time. */
  async eventAfter(
    run: string,
    seq: number,
    { fits, waitMs }: { readonly fits: (event: RunEvent) => boolean; readonly waitMs: number },
  ): Promise<RunEvent | undefined> {
    const over = new AbortController();
    const cancelTimer = this.#options.clock.after(waitMs, () => over.abort());
    let last = seq;
    try {
      for (;;) {
        const page = await this.page(run, last, { events: 1000 });
        const found = page.find(fits);
        if (found !== undefined || (over.signal.aborted && page.length === 0)) return found;
        last = page.at(-1)?.seq ?? last;
        if (page.length === 0) await this.changes.changed(run, { seq: last }, over.signal);
      }
    } finally {
      cancelTimer();
    }
  }

  async #lastSeq(run: string): Promise<number> {
    const engine = await this.#options.engine();
    return (await engine.record(run)).head.nextSeq - 1;
  }

  #keep(run: string, kept: KeptDigest): void {
    this.#kept.delete(run);
    this.#kept.set(run, kept);
    const first = this.#kept.keys().next();
    if (this.#kept.size > MAX_KEPT && first.done !== true) this.#kept.delete(first.value);
  }
}

/** The part that the row of a run shows by itself; undefined if its log has to be read. */
export function shownAttention({ status, waiting }: RunSummary): Attention | undefined {
  if (status === 'running') return undefined;
  if (status !== 'paused') return attentionOf(status);
  // the row of a paused run shows who is waited for
  return peopleIn((waiting?.all ?? []).map(({ reason }) => reason));
}

/** Whether a run in this status executes nothing now. */
export function isResting(status: RunStatusName): boolean {
  return status !== 'running';
}
