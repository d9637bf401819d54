/** The scores at first sight exist once as data and once for readers; they must not part. */
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { extractFailure } from '../../src/providers/extract/extract.ts';
import { classify } from '../../src/providers/classify/classify.ts';
import { ALL_ENTRIES, OPEN_EXAMS } from './entries.ts';
import { FIRST_SIGHT } from './first-sight.ts';

const page = readFileSync(new URL('README.md', import.meta.url), 'utf8');

it.each(FIRST_SIGHT)('the page shows the score of $name', (score) => {
  const { entries, kind, category, retryable, hints } = score;
  expect(page).toContain(`| ${entries} | ${kind} | ${category} | ${retryable} | ${hints} |`);
});

it.each(Object.entries(OPEN_EXAMS))(
  'the %s examination, from which nothing was learned, is judged no worse than at first sight',
  (name, exam) => {
    const recorded = FIRST_SIGHT.filter((score) => score.name.startsWith(name));
    const settled = exam.filter(({ contested }) => !contested);
    const judged = settled.map((entry) => {
      const failure = extractFailure(entry);
      return { expected: entry.expect, found: failure && classify(failure) };
    });
    const share = (isRight: (one: (typeof judged)[number]) => boolean): number =>
      (judged.filter(isRight).length / judged.length) * 100;
    const kinds = share(({ expected, found }) => found?.kind === expected.kind);
    const retryable = share(
      ({ expected, found }) => (found?.retryable === true) === (expected.retryable === true),
    );
    const best = (of: 'kind' | 'retryable'): number =>
      Math.max(...recorded.map((score) => Number.parseFloat(score[of])));
    // percentages are recorded to one decimal
    expect(kinds).toBeGreaterThan(best('kind') - 0.06);
    expect(retryable).toBeGreaterThan(best('retryable') - 0.06);
  },
);

it('no entry of an open examination is a lesson', () => {
  const lessons = new Set(ALL_ENTRIES.map(({ id }) => id));
  const open = Object.values(OPEN_EXAMS).flat();
  expect(open.filter(({ id }) => lessons.has(id))).toEqual([]);
});
