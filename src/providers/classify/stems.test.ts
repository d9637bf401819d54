import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createStemIndex, MAX_TEXT_CHARS } from './stems.ts';

function found(stems: readonly string[], text: string): string[] {
  return createStemIndex(stems)
    .find(text)
    .map((position) => stems[position] ?? '')
    .sort();
}

describe('finding stems', () => {
  it('overlooks case, joints, quotes and runs of white space', () => {
    for (const text of [
      'Rate limit',
      'rate_limit',
      'RATE-LIMIT',
      '"rate"  `limit`',
      'rate\n\tlimit',
    ])
      expect(found(['rate limit'], text)).toEqual(['rate limit']);
  });

  it('takes the typographic apostrophe for the plain one', () => {
    expect(found(["isn't"], 'It isn’t')).toEqual(["isn't"]);
  });

  it('takes Latin letters with accents for letters', () => {
    expect(found(['limite diario'], 'LÍMITE diário')).toEqual(['limite diario']);
  });

  it('sees a word at the beginning and at the end', () => {
    expect(found([' rpm ', ' tpm '], 'TPM or RPM')).toEqual([' rpm ', ' tpm ']);
  });

  it('finds stems within and across one another', () => {
    const stems = ['he', 'she', 'his', 'hers'];
    expect(found(stems, 'ushers')).toEqual(['he', 'hers', 'she']);
  });

  it('agrees with a plain search for any words in any text', () => {
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
          expect(found(stems, text)).toEqual(stems.filter((item) => text.includes(item)).sort());
        },
      ),
    );
  });

  it('reads no further than its bound', () => {
    const text = `${'x'.repeat(MAX_TEXT_CHARS)} quota`;
    expect(found(['quota'], text)).toEqual([]);
  });
});
