/** The streams of a server that are open: how many there may be, and the last event of each when the server stops. */
import { ErrandError } from '../../errors/thrown/errand-error.ts';

const MOST = 1024;

export class OpenStreams {
  readonly #open = new Set<() => void>();
  readonly #over = new AbortController();

  get isOver(): boolean {
    return this.over.aborted;
  }

  /** Aborted when the server stops. */
  get over(): AbortSignal {
    return this.#over.signal;
  }

  get size(): number {
    return this.#open.size;
  }

  /** Throws `request.limited` when there are too many. Returns what removes it again. */
  add(onShutdown: () => void): () => void {
    if (this.#open.size >= MOST)
      throw new ErrandError({
        kind: 'request.limited',
        message: `The server has ${MOST} streams open, which is the most it holds`,
        details: { retryAfterMs: 5000 },
      });
    this.#open.add(onShutdown);
    if (this.isOver) onShutdown();
    return () => this.#open.delete(onShutdown);
  }

  /** Tells every stream that the server stops. */
  stop(): void {
    if (this.isOver) return;
    this.#over.abort();
    for (const tell of this.#open) tell();
  }
}
