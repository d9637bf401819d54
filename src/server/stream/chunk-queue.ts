/**
 * Text that waits for one reader, each piece at its place in the log. A slow reader loses text
 * first; a reader that has seen some of a text always learns that it no longer counts.
 */
import type { Progress } from '../../engine/run/running-effects.ts';
import { isPlainObject } from '../../errors/support/safe-json.ts';
import type { StreamEvent } from './sse.ts';

/** Pieces that wait; more are dropped. */
const MAX_WAITING = 256;

interface Waiting extends StreamEvent {
  /** The number of the event that it comes after. */
  readonly after: number;
  readonly key: string;
}

export class ChunkQueue {
  #waiting: Waiting[] = [];
  /** Attempts of which the reader has seen text. */
  readonly #seen = new Set<string>();

  /** Returns whether the reader gets something of it. */
  add({ path, value }: Progress, after: number): boolean {
    if (!isPlainObject(value)) return false;
    const { type, attempt, delta } = value;
    const key = JSON.stringify([path, attempt]);
    if (type === 'text' && typeof delta === 'string') {
      if (this.#waiting.length >= MAX_WAITING) return false;
      this.#waiting.push({ after, key, event: 'chunk', data: { path, attempt, text: delta } });
      return true;
    }
    if (type !== 'retracted') return false;
    // text that the reader has not seen yet need not be taken back
    this.#waiting = this.#waiting.filter((each) => each.key !== key);
    if (!this.#seen.delete(key)) return false;
    this.#waiting.push({ after, key, event: 'chunk.retracted', data: { path, attempt } });
    return true;
  }

  hasBefore(seq: number): boolean {
    return this.#waiting.some(({ after }) => after < seq);
  }

  /** Takes out the pieces before the event of that number. */
  takeBefore(seq: number): readonly StreamEvent[] {
    const taken = this.#waiting.filter(({ after }) => after < seq);
    this.#waiting = this.#waiting.filter(({ after }) => after >= seq);
    return taken.map(({ event, data, key }) => {
      if (event === 'chunk') this.#seen.add(key);
      return { event, data };
    });
  }
}
