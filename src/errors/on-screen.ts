/**
 * What comes from outside, before it becomes a part of a line: inputs, keys, paths, names, prompts. A line
 * break in it would begin a line that looks like one of ours, so there is none left but in words that are
 * told with room for them.
 */
import { isPlainObject } from './json.ts';
import { oneLine, visible } from './printable.ts';

/** Whoever writes these down takes care of their lines: they are wrapped, indented, or put on one line. */
const OF_LINES: ReadonlySet<string> = new Set(['message', 'prompt', 'excerpt', 'details']);

/** The same value with nothing in its texts, and in its keys, that a screen would act upon. */
export function onScreen<T>(value: T): T {
  // texts become texts, and all else keeps its form
  return shown(value, false) as T;
}

function shown(value: unknown, hasLines: boolean): unknown {
  if (typeof value === 'string') return hasLines ? visible(value) : oneLine(value);
  if (Array.isArray(value)) return value.map((item) => shown(item, hasLines));
  if (!isPlainObject(value)) return value;
  const entries = Object.entries(value).map(
    ([key, item]) => [oneLine(key), shown(item, hasLines || OF_LINES.has(key))] as const,
  );
  return Object.fromEntries(entries);
}
