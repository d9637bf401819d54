import { expect, it } from 'vitest';
import { pageWords } from '../web-page.ts';
import { waitInProse } from './wait-in-prose.ts';
import { waitOnPage } from './wait-on-page.ts';

const HEAD = '<!doctype html><title>503</title><body>';
const WORDS = 'Every word of a page counts, and most of them say nothing. ';
const WAIT = '<p>Please try again in 30 seconds.</p>';

const PAGES: readonly (readonly [string, string, number | undefined])[] = [
  ['a short page', HEAD + WAIT, 30_000],
  ['a short page that names none', HEAD + WORDS, undefined],
  ['the beginning of a long page', HEAD + WAIT + WORDS.repeat(90), 30_000],
  ['the middle of a long page', HEAD + WORDS.repeat(30) + WAIT + WORDS.repeat(30), 30_000],
  ['a long page that names none', HEAD + WORDS.repeat(90), undefined],
  [
    'the words behind it',
    `${HEAD}${WORDS.repeat(14)} 5 seconds remaining ${WORDS.repeat(9)}`,
    5000,
  ],
  [
    'a tag that is cut',
    `${HEAD}${WORDS.repeat(16)}<p title="${'try again in 9s '.repeat(9)}">`,
    undefined,
  ],
  ['a sign that begins no tag', `${HEAD}${WORDS.repeat(16)} 1 < 2 ${WORDS}${WAIT}`, 30_000],
];

it.each(PAGES)('is found in %s', (_where, page, ms) => {
  expect(waitOnPage(page)).toBe(ms);
  expect(waitOnPage(page)).toBe(ms);
});

it('is that of all words, wherever the beginning of the page ends', () => {
  for (let chars = 700; chars < 1100; chars += 3) {
    const page = `${HEAD}${'a'.repeat(chars)} wait 1 minute and 5 seconds 20 seconds left ${WORDS.repeat(20)}`;
    expect(waitOnPage(page)).toBe(waitInProse(pageWords(page)));
  }
});
