/** A run that is there already, as whoever asked for it by its id sees it; others may carry it on. */
import type { RunEvent } from '../machine/events.ts';
import { followRun, latestLeg, type Following } from './follow.ts';
import { standingAt, type RunHandle, type RunResult } from './leg.ts';

export interface StoredHandleParts extends Following {
  readonly cancel: (by: string) => void;
  /** Whether the store is closed, so that nothing more can be heard. */
  readonly isClosed: () => boolean;
}

export class StoredHandle implements RunHandle {
  readonly id: string;
  readonly #parts: StoredHandleParts;
  readonly #left = Promise.withResolvers<void>();
  #isLeft = false;
  #result: Promise<RunResult> | undefined;

  constructor(parts: StoredHandleParts) {
    this.id = parts.run;
    this.#parts = parts;
  }

  async *events(): AsyncGenerator<RunEvent, void, undefined> {
    for await (const batch of this.#batches()) yield* batch;
  }

  result(): Promise<RunResult> {
    return (this.#result ??= this.#rest());
  }

  cancel(by: string): void {
    this.#parts.cancel(by);
  }

  /** Stops looking: whoever has the run keeps it. */
  stop(): void {
    this.#isLeft = true;
    this.#left.resolve();
  }

  async #rest(): Promise<RunResult> {
    let last: RunEvent | undefined;
    for await (const batch of this.#batches()) last = batch.at(-1) ?? last;
    return standingAt(last);
  }

  /** Of the latest leg; nothing more once nobody looks, or nothing can be looked at. */
  async *#batches(): AsyncGenerator<readonly RunEvent[], void, undefined> {
    const wait = (ms: number): Promise<unknown> =>
      Promise.race([this.#parts.wait(ms), this.#left.promise]);
    let isFirst = true;
    try {
      for await (const batch of followRun({ ...this.#parts, wait })) {
        yield isFirst ? latestLeg(batch) : batch;
        isFirst = false;
        if (this.#isLeft) return;
      }
    } catch (thrown) {
      // the run is as safe as it was; only nobody here can follow it any more
      if (!this.#parts.isClosed()) throw thrown;
    }
  }
}
