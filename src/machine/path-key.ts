/**
 * How the key of a member stands in a path. Keys come from data; paths name scopes, gates and
 * idempotency keys. So a key holds nothing that a path gives a meaning to, and two keys never look alike.
 */

/** What separates the parts of a path, what escapes it, and what no screen or store should get. */
const UNSAFE = /[%[\]/#\u0000-\u001f\u007f-\u009f]|\p{Surrogate}/gu;

export function pathKey(key: string): string {
  return key.replaceAll(UNSAFE, escaped);
}

function escaped(character: string): string {
  return character.isWellFormed() ? encodeURIComponent(character) : escapedHalf(character);
}

/** Half of a pair has no UTF-8 of its own; written the same way it stays different from every other. */
function escapedHalf(half: string): string {
  const unit = half.charCodeAt(0);
  const bytes = [0xe0 | (unit >> 12), 0x80 | ((unit >> 6) & 0x3f), 0x80 | (unit & 0x3f)];
  return bytes.map((byte) => `%${byte.toString(16).toUpperCase()}`).join('');
}
