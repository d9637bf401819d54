/** Passes streamed text of models on to the followers of the run. Nothing of it is kept. */
import type { Progress } from '../../engine/run/running-effects.ts';
import type { RunEvent } from '../../machine/state/events.ts';

/** `seq`: the number of the last event before it; undefined where none has been seen. */
export type ChunkListener = (progress: Progress, seq: number | undefined) => void;

interface Followed {
  readonly listeners: Set<ChunkListener>;
  lastSeq: number | undefined;
}

export class Chunks {
  readonly #followed = new Map<string, Followed>();

  /** Called with every event of this process. */
  noteEvent({ run, seq }: Pick<RunEvent, 'run' | 'seq'>): void {
    const followed = this.#followed.get(run);
    if (followed !== undefined) followed.lastSeq = seq;
  }

  /** Called with the progress of every run of this process. */
  note(progress: Progress): void {
    const { listeners, lastSeq } = this.#followed.get(progress.run) ?? {};
    for (const listener of listeners ?? []) listener(progress, lastSeq);
  }

  /** Returns what ends it. */
  listen(run: string, listener: ChunkListener): () => void {
    const followed = this.#followed.get(run) ?? { listeners: new Set(), lastSeq: undefined };
    followed.listeners.add(listener);
    this.#followed.set(run, followed);
    return () => {
      followed.listeners.delete(listener);
      if (followed.listeners.size === 0) this.#followed.delete(run);
    };
  }
}
