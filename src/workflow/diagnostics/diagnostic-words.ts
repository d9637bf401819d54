/** Phrases of messages: keys, values and lists of words. */
import type { Path } from '../plan/pointer.ts';

const MAX_SHOWN_CHARS = 60;

export function quoted(word: string): string {
  const flat = word.replace(/\s+/g, ' ');
  return `\`${flat.length > MAX_SHOWN_CHARS ? `${flat.slice(0, MAX_SHOWN_CHARS - 1)}…` : flat}\``;
}

/** The value as a reader would call it. */
export function describeValue(value: unknown): string {
  if (value === null || value === undefined) return 'nothing';
  if (value === '') return 'an empty text';
  if (typeof value === 'string') return `the text ${quoted(value)}`;
  if (typeof value === 'number') return `the number ${String(value)}`;
  if (typeof value === 'boolean') return quoted(String(value));
  if (Array.isArray(value)) return value.length === 0 ? 'an empty list' : 'a list';
  return 'a map';
}

/** `retry`, or `item 2 of args`. */
export function describePath(path: Path): string {
  const last = path.at(-1);
  if (last === undefined) return 'The file';
  if (typeof last === 'string') return quoted(last);
  const list = path.at(-2);
  const item = `item ${last + 1}`;
  return typeof list === 'string' ? `${item} of ${quoted(list)}` : item;
}

export function capitalised(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** `a, the only one`, `one of a or b`: the possible names. */
export function oneOf(words: readonly string[]): string {
  return words.length < 2 ? `${listed(words)}, the only one` : `one of ${listed(words, 'or')}`;
}

/** `a`, `a and b`, `a, b and c`. */
export function listed(words: readonly string[], joiner: 'and' | 'or' = 'and'): string {
  const last = words.at(-1) ?? '';
  if (words.length < 2) return last;
  return `${words.slice(0, -1).join(', ')} ${joiner} ${last}`;
}
