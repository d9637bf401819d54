/**
 * Runs as they are folded from their logs. Folds are kept and continued, so a long log is read
 * once, and afterwards only its new events. The moves of a run need only its saved state; its view
 * needs the whole log, except for a very long resting run, whose page is saved too.
 */
import type { Engine } from '../../engine/errand.ts';
import { RunFold } from '../../engine/run-fold.ts';
import type { FoldedRun } from '../../engine/build-run-page.ts';
import { newView } from '../../engine/shown-run.ts';
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
  /** A run that was deleted and created again is another one. */
  readonly startedAt: string;
  readonly fold: RunFold;
  /** As far as it was asked for. */
  readonly view: RunView;
  /**
   * The view that was saved with the run, without most of its steps; used until events are added.
   */
  readonly saved: RunView | undefined;
}

/** How much of the view of a run is asked for. */
type Wanted = 'none' | 'page' | 'whole';

/** Fewer events are faster to read than a saved run. */
const SAVED_EVENTS = 20_000;
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
    return this.#read(run, 'none');
  }

  /** With the view of it. Rejects with `run.not_found` and `store.*`. */
  viewOf(run: string): Promise<ViewedRun> {
    return this.#read(run, 'whole');
  }

  /** With as much of its view as a page shows at first. Rejects with `run.not_found` and `store.*`. */
  pageOf(run: string): Promise<ViewedRun> {
    return this.#read(run, 'page');
  }

  /** Whether `of` has little to read. */
  has(run: string): boolean {
    return this.#kept.has(run);
  }

  async #read(run: string, wanted: Wanted): Promise<ViewedRun> {
    const before = this.#reading.get(run);
    const reading = (async (): Promise<ViewedRun> => {
      // a reader before this one gets its own failure
      await before?.catch(() => undefined);
      const engine = await this.#engine();
      const record = await engine.record(run);
      const { fold, view, saved } = await this.#advance(engine, record, wanted);
      const { status, waiting } = await engine.summary(run);
      return { record, status, waiting, fold, view: wanted === 'page' ? (saved ?? view) : view };
    })();
    this.#reading.set(run, reading);
    try {
      return await reading;
    } finally {
      if (this.#reading.get(run) === reading) this.#reading.delete(run);
    }
  }

  async #advance(engine: Engine, record: RunRecord, wanted: Wanted): Promise<Kept> {
    const { run, startedAt, head } = record;
    const known = await this.#known(engine, record, wanted);
    const { fold, saved } = known;
    let { view } = known;
    // a fold that failed half way is not kept
    this.#kept.delete(run);
    const isViewed = wanted === 'whole' || (wanted === 'page' && saved === undefined);
    const unread = Math.max(1, fold.last === undefined ? fold.seq : fold.seq + 1);
    const from = isViewed ? Math.min(unread, view.seq + 1) : unread;
    if (from < head.nextSeq)
      for await (const events of engine.commits(run, from))
        for (const event of events) {
          fold.add(event);
          if (isViewed) view = reduceView(view, eventForPerson(event));
        }
    for (const seq of fold.missing()) fold.add(await this.#event(engine, run, seq));
    const kept = { startedAt, fold, view, saved };
    this.#keep(run, kept);
    return kept;
  }

  /** The run as it was read before, or as it was saved. */
  async #known(engine: Engine, record: RunRecord, wanted: Wanted): Promise<Kept> {
    const { run, startedAt, head } = record;
    const last = head.nextSeq - 1;
    const before = this.#kept.get(run);
    const kept = before?.startedAt === startedAt && before.fold.seq <= last ? before : undefined;
    const unseen = last - (kept?.view.seq ?? 0);
    const isFar = wanted === 'page' && unseen >= SAVED_EVENTS && kept?.saved?.seq !== last;
    const resting = kept === undefined || isFar ? await engine.checkpoint(run) : undefined;
    const saved = resting?.view ?? kept?.saved;
    return {
      startedAt,
      fold: kept?.fold ?? new RunFold(record, resting?.state),
      view: kept?.view ?? newView(record),
      // it lacks steps, so nothing is added to it
      saved: saved?.seq === last ? saved : undefined,
    };
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
