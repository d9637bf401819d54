/**
 * What work costs, for tests of hostile input. A bound in milliseconds says as much about the machine
 * as about the code, so a test compares two costs of the same run: of a text and of one that is eight
 * times as long, or of the work in question and of work that is known to be cheap.
 */
import { expect } from 'vitest';
import { IS_FAST } from './runs.ts';

/** Of the oldest Node that Errand runs on, which counts for the whole process only. */
type OldProcess = Pick<NodeJS.Process, 'cpuUsage'> &
  Partial<Pick<NodeJS.Process, 'threadCpuUsage'>>;

/** Milliseconds that this thread has worked: what others do on a busy machine is not in it. */
export function ownMs(): number {
  const known: OldProcess = process;
  const { user, system } = known.threadCpuUsage?.() ?? known.cpuUsage();
  return (user + system) / 1000;
}

/** How long work is repeated: some machines count in ticks of this length, and wait for one at least. */
const LEAST_MS = IS_FAST ? 3 : 10;

/**
 * What one call costs, in milliseconds of this thread. It counts from one change of the clock to another
 * and repeats the work in between, so that a clock that moves in ticks is as good as a fine one.
 */
function costOf(work: () => unknown, workedMs: () => number): number {
  const before = workedMs();
  let start = before;
  while (start === before) {
    work();
    start = workedMs();
  }
  let calls = 0;
  let spentMs = 0;
  while (spentMs < LEAST_MS) {
    work();
    calls++;
    spentMs = workedMs() - start;
  }
  return spentMs / calls;
}

/** How often a comparison may fail: the collector and the compiler disturb one of the two at times. */
const TRIES = 5;
/** Twice as much as may be, twice in a row: no disturbance is like that. */
const HOPELESS = 2;

/** Fails unless `work` costs less than `times` as much as `than`, in one of a few tries. */
export function expectCheap(
  work: () => unknown,
  than: () => unknown,
  times: number,
  workedMs = ownMs,
): void {
  const ratios: number[] = [];
  do ratios.push(costOf(work, workedMs) / costOf(than, workedMs));
  while (ratios.length < TRIES && isDoubtful(ratios, times));
  expect(Math.min(...ratios), `times the cost, of ${ratios.join(', ')}`).toBeLessThan(times);
}

function isDoubtful(ratios: readonly number[], times: number): boolean {
  const isHopeless =
    ratios.length >= HOPELESS && ratios.every((ratio) => ratio >= times * HOPELESS);
  return Math.min(...ratios) >= times && !isHopeless;
}

const LONGER = 8;
/** The fast loop compares shorter inputs: an eighth is to the whole as before. */
const SHORTER = IS_FAST ? 4 : 1;
/** Between what a linear cost grows by, 8, and what a quadratic one does, 64. */
const MOST_GROWTH = 24;

/**
 * Fails unless the cost of `work` grows with the size of its input and not with the square of it.
 * @param work takes the size of its input: `size`, and an eighth of it
 */
export function expectLinear(
  work: (size: number) => unknown,
  size: number,
  small = Math.ceil(size / LONGER),
  workedMs = ownMs,
): void {
  expectCheap(
    () => work(Math.ceil(size / SHORTER)),
    () => work(Math.ceil(small / SHORTER)),
    MOST_GROWTH,
    workedMs,
  );
}
