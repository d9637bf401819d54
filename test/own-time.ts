/**
 * The cost of work, for tests of hostile input. A bound in milliseconds says as much about the
 * machine as about the code. So a test compares two costs in the same run: of a text and of one
 * eight times as long, or of the work in question and of work that is known to be cheap.
 */
import { expect } from 'vitest';
import { IS_FAST } from './runs.ts';

/** The process of the oldest supported Node, which only counts the whole process. */
type OldProcess = Pick<NodeJS.Process, 'cpuUsage'> &
  Partial<Pick<NodeJS.Process, 'threadCpuUsage'>>;

/** Milliseconds of work of this thread: other work on a busy machine does not count. */
export function ownMs(): number {
  const known: OldProcess = process;
  const { user, system } = known.threadCpuUsage?.() ?? known.cpuUsage();
  return (user + system) / 1000;
}

/**
 * The shortest repetition: some machines count in ticks of this length, and this waits for one at
 * least.
 */
const LEAST_MS = IS_FAST ? 3 : 10;

/**
 * The cost of one call, in milliseconds of this thread. It counts from one change of the clock to
 * another and repeats the work in between, so that a clock that moves in ticks is as good as a fine
 * one.
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

/**
 * The most tries of a comparison: at times the collector or the compiler disturbs one of its two
 * sides.
 */
const TRIES = 5;
/** Twice the limit, twice in a row: no disturbance does that. */
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
/** The fast loop compares shorter inputs: the ratio of an eighth to the whole stays the same. */
const SHORTER = IS_FAST ? 4 : 1;
/** Between the growth of a linear cost, 8, and that of a quadratic one, 64. */
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
