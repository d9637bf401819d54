import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { clip, columnsOf, padEnd, wrap } from './columns.ts';
import { durationWords, locationWords, providerWords } from './report-words.ts';
import { runs } from '../../../test/runs.ts';
import { anyCharacter } from '../../../test/any-character.ts';

it.each([
  [0, '0 ms'],
  [999, '999 ms'],
  [1500, '1.5 s'],
  [12_000, '12 s'],
  [60_000, '1 min'],
  [125_000, '2 min 5 s'],
  [3_600_000, '1 h'],
  [97_200_000, '1 d 3 h'],
])('%i ms are %s', (ms, words) => {
  expect(durationWords(ms)).toBe(words);
});

it.each([
  [undefined, undefined],
  [{}, undefined],
  [{ node: 'a' }, 'a'],
  [{ node: 'a', path: 'x/a', workflow: 'w' }, 'x/a in w'],
  [{ workflow: 'w' }, 'workflow w'],
  [{ file: 'w.yaml', line: 3 }, 'w.yaml:3'],
  [{ node: 'a', line: 3, column: 5, pointer: '/agents/0' }, 'a (line 3:5, /agents/0)'],
  [{ node: 'a', file: 'w.yaml', line: 3, column: 5, pointer: '/agents/0' }, 'a (w.yaml:3:5)'],
])('the location %j is written as %s', (location, words) => {
  expect(locationWords(location)).toBe(words);
});

it('a provider is described by what is known of it', () => {
  expect(providerWords({})).toBeUndefined();
  expect(providerWords({ provider: { name: 'openai', model: 'gpt-6-mini' } })).toBe(
    'openai/gpt-6-mini',
  );
  // a simulated model is its own provider, and is named once
  expect(providerWords({ provider: { name: 'sim/clerk', model: 'clerk' } })).toBe('sim/clerk');
  expect(providerWords({ provider: { status: 529, type: 'overloaded_error' } })).toBe(
    'HTTP 529, overloaded_error',
  );
});

describe('columns', () => {
  it.each([
    ['abc', 3],
    ['値段', 4],
    ['é', 1],
    ['e\u0301', 1],
    ['🚫', 2],
    ['👩‍👩‍👧', 2],
    ['✔', 1],
    ['✔\ufe0f', 2],
    ['\u200b', 0],
    ['𠮷', 2],
    [' 🏻', 3],
    [' \u0301', 1],
  ])('of %j are %i', (text, columns) => {
    expect(columnsOf(text)).toBe(columns);
  });

  it('of two words are the sum of both, and one for the space', () => {
    const word = fc.oneof(
      fc.string({ unit: anyCharacter, maxLength: 8 }),
      fc
        .array(fc.constantFrom(...'🏻 👩 \u200d \ufe0f 🇩 \u0600 値 a \u0301 ᄀ ᅡ 𑼂'.split(' ')))
        .map((it) => it.join('')),
    );
    fc.assert(
      fc.property(word, word, (first, second) => {
        expect(columnsOf(`${first} ${second}`)).toBe(columnsOf(first) + 1 + columnsOf(second));
      }),
      { numRuns: runs(1000) },
    );
  });

  it('wrap at spaces, and anywhere in a word that is too long', () => {
    expect(wrap('a bc def ghij', 5)).toEqual(['a bc', 'def', 'ghij']);
    expect(wrap('abcdefgh\n\nx\ty', 3)).toEqual(['abc', 'def', 'gh', '', 'x', 'y']);
    expect(wrap('値段値段', 5)).toEqual(['値段', '値段']);
  });

  it('clip and pad to a width, whatever the characters', () => {
    expect(clip('値段値段', 5)).toBe('値段…');
    expect(clip('abc', 3)).toBe('abc');
    expect(padEnd('値', 4)).toBe('値  ');
  });
});
