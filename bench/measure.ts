/** What a bench gives to the runner, and how times are taken. */
import type { Bounds, Unit } from './result.ts';

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

/** A figure that is no time, such as a size or a multiple. */
export interface Figure {
  readonly name: string;
  readonly value: number;
  readonly unit: Unit;
  /** The least that a multiple may be, and the most of everything else. */
  readonly limit: number;
  readonly note?: string;
}

export interface Bench {
  readonly name: string;
  readonly run: () =>
    | readonly (Measurement | Figure)[]
    | Promise<readonly (Measurement | Figure)[]>;
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
