/** Client-side handle for a run that a worker executes; follows it by polling. */
import { setTimeout as after } from 'node:timers/promises';
import { ErrandError, isKind } from '../../errors/thrown/errand-error.ts';
import type { ErrorReport } from '../../errors/report/report.ts';
import { toReport } from '../../errors/thrown/to-report.ts';
import { readProperty, type JsonValue } from '../../errors/support/safe-json.ts';
import { causeChain } from '../../errors/thrown/cause-chain.ts';
import type { RunEvent } from '../../machine/state/events.ts';
import { isRest, resultAt, type RunHandle, type RunOptions, type RunResult } from '../backend.ts';
import { arrivedReport, fromTemporalFailure } from './temporal-failure.ts';
import { CANCELLED_BY, isInLog } from './messages.ts';
import { memoOf, type RunQueries } from './run-queries.ts';

/** Waits between polls: short at first, then longer and longer. */
const POLL_MS = { first: 30, most: 500 };
const PAUSE_MS = { first: 100, most: 1000 };
const PATIENCE_MS = 60_000;

export interface RemoteRunHandleOptions extends Pick<RunOptions, 'onEvent'> {
  /** Called when a run has ended and its last events cannot be read. */
  readonly onWarning: (error: ErrorReport) => void;
}

export class RemoteRunHandle implements RunHandle {
  readonly id: string;
  readonly #queries: RunQueries;
  readonly #options: RemoteRunHandleOptions;
  readonly #firstSeq: number;
  readonly #left = Promise.withResolvers<'left'>();
  readonly #result: Promise<RunResult>;
  #isClosed = false;
  #isLeft = false;
  #isPaused = false;

  constructor(
    reading: RunQueries,
    start: { readonly run: string; readonly firstSeq: number },
    options: RemoteRunHandleOptions,
  ) {
    this.id = start.run;
    this.#queries = reading;
    this.#firstSeq = start.firstSeq;
    this.#options = options;
    this.#result = this.#follow();
    // a caller that never awaits the result gets no unhandled rejection
    this.#result.catch(() => undefined);
  }

  async *events(): AsyncGenerator<RunEvent, void, undefined> {
    for await (const batch of this.#batches()) yield* batch;
  }

  result(): Promise<RunResult> {
    return this.#result;
  }

  cancel(by = 'library'): void {
    const handle = this.#queries.handle(this.id);
    const cancelling = handle.signal(CANCELLED_BY, by).then(() => handle.cancel());
    // the result shows whether it was in time
    cancelling.catch(() => undefined);
  }

  /** Stops following; workers continue the run. */
  stop(): void {
    this.#isLeft = true;
    this.#left.resolve('left');
  }

  /** Without a listener only a pause needs polling; completion resolves by itself. */
  async #follow(): Promise<RunResult> {
    const closed = this.#closed();
    const left = this.#left.promise.then((): RunResult => ({ status: 'interrupted' }));
    const { onEvent } = this.#options;
    const followed =
      onEvent === undefined ? this.#untilPaused(closed) : this.#notifyAll(closed, onEvent);
    // errors of polling are reported here; a run that never pauses is not waited for
    const paused = followed.then((status) =>
      status?.status === 'paused' ? status : new Promise<never>(() => undefined),
    );
    const result = await Promise.race([closed, left, paused]);
    this.#isPaused = result.status === 'paused';
    // the last events come before the result
    if (result.status !== 'interrupted') await this.#lastEventsRead(followed);
    return result;
  }

