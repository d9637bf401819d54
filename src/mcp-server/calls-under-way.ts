/** The calls that a server is answering: one that stops lets them end first. */
import { setImmediate as turn, setTimeout as delay } from 'node:timers/promises';

/** A call that takes longer than this after the server has begun to stop is not waited for. */
const LONGEST_MS = 1000;

export class CallsUnderWay {
  readonly #open = new Set<Promise<unknown>>();

  async add<T>(call: Promise<T>): Promise<T> {
    this.#open.add(call);
    try {
      return await call;
    } finally {
      this.#open.delete(call);
    }
  }

  /** Resolves when their answers are written. */
  async settled(): Promise<void> {
    if (this.#open.size === 0) return;
    const tooLong = new AbortController();
    const late = delay(LONGEST_MS, undefined, { signal: tooLong.signal }).catch(() => undefined);
    await Promise.race([Promise.allSettled(this.#open), late]);
    tooLong.abort();
    // the package writes an answer after the call has ended
    await turn();
  }
}
