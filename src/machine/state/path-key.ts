/**
 * Escapes the key of a group member for use in a path. Keys come from data; paths name scopes, gates
 * and idempotency keys. So an escaped key contains no path syntax, and two keys never look alike.
 */

/** Path separators, the escape character itself, and characters unsafe for screens and stores. */
const UNSAFE = /[%[\]/#\u0000-\u001f\u007f-\u009f]|\p{Surrogate}/gu;

/** Most keys are numbers and names; recognising those first takes a quarter of the time. */
const PLAIN = /^[\w.:-]*$/;

export function pathKey(key: string): string {
  return PLAIN.test(key) ? key : key.replaceAll(UNSAFE, escapeCharacter);
}

function escapeCharacter(character: string): string {
  return character.isWellFormed() ? encodeURIComponent(character) : escapeSurrogate(character);
}

/** A lone surrogate has no UTF-8 encoding; encoded the same way, it stays distinct from all others. */
function escapeSurrogate(half: string): string {
  const unit = half.charCodeAt(0);
  const bytes = [0xe0 | (unit >> 12), 0x80 | ((unit >> 6) & 0x3f), 0x80 | (unit & 0x3f)];
  return bytes.map((byte) => `%${byte.toString(16).toUpperCase()}`).join('');
}
