/** The scores at first sight exist once as data and once for readers; they must not part. */
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { FIRST_SIGHT } from './first-sight.ts';

const page = readFileSync(new URL('README.md', import.meta.url), 'utf8');

it.each(FIRST_SIGHT)('the page shows the score of $name', (score) => {
  const { entries, kind, category, retryable, hints } = score;
  expect(page).toContain(`| ${entries} | ${kind} | ${category} | ${retryable} | ${hints} |`);
});
