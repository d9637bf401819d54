/**
 * Runs as they are folded from their logs. A fold is kept and continued, so a long log is read once and
 * after that only what was added to it.
 */
import type { Engine } from '../../engine/errand.ts';
import { RunFold } from '../../engine/run-fold.ts';
import type { FoldedRun } from '../../engine/run-page.ts';

interface Kept {
  readonly fold: RunFold;
  /** A run that was deleted and made again is another one. */
  readonly startedAt: string;
}

/** Events in all folds that are kept. */
const MOST_EVENTS = 400_000;
const MOST_RUNS = 100;

export class RunFolds {
  readonly #engine: () => Promise<Engine>;
  readonly #kept = new Map<string, Kept>();
  /** One reader of a log at a time. */
  readonly #reading = new Map<string, Promise<unknown>>();

  constructor(engine: () => Promise<Engine>) {
    this.#engine = engine;
  }

  /** Rejects with `run.not_found` and `store.*`. */
  async of(run: string): Promise<FoldedRun> {
    const before = this.#reading.get(run);
    const reading = this.#read(run, before);
    this.#reading.set(run, reading);
    try {
      return await reading;
    } finally {
      if (this.#reading.get(run) === reading) this.#reading.delete(run);
    }
  }

  async #read(run: string, before: Promise<unknown> | undefined): Promise<FoldedRun> {
    // a reader before this one gets its own failure
    await before?.catch(() => undefined);
    const engine = await this.#engine();
    const record = await engine.record(run);
    const { status } = await engine.summary(run);
    const known = this.#kept.get(run);
    const isSame =
      known?.startedAt === record.startedAt && known.fold.view.seq < record.head.nextSeq;
    const fold = isSame ? known.fold : new RunFold(record);
    // a fold that failed half way is not kept
    this.#kept.delete(run);
    if (fold.view.seq + 1 < record.head.nextSeq)
      for await (const event of engine.history(run, fold.view.seq + 1)) fold.add(event);
    this.#keep(run, { fold, startedAt: record.startedAt });
    return { record, status, fold };
  }

  #keep(run: string, kept: Kept): void {
    this.#kept.set(run, kept);
    let events = 0;
    for (const { fold } of this.#kept.values()) events += fold.view.seq;
    for (const [oldest, { fold }] of this.#kept) {
      if (this.#kept.size <= 1) return;
      if (events <= MOST_EVENTS && this.#kept.size <= MOST_RUNS) return;
      this.#kept.delete(oldest);
      events -= fold.view.seq;
    }
  }
}
