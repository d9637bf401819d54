import { describe, expect, it } from 'vitest';
import { runs } from './runs.ts';
import { drawn, sampled, seeds } from './sampled.ts';

const ITEMS = Array.from({ length: 20 }, (_, index) => index);
const COMMITS = Array.from({ length: 60 }, (_, index) => `commit ${index}`);

describe('the part that a commit takes', () => {
  it('is the same each time, and about as large as was asked for', () => {
    for (const sample of COMMITS) {
      const choice = { oneOf: 3, what: 'kills', sample };
      expect(sampled(ITEMS, choice)).toEqual(sampled(ITEMS, choice));
      expect([6, 7]).toContain(sampled(ITEMS, choice).length);
    }
  });

  it.each([1, 2, 3, 20])('reaches each of %i items in the course of some commits', (length) => {
    const items = ITEMS.slice(0, length);
    const reached = COMMITS.flatMap((sample) => sampled(items, { oneOf: 3, what: 'k', sample }));
    expect(new Set(reached)).toEqual(new Set(items));
  });

  it('is never nothing, unless there is nothing to take', () => {
    for (const sample of COMMITS)
      expect(sampled([7, 8], { oneOf: 3, what: 'kills', sample })).toHaveLength(1);
    expect(sampled([], { oneOf: 3, what: 'kills', sample: 'one' })).toEqual([]);
  });

  it('is all of it when all is asked for', () => {
    expect(sampled(ITEMS, { oneOf: 3, what: 'kills', sample: 'all' })).toEqual(ITEMS);
  });

  it('is another for another suite', () => {
    const first = (what: string): number[] => COMMITS.map((sample) => drawn(what, 3, sample));
    expect(first('kills')).not.toEqual(first('seeds'));
  });
});

describe('the seeds that a commit takes', () => {
  it('are as many in a row as tests repeat things, each once', () => {
    for (const sample of COMMITS) {
      const taken = seeds(200, 'views', sample);
      expect(taken).toHaveLength(runs(200));
      expect(new Set(taken).size).toBe(taken.length);
      const [first = 0] = taken;
      expect(taken.map((seed) => (seed - first + 200) % 200)).toEqual([...taken.keys()]);
    }
  });

  it('reach all in the course of some commits', () => {
    const reached = COMMITS.flatMap((sample) => seeds(200, 'views', sample));
    expect(new Set(reached).size).toBe(200);
  });

  it('are all of them when all is asked for', () => {
    expect(seeds(200, 'views', 'all')).toEqual(Array.from({ length: 200 }, (_, seed) => seed));
  });
});
