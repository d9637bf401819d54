/** The verdict of a bench on a figure that is known only within bounds. */
import { expect, it } from 'vitest';
import { verdictOf } from '../../bench/figures.ts';
import { rowLines } from '../../bench/lines.ts';
import type { Row } from '../../bench/result.ts';

const ROW: Row = { work: 'W', name: 'a step', unit: 'µs', ours: [9], goal: { most: 10 } };

it.each<readonly [string, Row['bounds'], string]>([
  ['no bounds', undefined, 'met'],
  ['both below the goal', { low: 8, high: 10 }, 'met'],
  ['the goal between them', { low: 8, high: 10.1 }, 'undecided'],
  ['both above it', { low: 10.1, high: 12 }, 'missed'],
])('with %s', (_, bounds, verdict) => {
  const row: Row = { ...ROW, ...(bounds === undefined ? {} : { bounds }) };
  expect(verdictOf(row)).toBe(verdict);
  expect(rowLines(row)).toContain(`goal ≤ 10.0 µs: ${verdict}`);
});

it('is turned round where more is better', () => {
  const row: Row = { ...ROW, goal: { least: 10 } };
  const verdicts = [
    [8, 9],
    [8, 12],
    [10, 12],
  ].map(([low = 0, high = 0]) => verdictOf({ ...row, bounds: { low, high } }));
  expect(verdicts).toEqual(['missed', 'undecided', 'met']);
});
