import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createStemIndex, MAX_TEXT_CHARS } from './stems.ts';

function found(stems: readonly string[], text: string): string[] {
  return createStemIndex(stems)
    .find(text)
    .stems.map((position) => stems[position] ?? '')
    .sort();
}

describe('finding stems', () => {
  it('ignores case, joining punctuation, quotes and runs of white space', () => {
    for (const text of [
      'Rate limit',
      'rate_limit',
      'RATE-LIMIT',
      '"rate"  `limit`',
      'rate\n\tlimit',
    ])
      expect(found(['rate limit'], text)).toEqual(['rate limit']);
  });

  it('treats the typographic apostrophe as the plain one', () => {
    expect(found(["isn't"], 'It isn’t')).toEqual(["isn't"]);
  });

  it('treats Latin letters with accents as letters', () => {
    expect(found(['limite diario'], 'LÍMITE diário')).toEqual(['limite diario']);
  });

  it('finds a word at the beginning and at the end', () => {
    expect(found([' rpm ', ' tpm '], 'TPM or RPM')).toEqual([' rpm ', ' tpm ']);
  });

  it('finds stems that overlap', () => {
    expect(found(['he', 'her', 'hers', 's on'], 'hers on')).toEqual(['he', 'her', 'hers']);
  });

  it('finds a stem only where a word begins', () => {
    expect(found(['locked', 'authorized'], 'user input was blocked, unauthorized')).toEqual([]);
    expect(found(['locked'], 'un-locked, 2locked')).toEqual(['locked']);
  });

  it('sees the words in a name that is written in humps', () => {
    expect(found(['ratelimit'], 'AzureRateLimitError')).toEqual(['ratelimit']);
  });

  it('agrees with a plain search for the beginnings of words in any text', () => {
    const word = fc.string({
      unit: fc.constantFrom('a', 'b', 'c', ' '),
      minLength: 1,
      maxLength: 5,
    });
    const stem = word.filter((text) => text === text.trim() && !text.includes('  '));
    fc.assert(
      fc.property(
        fc.uniqueArray(stem, { minLength: 1, maxLength: 8 }),
        fc.array(word),
        (stems, words) => {
          const text = words.join(' ').replace(/ +/g, ' ');
          const begun = ` ${text}`;
          expect(found(stems, text)).toEqual(
            stems.filter((item) => begun.includes(` ${item}`)).sort(),
          );
        },
      ),
    );
  });

  it('reads no further than its bound', () => {
    const text = `${'x'.repeat(MAX_TEXT_CHARS)} quota`;
    expect(found(['quota'], text)).toEqual([]);
  });
});
