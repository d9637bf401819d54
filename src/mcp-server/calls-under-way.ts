/** The calls that a server is answering: a server that stops lets them end first. */
import { setImmediate as turn, setTimeout as delay } from 'node:timers/promises';

/** The longest wait for a call after the server has begun to stop. */
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

  /** Resolves when the answers of the calls are written. */
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
