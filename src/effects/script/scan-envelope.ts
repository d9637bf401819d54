/**
 * The kind and the message of an envelope, even of one that is too large or too deep to parse.
 * Makes one pass over a text that may end anywhere, and keeps only strings of the outermost object.
 */
import type { JsonObject } from '../../errors/support/safe-json.ts';

/** A report cuts messages to much less. */
const MAX_STRING_CHARS = 32_768;

/** A cut may go through the middle of an escape sequence, whose longest form is `\u0000`. */
const MAX_CUT_ESCAPE = 6;

/** Stands for omitted text, as in the details of a report. */
const CUT = '[cut]';

const READ_ONCE: ReadonlySet<string> = new Set(['kind', 'message']);

export interface ScannedEnvelope {
  /** Without its details. */
  readonly envelope: JsonObject;
  /** `kind` or `message`, if it occurs twice: nothing shows which one was meant. */
  readonly repeated?: string;
}

/** Undefined where the text does not begin with an object. */
export function scanEnvelope(text: string): ScannedEnvelope | undefined {
  const start = text.search(/\S/);
  if (text[start] !== '{') return undefined;
  // false stands for a value that is not a string
  const found = new Map<string, string | false>();
  let repeated: string | undefined;
  let depth = 0;
  let key: string | undefined;
  for (let at = start; at < text.length; at++) {
    const char = text[at] ?? '';
    if (char === '"') {
      const end = endOfString(text, at);
      const string = depth === 1 ? stringIn(text, at, end) : '';
      if (depth === 1 && key === undefined) {
        key = string;
        if (found.has(key) && READ_ONCE.has(key)) repeated ??= key;
      } else if (depth === 1) found.set(key ?? '', string);
      at = end;
    } else if (char === '}' || char === ']') {
      depth--;
      if (depth === 0) break;
    } else {
      const isValue = depth === 1 && key !== undefined && /[^\s:,]/.test(char);
      if (isValue && !found.has(key ?? '')) found.set(key ?? '', false);
      if (depth === 1 && char === ',') key = undefined;
      if (char === '{' || char === '[') depth++;
    }
  }
  const { kind, message } = Object.fromEntries(found);
  const envelope = {
    ...(kind === undefined ? {} : { kind }),
    ...(message === undefined ? {} : { message }),
    ...(found.has('details') ? { details: CUT } : {}),
  };
  return { envelope, ...(repeated === undefined ? {} : { repeated }) };
}

/** Index of the closing quote, or of the end of the text. */
function endOfString(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    const char = text[at];
    if (char === '"') return at;
    if (char === '\\') at++;
  }
  return text.length;
}

/** The beginning of a string, up to the longest that is kept. */
function stringIn(text: string, start: number, end: number): string {
  const written = text.slice(start + 1, Math.min(end, start + 1 + MAX_STRING_CHARS));
  for (let cut = 0; cut <= MAX_CUT_ESCAPE; cut++) {
    const parsed = parseString(written.slice(0, written.length - cut));
    if (parsed !== undefined) return parsed;
  }
  return '';
}

function parseString(written: string): string | undefined {
  try {
    const value: unknown = JSON.parse(`"${written}"`);
    return typeof value === 'string' ? value : undefined;
  } catch {
    // cut in the middle of an escape sequence, or not JSON at all
    return undefined;
  }
}
