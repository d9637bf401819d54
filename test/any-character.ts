/**
 * Any character of Unicode, in the same order as fast-check's unit `binary`. That one keeps a map
 * of all 1.1 million to find the number of a character, a second of work and 145 MB in each
 * process; this one computes it.
 */
import fc from 'fast-check';

const SURROGATES = { first: 0xd800, count: 0x800 };
const LAST = 0x10ffff;

export const anyCharacter: fc.Arbitrary<string> = fc
  .integer({ min: 0, max: LAST - SURROGATES.count })
  .map(
    (index) => String.fromCodePoint(index < SURROGATES.first ? index : index + SURROGATES.count),
    indexOf,
  );

/** Required by fast-check, which also draws dangerous words and shrinks failing ones. */
function indexOf(character: unknown): number {
  if (typeof character !== 'string') throw new Error('not a character');
  const code = character.codePointAt(0) ?? 0;
  if (character === '' || character !== String.fromCodePoint(code) || !character.isWellFormed())
    throw new Error('not one character');
  return code < SURROGATES.first ? code : code - SURROGATES.count;
}
