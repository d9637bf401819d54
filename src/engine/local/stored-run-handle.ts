/** Handle of a run that exists already, and that another process may execute; follows its log. */
import type { RunEvent } from '../../machine/state/events.ts';
import type { ErrorReport } from '../../errors/report/report.ts';
import { isKind } from '../../errors/thrown/errand-error.ts';
import { toReport } from '../../errors/thrown/to-report.ts';
import { latestLeg, resultAt, type Backend, type RunHandle, type RunResult } from '../backend.ts';
import { followRun, type FollowOptions } from './follow-log.ts';

export interface StoredRunHandleParts extends FollowOptions {
  readonly cancel: (by?: string) => void;
  /** Whether the store is closed, so that nothing more can be read. */
  readonly isClosed: () => boolean;
}

/** Cancels for a handle, which does not wait: the result of the run shows whether it was in time. */
export function cancelsLater(
  backend: Pick<Backend, 'cancel'>,
  warn: (error: ErrorReport) => void,
): (run: string, by?: string) => void {
  return (run, by = 'library') => {
    backend.cancel(run, by).catch((thrown: unknown) => {
      if (!isKind(thrown, 'run.already_ended')) warn(toReport(thrown));
    });
  };
}

export class StoredRunHandle implements RunHandle {
  readonly id: string;
  readonly #parts: StoredRunHandleParts;
  readonly #left = Promise.withResolvers<void>();
  #isLeft = false;
  #result: Promise<RunResult> | undefined;

  constructor(parts: StoredRunHandleParts) {
    this.id = parts.run;
    this.#parts = parts;
  }

  async *events(): AsyncGenerator<RunEvent, void, undefined> {
    for await (const batch of this.#batches()) yield* batch;
  }

  result(): Promise<RunResult> {
    return (this.#result ??= this.#followToEnd());
  }

  cancel(by?: string): void {
    this.#parts.cancel(by);
  }

  /** Stops following; the process that executes the run keeps it. */
  stop(): void {
    this.#isLeft = true;
    this.#left.resolve();
  }

  async #followToEnd(): Promise<RunResult> {
    let last: RunEvent | undefined;
    for await (const batch of this.#batches()) last = batch.at(-1) ?? last;
    return resultAt(last);
  }

  /** The batches of the latest leg, until the handle is stopped or the store is closed. */
  async *#batches(): AsyncGenerator<readonly RunEvent[], void, undefined> {
    const wait = (ms: number): Promise<unknown> =>
      Promise.race([this.#parts.wait(ms), this.#left.promise]);
    const isLeft = (): boolean => this.#isLeft || this.#parts.isClosed();
    let isFirst = true;
    try {
      for await (const batch of followRun({ ...this.#parts, wait, isLeft })) {
        yield isFirst ? latestLeg(batch) : batch;
        isFirst = false;
      }
    } catch (thrown) {
      // the run is safe; it only cannot be followed from here any more
      if (!this.#parts.isClosed()) throw thrown;
    }
  }
}