  /** The end counts also where the last worker is gone and its events cannot be read. */
  async #lastEventsRead(followed: Promise<unknown>): Promise<void> {
    try {
      await followed;
    } catch (thrown) {
      if (!this.#isClosed || !isKind(thrown, 'store.unavailable')) throw thrown;
      const message = `The run ${this.id} has ended, and no worker is left to read its last events from`;
      this.#options.onWarning(
        toReport(new ErrandError({ kind: 'store.unavailable', message }, { cause: thrown })),
      );
    }
  }

  async #notifyAll(
    closed: Promise<unknown>,
    onEvent: NonNullable<RunOptions['onEvent']>,
  ): Promise<RunResult> {
    let last: RunEvent | undefined;
    for await (const batch of this.#batches(closed)) {
      last = batch.at(-1) ?? last;
      for (const event of batch) onEvent(event);
    }
    return resultAt(last);
  }

  /** Reads Temporal's own record, which needs no worker. */
  async #untilPaused(closed: Promise<unknown>): Promise<RunResult | undefined> {
    let isOver = false;
    const over = Promise.race([closed, this.#left.promise]).finally(() => (isOver = true));
    // the call that waits for the end reports it
    over.catch(() => undefined);
    for (let waitMs = PAUSE_MS.first; ; waitMs = Math.min(PAUSE_MS.most, waitMs * 1.5)) {
      await Promise.race([after(waitMs), over]);
      if (isOver) return undefined;
      const { memo } = await this.#patiently(() => this.#queries.describe(this.id));
      if (memoOf(this.id, { memo }).status !== 'paused') continue;
      const last = await this.#patiently(() => this.#queries.last(this.id));
      if (last === undefined || last.seq < this.#firstSeq) continue;
      const latest = resultAt(last);
      if (latest.status === 'paused') return latest;
    }
  }

  /** Reads to the end of the leg, or until the handle is stopped. */
  async *#batches(
    closed: Promise<unknown> = new Promise(() => undefined),
  ): AsyncGenerator<readonly RunEvent[], void, undefined> {
    let nextSeq = this.#firstSeq;
    let waitMs = POLL_MS.first;
    const ifLeft = (thrown: unknown): readonly RunEvent[] => {
      if (this.#isLeft) return [];
      throw thrown;
    };
    for (;;) {
      // an execution that was terminated has no event for its end
      const isOver = this.#isClosed;
      const batch = await this.#patiently(() => this.#read(nextSeq)).catch(ifLeft);
      if (batch.length > 0) yield batch;
      nextSeq += batch.length;
      if (isRest(batch.at(-1)) || this.#isLeft || isOver) return;
      waitMs = batch.length > 0 ? POLL_MS.first : Math.min(POLL_MS.most, waitMs * 1.5);
      await Promise.race([after(waitMs), closed, this.#left.promise]);
    }
  }

  async #read(fromSeq: number): Promise<readonly RunEvent[]> {
    const events: RunEvent[] = [];
    for await (const page of this.#queries.all(this.id, fromSeq)) events.push(...page.events);
    return events;
  }

  /**
   * A worker or a server may have died just now, and its successor needs a while. For a run that is
   * over, one more query is enough; for an answer that is no longer wanted, none.
   */
  async #patiently<T>(query: () => Promise<T>, isWanted = () => !this.#isLeft): Promise<T> {
    const endMs = performance.now() + PATIENCE_MS;
    for (;;) {
      const isLast = this.#isClosed || performance.now() > endMs;
      try {
        return await query();
      } catch (thrown) {
        if (!isKind(thrown, 'store.unavailable') || isLast || !isWanted()) throw thrown;
        await after(POLL_MS.most);
      }
    }
  }

  /** The result of the execution. */
  async #closed(): Promise<RunResult> {
    const result = await this.#ended();
    this.#isClosed = true;
    return result;
  }

  async #ended(): Promise<RunResult> {
    try {
      const output = await this.#patiently(
        () => this.#queries.guarded(this.id, () => this.#queries.handle(this.id).result()),
        // the question outlives the leg that paused, until the connection is closed
        () => !this.#isLeft && !this.#isPaused,
      );
      if (isInLog(output)) return await this.#resultInLog();
      // the result of our own workflow
      return { status: 'completed', output: output as JsonValue };
    } catch (thrown) {
      if (isKind(thrown, 'store.*') || isKind(thrown, 'run.*')) throw thrown;
      const result = failedResult(thrown);
      return result.status === 'failed' && isInLog(result.output) ? this.#resultInLog() : result;
    }
  }

  async #resultInLog(): Promise<RunResult> {
    const last = await this.#patiently(() => this.#queries.last(this.id));
    if (last?.type !== 'run:failed' || last.output === undefined) return resultAt(last);
    return { status: 'failed', error: last.error, output: last.output };
  }
}

/** The result of a failed, cancelled or terminated execution. */
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
  return { status: 'failed', error: fromTemporalFailure(thrown) };
}
