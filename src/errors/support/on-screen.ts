/**
 * Makes foreign text safe for a line on screen: inputs, keys, paths, names, prompts. A line break in it
 * would start a line that looks like one of ours, so breaks stay only in fields that are shown as paragraphs.
 */
import { isPlainObject } from './safe-json.ts';
import { oneLine, visible } from './printable.ts';

/** Fields whose renderer handles line breaks: it wraps, indents, or joins the lines. */
const PARAGRAPH_FIELDS: ReadonlySet<string> = new Set(['message', 'prompt', 'excerpt', 'details']);

/** Removes from texts and keys everything that a screen would interpret. */
export function onScreen<T>(value: T): T {
  // texts become texts, and all else keeps its form
  return shown(value, false) as T;
}

function shown(value: unknown, hasLines: boolean): unknown {
  if (typeof value === 'string') return hasLines ? visible(value) : oneLine(value);
  if (Array.isArray(value)) return value.map((item) => shown(item, hasLines));
  if (!isPlainObject(value)) return value;
  const entries = Object.entries(value).map(
    ([key, item]) => [oneLine(key), shown(item, hasLines || PARAGRAPH_FIELDS.has(key))] as const,
  );
  return Object.fromEntries(entries);
}
