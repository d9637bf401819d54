/**
 * Located values: the document after includes, variables and aliases, in which every value still
 * knows its source text.
 */
import type { JsonValue } from '../../errors/support/safe-json.ts';
import type { Path } from '../plan/pointer.ts';
import type { SourceText, Span } from './source-text.ts';

/** How a scalar is written; `text` is a whole file that was included. */
export type ScalarStyle = 'plain' | 'quoted' | 'literal' | 'folded' | 'text';

export interface Located extends Span {
  readonly value: JsonValue;
  /** Span of the key, for a value of a map; undefined in lists and at the root. */
  readonly key?: Span;
  /** The values of a map by key, or of a list by index. */
  readonly members?: ReadonlyMap<string, Located>;
  readonly style?: ScalarStyle;
  /** Whether a variable supplied the value or a part of it. */
  readonly isFilled?: true;
}

/** The value at a path, or its nearest existing ancestor. */
export function findLocated(
  root: Located,
  path: Path,
): { readonly found: Located; readonly isExact: boolean } {
  let found = root;
  for (const step of path) {
    const next = found.members?.get(String(step));
    if (next === undefined) return { found, isExact: false };
    found = next;
  }
  return { found, isExact: true };
}

/** The span to underline for a problem at a path. */
export function spanAt(root: Located, path: Path, at: 'key' | 'value'): Span {
  const { found, isExact } = findLocated(root, path);
  if (isExact && at === 'value' && found.members === undefined) return found;
  // the first line of a map or a list is enough; a missing value is shown at its parent's key
  return found.key ?? firstLine(found);
}

/** The source text of an unquoted scalar, `1.10` where the value is 1.1; undefined for other values. */
export function writtenText(located: Located): string | undefined {
  if (located.style !== 'plain') return undefined;
  return located.source.text.slice(located.start, located.end);
}

function firstLine({ source, start, end }: Located): Span {
  const newline = source.text.indexOf('\n', start);
  return { source, start, end: newline < 0 ? end : Math.min(end, Math.max(newline, start + 1)) };
}

/**
 * Span of a part of a text value, such as a mistake in a template. Exact where the source contains the
 * value verbatim; for folded and escaped texts it is the span of the whole value.
 */
export function spanWithin(located: Located, offset: number, length: number): Span {
  const { source, start, end, value } = located;
  if (typeof value !== 'string') return located;
  const exact = offsetInSource(source, located, value, offset);
  if (exact === undefined) return { source, start, end };
  return { source, start: exact, end: Math.min(exact + Math.max(1, length), source.text.length) };
}

function offsetInSource(
  source: SourceText,
  { start, end, style }: Located,
  value: string,
  offset: number,
): number | undefined {
  const raw = source.text.slice(start, end);
  if (style === 'text') return start + offset;
  if (style === 'plain') return raw === value ? start + offset : undefined;
  if (style === 'quoted') return raw.slice(1, -1) === value ? start + 1 + offset : undefined;
  return style === 'literal' ? offsetInLiteral(source, start, value, offset) : undefined;
}

/** In a `|` text each line of the value is a source line after the same indentation. */
function offsetInLiteral(
  source: SourceText,
  start: number,
  value: string,
  offset: number,
): number | undefined {
  const before = value.slice(0, offset).split('\n');
  const lineOfValue = before.length - 1;
  const column = before[lineOfValue]?.length ?? 0;
  const body = source.text.indexOf('\n', start) + 1;
  if (body === 0) return undefined;
  let at = body;
  for (let line = 0; line < lineOfValue; line++) {
    const next = source.text.indexOf('\n', at);
    if (next < 0) return undefined;
    at = next + 1;
  }
  const lineText = value.split('\n')[lineOfValue] ?? '';
  const sourceLine = source.text.slice(at, endOfLine(source.text, at));
  const indent = sourceLine.length - lineText.length;
  if (indent < 0 || sourceLine.slice(indent) !== lineText) return undefined;
  return at + indent + column;
}

function endOfLine(text: string, from: number): number {
  const newline = text.indexOf('\n', from);
  const end = newline < 0 ? text.length : newline;
  return text[end - 1] === '\r' ? end - 1 : end;
}
