/**
 * Runs as they are folded from their logs. Folds are kept and continued, so a long log is read once and
 * after that only what was added to it. What can be done with a run needs no more than what was saved of
 * it; its view needs the whole log.
 */
import type { Engine } from '../../engine/errand.ts';
import { RunFold } from '../../engine/run-fold.ts';
import type { FoldedRun } from '../../engine/run-page.ts';
import { newView } from '../../engine/run-view.ts';
import { ErrandError } from '../../errors/thrown/errand-error.ts';
import { reduceView } from '../../history/run-view.ts';
import { eventForPerson } from '../../history/run-view/event-for-person.ts';
import type { RunView } from '../../history/run-view/view.ts';
import type { RunRecord } from '../../machine/ports/store-port.ts';
import type { RunEvent } from '../../machine/state/events.ts';

export interface ViewedRun extends FoldedRun {
  readonly view: RunView;
}

interface Kept {
  /** A run that was deleted and made again is another one. */
  readonly startedAt: string;
  readonly fold: RunFold;
  /** As far as it was asked for. */
  readonly view: RunView;
}

/** Events in all views that are kept. */
const MOST_EVENTS = 400_000;
const MOST_RUNS = 200;

export class RunFolds {
  readonly #engine: () => Promise<Engine>;
  readonly #kept = new Map<string, Kept>();
  /** One reader of a log at a time. */
  readonly #reading = new Map<string, Promise<unknown>>();

  constructor(engine: () => Promise<Engine>) {
    this.#engine = engine;
  }

  /** Rejects with `run.not_found` and `store.*`. */
  of(run: string): Promise<FoldedRun> {
    return this.#inTurn(run, async (engine, record) => {
      const { fold } = await this.#advance(engine, record, { isViewed: false });
      return { record, status: (await engine.summary(run)).status, fold };
    });
  }

  /** With the view of it. Rejects with `run.not_found` and `store.*`. */
  viewOf(run: string): Promise<ViewedRun> {
    return this.#inTurn(run, async (engine, record) => {
      const { fold, view } = await this.#advance(engine, record, { isViewed: true });
      return { record, status: (await engine.summary(run)).status, fold, view };
    });
  }

  /** Whether `of` has little to read. */
  has(run: string): boolean {
    return this.#kept.has(run);
  }

  async #inTurn<T>(
    run: string,
    read: (engine: Engine, record: RunRecord) => Promise<T>,
  ): Promise<T> {
    const before = this.#reading.get(run);
    const reading = (async (): Promise<T> => {
      // a reader before this one gets its own failure
      await before?.catch(() => undefined);
      const engine = await this.#engine();
      return read(engine, await engine.record(run));
    })();
    this.#reading.set(run, reading);
    try {
      return await reading;
    } finally {
      if (this.#reading.get(run) === reading) this.#reading.delete(run);
    }
  }

  async #advance(
    engine: Engine,
    record: RunRecord,
    { isViewed }: { readonly isViewed: boolean },
  ): Promise<Kept> {
    const { run, startedAt, head } = record;
    const known = this.#kept.get(run);
    const isSame = known?.startedAt === startedAt && known.fold.seq < head.nextSeq;
    const fold = isSame ? known.fold : new RunFold(record, await engine.checkpoint(run));
    let view = (isSame ? known.view : undefined) ?? newView(record);
    // a fold that failed half way is not kept
    this.#kept.delete(run);
    const unread = Math.max(1, fold.last === undefined ? fold.seq : fold.seq + 1);
    const from = isViewed ? Math.min(unread, view.seq + 1) : unread;
    if (from < head.nextSeq)
      for await (const events of engine.commits(run, from))
        for (const event of events) {
          fold.add(event);
          if (isViewed) view = reduceView(view, eventForPerson(event));
        }
    for (const seq of fold.missing()) fold.add(await this.#event(engine, run, seq));
    const kept = { startedAt, fold, view };
    this.#keep(run, kept);
    return kept;
  }

  async #event(engine: Engine, run: string, seq: number): Promise<RunEvent> {
    for await (const event of engine.history(run, seq)) return event;
    throw new ErrandError({
      kind: 'store.corrupt',
      message: `The log of ${run} has no event ${seq}`,
    });
  }

  #keep(run: string, kept: Kept): void {
    this.#kept.delete(run);
    this.#kept.set(run, kept);
    let events = 0;
    for (const { view } of this.#kept.values()) events += view.seq;
    for (const [oldest, { view }] of this.#kept) {
      if (this.#kept.size <= 1) return;
      if (events <= MOST_EVENTS && this.#kept.size <= MOST_RUNS) return;
      this.#kept.delete(oldest);
      events -= view.seq;
    }
  }
}
