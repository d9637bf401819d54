/**
 * Jitter that is derived and not random: the same run, path and attempt always give the same factor,
 * so a replay waits as long as the original, and a thousand runs still do not retry in step.
 */

/** A number from 0 up to 1 that depends only on the words. */
function spread(...words: readonly (string | number)[]): number {
  return hash(words.join('\u0000')) / 2 ** 32;
}

/** A wait, moved by at most `jitter` (0.2 = ±20 %) to either side. */
export function jittered(waitMs: number, jitter: number, ...words: (string | number)[]): number {
  return Math.round(waitMs * (1 + jitter * (2 * spread(...words) - 1)));
}

/** FNV-1a with a final mix, so that neighbouring attempts land far apart. */
function hash(text: string): number {
  let state = 0x811c9dc5;
  for (let index = 0; index < text.length; index++) {
    state = Math.imul(state ^ text.charCodeAt(index), 0x01000193);
  }
  state = Math.imul(state ^ (state >>> 16), 0x85ebca6b);
  state = Math.imul(state ^ (state >>> 13), 0xc2b2ae35);
  return (state ^ (state >>> 16)) >>> 0;
}
