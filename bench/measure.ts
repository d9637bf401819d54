/** What a bench gives to the runner, and how times are taken. */
import type { Bounds } from './result.ts';

export interface Measurement {
  readonly name: string;
  readonly ms: number;
  /** Measured in the same run wherever it depends on the machine; absent where only the figure counts. */
  readonly limitMs?: number;
  /** Between which the true value lies, where the bench works that out. */
  readonly boundsMs?: Bounds;
  /** Printed beside it. */
  readonly note?: string;
}

export interface Bench {
  readonly name: string;
  readonly run: () => readonly Measurement[] | Promise<readonly Measurement[]>;
}

export function elapsedMs(work: () => unknown): number {
  const start = performance.now();
  work();
  return performance.now() - start;
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const [low = 0, high = low] = sorted.slice(
    Math.max(0, middle - (sorted.length % 2 === 0 ? 1 : 0)),
  );
  return sorted.length % 2 === 0 ? (low + high) / 2 : low;
}

/** Of several tries the quickest: what else a machine does only ever adds. */
export function quickest(tries: number, work: () => unknown): number {
  return Math.min(...Array.from({ length: tries }, () => elapsedMs(work)));
}
