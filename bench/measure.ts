/** The results that a bench passes to the runner, and the ways to take times. */
import type { Bounds, Unit } from './result.ts';

export interface Measurement {
  readonly name: string;
  readonly ms: number;
  /** Measured in the same run if it depends on the machine; absent if only the figure counts. */
  readonly limitMs?: number;
  /** Bounds of the true value, if the bench computes them. */
  readonly boundsMs?: Bounds;
  /** Printed beside the figure. */
  readonly note?: string;
}

/** A figure that is no time, such as a size or a multiple. */
export interface Figure {
  readonly name: string;
  readonly value: number;
  readonly unit: Unit;
  /** The minimum of a multiple, and the maximum of everything else. */
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

/** The fastest of several tries: other work of a machine only ever adds. */
export function quickest(tries: number, work: () => unknown): number {
  return Math.min(...Array.from({ length: tries }, () => elapsedMs(work)));
}
