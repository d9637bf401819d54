/** One leg of a run that others carry on, as whoever asked for it sees it: told by asking again. */
import { setTimeout as after } from 'node:timers/promises';
import { ErrandError, isKind } from '../../errors/errand-error.ts';
import type { ErrorReport } from '../../errors/report.ts';
import { toReport } from '../../errors/to-report.ts';
import { readProperty, type JsonValue } from '../../errors/json.ts';
import { causeChain } from '../../errors/cause-chain.ts';
import type { RunEvent } from '../../machine/events.ts';
import { standingAt, type RunHandle, type RunOptions, type RunResult } from '../leg.ts';
import { arrivedReport, reportOfFailure } from './failure.ts';
import { CANCELLED_BY } from './messages.ts';
import { memoOf, type TemporalReading } from './reading.ts';

/** How often a run is looked at: soon at first, then less and less. */
const LOOK_MS = { first: 30, most: 500 };
const PAUSE_MS = { first: 100, most: 1000 };
const PATIENCE_MS = 60_000;

export interface RemoteLegOptions extends Pick<RunOptions, 'onEvent'> {
  /** Hears that an end came whose last events nobody could tell. */
  readonly onWarning: (error: ErrorReport) => void;
}

export class RemoteLeg implements RunHandle {
  readonly id: string;
  readonly #reading: TemporalReading;
  readonly #options: RemoteLegOptions;
  readonly #firstSeq: number;
  readonly #left = Promise.withResolvers<'left'>();
  readonly #result: Promise<RunResult>;
  #isClosed = false;
  #isLeft = false;

  constructor(
    reading: TemporalReading,
    place: { readonly run: string; readonly firstSeq: number },
    options: RemoteLegOptions,
  ) {
    this.id = place.run;
    this.#reading = reading;
    this.#firstSeq = place.firstSeq;
    this.#options = options;
    this.#result = this.#follow();
    // whoever never asks for the result need not hear that there is none
    this.#result.catch(() => undefined);
  }

  async *events(): AsyncGenerator<RunEvent, void, undefined> {
    for await (const batch of this.#batches()) yield* batch;
  }

  result(): Promise<RunResult> {
    return this.#result;
  }

  cancel(by: string): void {
    const handle = this.#reading.handle(this.id);
    const cancelling = handle.signal(CANCELLED_BY, by).then(() => handle.cancel());
    // it shows in the result whether it was in time
    cancelling.catch(() => undefined);
  }

  /** Stops looking: the run goes on at its workers. */
  stop(): void {
    this.#isLeft = true;
    this.#left.resolve('left');
  }

  /** Where nobody hears the events, only a pause has to be looked for: an end is told. */
  async #follow(): Promise<RunResult> {
    const closed = this.#closed();
    const left = this.#left.promise.then((): RunResult => ({ status: 'interrupted' }));
    const { onEvent } = this.#options;
    const rest = onEvent === undefined ? this.#untilPaused(closed) : this.#tellAll(closed, onEvent);
    // what went wrong on the way is told; a run that never pauses is not waited for
    const paused = rest.then((standing) =>
      standing?.status === 'paused' ? standing : new Promise<never>(() => undefined),
    );
    const result = await Promise.race([closed, left, paused]);
    // the last events are heard before the end is known
    if (result.status !== 'interrupted') await this.#lastHeard(rest);
    return result;
  }

