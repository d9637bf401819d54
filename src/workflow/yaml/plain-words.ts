/**
 * Tells plain words from keys: `payments-team`, `gpt-4o-mini` and sentences occur in outputs too, while a
 * key is long, or mixes letters and digits.
 */

/** A longer text without a space is a key, whatever its letters are. */
const MAX_NAME_CHARS = 19;

const WORD = /^(?:[a-z]{1,16}|[A-Z][a-z]{0,15}|[A-Z]{1,16}|\w{1,4})$/;

export function isPlainWords(text: string): boolean {
  if (text.length > MAX_NAME_CHARS && !/\s/.test(text)) return false;
  // letters beyond ASCII are those of a language
  const words = text
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .split(/[^\p{L}\p{N}_]+|_+/u);
  return words.every((word) => word === '' || WORD.test(word) || /^[^\0-\u007f]+$/.test(word));
}
