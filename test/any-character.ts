/**
 * Any character of Unicode, as fast-check's unit `binary` draws them. That one keeps a map of all 1.1 million
 * to find out which number a character has, a second of work and 145 MB in each process; this one computes it.
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

/** For fast-check, which draws dangerous words too and makes smaller ones of what fails. */
function indexOf(character: unknown): number {
  if (typeof character !== 'string') throw new Error('not a character');
  const code = character.codePointAt(0) ?? 0;
  if (character === '' || character !== String.fromCodePoint(code) || !character.isWellFormed())
    throw new Error('not one character');
  return code < SURROGATES.first ? code : code - SURROGATES.count;
}