  /** An end is an end, also where the last worker went with it and nobody is left to tell how. */
  async #lastHeard(rest: Promise<unknown>): Promise<void> {
    try {
      await rest;
    } catch (thrown) {
      if (!this.#isClosed || !isKind(thrown, 'store.unavailable')) throw thrown;
      const message = `The run ${this.id} has ended, and no worker is left to tell its last events`;
      this.#options.onWarning(
        toReport(new ErrandError({ kind: 'store.unavailable', message }, { cause: thrown })),
      );
    }
  }

  async #tellAll(
    closed: Promise<unknown>,
    onEvent: NonNullable<RunOptions['onEvent']>,
  ): Promise<RunResult> {
    let last: RunEvent | undefined;
    for await (const batch of this.#batches(closed)) {
      last = batch.at(-1) ?? last;
      for (const event of batch) onEvent(event);
    }
    return standingAt(last);
  }

  /** Temporal's own record is asked, which costs no worker anything. */
  async #untilPaused(closed: Promise<unknown>): Promise<RunResult | undefined> {
    let isOver = false;
    const over = Promise.race([closed, this.#left.promise]).finally(() => (isOver = true));
    // it is told by whoever waits for it
    over.catch(() => undefined);
    for (let waitMs = PAUSE_MS.first; ; waitMs = Math.min(PAUSE_MS.most, waitMs * 1.5)) {
      await Promise.race([after(waitMs), over]);
      if (isOver) return undefined;
      const { memo } = await this.#patiently(() => this.#reading.describe(this.id));
      if (memoOf(this.id, { memo }).status !== 'paused') continue;
      const { lastSeq } = await this.#patiently(() => this.#reading.standing(this.id));
      if (lastSeq < this.#firstSeq) continue;
      const events = await this.#patiently(() => this.#read(lastSeq));
      const standing = standingAt(events.at(-1));
      if (standing.status === 'paused') return standing;
    }
  }

  /** To the end of the leg, or until nobody looks any more. */
  async *#batches(
    closed: Promise<unknown> = new Promise(() => undefined),
  ): AsyncGenerator<readonly RunEvent[], void, undefined> {
    let nextSeq = this.#firstSeq;
    let waitMs = LOOK_MS.first;
    const ifLeft = (thrown: unknown): readonly RunEvent[] => {
      if (this.#isLeft) return [];
      throw thrown;
    };
    for (;;) {
      // one that was ended by force has no event that says so
      const isOver = this.#isClosed;
      const batch = await this.#patiently(() => this.#read(nextSeq)).catch(ifLeft);
      if (batch.length > 0) yield batch;
      nextSeq += batch.length;
      if (isRest(batch.at(-1)) || this.#isLeft || isOver) return;
      waitMs = batch.length > 0 ? LOOK_MS.first : Math.min(LOOK_MS.most, waitMs * 1.5);
      await Promise.race([after(waitMs), closed, this.#left.promise]);
    }
  }

  async #read(fromSeq: number): Promise<readonly RunEvent[]> {
    const events: RunEvent[] = [];
    for await (const page of this.#reading.all(this.id, fromSeq)) events.push(...page.events);
    return events;
  }

  /**
   * A worker may have died just now, or a server; whoever takes over needs a while. Of a run that is
   * over nothing more is to come, so it is asked about once more and no longer waited for; of one that
   * nobody follows any more, not even that.
   */
  async #patiently<T>(look: () => Promise<T>): Promise<T> {
    const endMs = performance.now() + PATIENCE_MS;
    for (;;) {
      const isLast = this.#isClosed || performance.now() > endMs;
      try {
        return await look();
      } catch (thrown) {
        if (!isKind(thrown, 'store.unavailable') || isLast || this.#isLeft) throw thrown;
        await after(LOOK_MS.most);
      }
    }
  }

  /** What the execution ended with. */
  async #closed(): Promise<RunResult> {
    const result = await this.#ended();
    this.#isClosed = true;
    return result;
  }

  async #ended(): Promise<RunResult> {
    try {
      const output = await this.#patiently(() =>
        this.#reading.guarded(this.id, () => this.#reading.handle(this.id).result()),
      );
      // the result of our own workflow
      return { status: 'completed', output: output as JsonValue };
    } catch (thrown) {
      if (isKind(thrown, 'store.*') || isKind(thrown, 'run.*')) throw thrown;
      return failedResult(thrown);
    }
  }
}

/** What a failed, cancelled or terminated execution means. */
function failedResult(thrown: unknown): RunResult {
  const arrived = arrivedReport(thrown);
  if (arrived !== undefined) {
    const { output } = arrived.rest;
    const partial = output === undefined ? {} : { output };
    return { status: 'failed', error: arrived.report, ...partial };
  }
  const names = [...causeChain(thrown)].map((link) => readProperty(link, 'name'));
  if (names.includes('CancelledFailure')) return { status: 'cancelled' };
  // someone ended the execution by force; its events are kept, so the run can be resumed
  if (names.includes('TerminatedFailure') || names.includes('TimeoutFailure'))
    return { status: 'interrupted' };
  return { status: 'failed', error: reportOfFailure(thrown) };
}

function isRest(event: RunEvent | undefined): boolean {
  return event !== undefined && standingAt(event).status !== 'interrupted';
}
