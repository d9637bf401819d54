/**
 * The measure tells linear work from quadratic work, and forgives a disturbance. The work here says itself
 * what it costs: what a machine really spends on it differs from one time to the next.
 */
import { describe, expect, it } from 'vitest';
import { expectCheap, expectLinear } from './own-time.ts';

const SIZE = 4096;

/** How long the work of this test has taken. */
function newClock(tickMs: number): { spend: (ms: number) => void; workedMs: () => number } {
  let spentMs = 0;
  return {
    spend: (ms) => void (spentMs += ms),
    workedMs: () => Math.floor(spentMs / tickMs) * tickMs,
  };
}

describe.each([
  ['a fine clock', 0.001],
  ['a clock that moves in ticks', 10],
])('by %s', (_, tickMs) => {
  const { spend, workedMs } = newClock(tickMs);
  const check = (costMs: (size: number) => number, disturb: () => number = () => 0): void =>
    expectLinear((size) => spend(costMs(size) + disturb()), SIZE, undefined, workedMs);

  it.each<[string, (size: number) => number]>([
    ['constant work', () => 0.5],
    ['linear work', (size) => size / 100],
    ['work of n log n', (size) => (size * Math.log2(size)) / 1000],
    ['linear work that takes longer than a tick', (size) => size],
  ])('accepts %s', (__, costMs) => {
    expect(() => check(costMs)).not.toThrow();
  });

  it.each<[string, (size: number) => number]>([
    ['quadratic work', (size) => size ** 2 / 100_000],
    ['quadratic work that takes longer than a tick', (size) => size ** 2],
    ['work of n² log n', (size) => (size ** 2 * Math.log2(size)) / 1_000_000],
  ])('refuses %s', (__, costMs) => {
    expect(() => check(costMs)).toThrow('times the cost');
  });

  it('accepts linear work that is disturbed', () => {
    let calls = 0;
    expect(() =>
      check(
        (size) => size,
        () => (calls++ === 1 ? 200_000 : 0),
      ),
    ).not.toThrow();
    expect(calls).toBeGreaterThan(4);
  });

  it('compares one kind of work to another', () => {
    const compare = (workMs: number, thanMs: number, times: number): void =>
      expectCheap(
        () => spend(workMs),
        () => spend(thanMs),
        times,
        workedMs,
      );
    expect(() => compare(1, 100, 1)).not.toThrow();
    expect(() => compare(100, 1, 110)).not.toThrow();
    expect(() => compare(100, 1, 10)).toThrow('times the cost');
    expect(() => compare(100, 1, 90)).toThrow('times the cost');
  });
});

it('a thread counts its own work', () => {
  let calls = 0;
  const work = (): number => ++calls;
  expect(() => expectCheap(work, work, Number.POSITIVE_INFINITY)).not.toThrow();
  expect(calls).toBeGreaterThan(2);
});
