/** Text of models while it comes, passed on to those who follow the run. Nothing of it is kept. */
import type { Progress } from '../../engine/run/running-effects.ts';

export class Chunks {
  readonly #listeners = new Map<string, Set<(progress: Progress) => void>>();

  /** Called with the progress of every run of this process. */
  note(progress: Progress): void {
    for (const listener of this.#listeners.get(progress.run) ?? []) listener(progress);
  }

  /** Returns what ends it. */
  listen(run: string, listener: (progress: Progress) => void): () => void {
    const listeners = this.#listeners.get(run) ?? new Set();
    this.#listeners.set(run, listeners.add(listener));
    return () => {
      listeners.delete(listener);
      if (listeners.size === 0) this.#listeners.delete(run);
    };
  }
}
