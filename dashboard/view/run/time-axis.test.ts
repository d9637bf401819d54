import { describe, expect, it } from 'vitest';
import { timeAxis } from './time-axis.ts';

const at = (seconds: number): string => new Date(seconds * 1000).toISOString();

function leg(from: number, to?: number) {
  return {
    from: at(from),
    cause: 'started' as const,
    seq: 1,
    ...(to === undefined ? {} : { to: at(to) }),
  };
}

describe('the time axis', () => {
  it('is as long as one leg', () => {
    const axis = timeAxis(
      { legs: [leg(0, 10)], startedAt: at(0), at: at(10), status: 'completed' },
      99_000,
    );
    expect(axis.at(5000)).toBe(50);
    expect(axis.parts).toHaveLength(1);
  });

  it('draws days between two legs as narrow as minutes', () => {
    const legs = [leg(0, 10), leg(1_000_000, 1_000_010)];
    const axis = timeAxis({ legs, startedAt: at(0), at: at(1_000_010), status: 'completed' }, 0);
    expect(axis.parts.map(({ isGap, width }) => [isGap, width])).toEqual([
      [false, 45],
      [true, 10],
      [false, 45],
    ]);
    expect(axis.at(1_000_005_000)).toBe(77.5);
  });

  it('ends now for a run that is executed, and rests until now for one that is paused', () => {
    const running = timeAxis(
      { legs: [leg(0)], startedAt: at(0), at: at(1), status: 'running' },
      20_000,
    );
    expect(running.at(10_000)).toBe(50);
    const paused = timeAxis(
      { legs: [leg(0, 10)], startedAt: at(0), at: at(10), status: 'paused' },
      20_000,
    );
    expect(paused.parts.map(({ isGap }) => isGap)).toEqual([false, true]);
    expect(paused.at(15_000)).toBe(95);
  });

  it('leaves out a label that would run into the name of a rest', () => {
    const legs = [leg(0, 0), leg(50, 60)];
    const { ticks } = timeAxis({ legs, startedAt: at(0), at: at(60), status: 'failed' }, 60_000);
    expect(ticks.filter(({ ms }) => ms === 0)).toHaveLength(1);
    expect(ticks[0]?.x).toBeGreaterThan(9);
  });

  it('stays inside its edges', () => {
    const axis = timeAxis(
      { legs: [leg(10, 10)], startedAt: at(10), at: at(10), status: 'failed' },
      0,
    );
    expect(axis.at(0)).toBe(0);
    expect(axis.at(10 ** 12)).toBe(100);
  });
});
