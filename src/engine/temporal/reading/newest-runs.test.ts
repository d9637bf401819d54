import { expect, test } from 'vitest';
import type { RunSummary } from '../../../machine/ports/store-port.ts';
import { NewestRuns } from './newest-runs.ts';

const MINUTE_MS = 60_000;

function at(minute: number): Date {
  return new Date(minute * MINUTE_MS);
}

function run(name: string, minute: number): RunSummary {
  return {
    run: name,
    workflow: 'w',
    file: null,
    startedAt: at(minute).toISOString(),
    status: 'completed',
    costUsdMicros: 0,
    claim: null,
  };
}

test('keeps the newest, in whatever order they come', () => {
  const newest = new NewestRuns(2);
  for (const each of [run('a', 3), run('b', 1), run('c', 9), run('d', 5)]) newest.add(each);
  expect(newest.all().map((each) => each.run)).toEqual(['c', 'd']);
});

test('has an order for runs of the same moment, whichever came first', () => {
  const orders = [
    ['a', 'b'],
    ['b', 'a'],
  ].map((names) => {
    const newest = new NewestRuns(Infinity);
    for (const name of names) newest.add(run(name, 1));
    return newest.all().map((each) => each.run);
  });
  expect(orders[0]).toEqual(orders[1]);
});

test('reads on until what follows must be older than all that it has', () => {
  const newest = new NewestRuns(1);
  expect(newest.isComplete({ startTime: at(0), closeTime: at(1) })).toBe(false);
  newest.add(run('a', 10));
  // it ended after the other had begun, so one of a later start may follow
  expect(newest.isComplete({ startTime: at(0), closeTime: at(11) })).toBe(false);
  expect(newest.isComplete({ startTime: at(0), closeTime: at(8) })).toBe(true);
  expect(newest.isComplete({ startTime: at(8) })).toBe(true);
});
