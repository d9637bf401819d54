/**
 * Finds where an object in a text ends, whether it is JSON or the print of another language. The text is read as
 * bytes: each sign that counts is one byte, and bytes are read several times faster than the signs of a string
 * that was cut out of another.
 */
import { MAX_BODY_CHARS, MAX_JSON_DEPTH } from './json-text.ts';

/** Most objects in a text are short; only for the others is the rest of the text encoded too. */
const SHORT_CHARS = 2048;

/**
 * The balanced object that starts at `start`, strings respected; undefined when it never closes, or is
 * nested deeper than anything that is read.
 */
export function balancedObject(text: string, start: number): string | undefined {
  const short = balanced(text.slice(start, start + SHORT_CHARS));
  if (short !== undefined || text.length <= start + SHORT_CHARS) return short;
  return balanced(text.slice(start, start + MAX_BODY_CHARS));
}

/** The part of the platform that no library of the language names; not every host has it. */
interface Encoder {
  encodeInto(text: string, into: Uint8Array): { readonly written: number };
}
const { TextEncoder } = globalThis as unknown as { TextEncoder?: new () => Encoder };

const encoder: Encoder =
  TextEncoder === undefined ? { encodeInto: encodeSigns } : new TextEncoder();

const OTHER = 0x7f;

/** One byte for each sign, and the same one for all that are not ASCII: none of those counts. */
function encodeSigns(text: string, into: Uint8Array): { readonly written: number } {
  for (let at = 0; at < text.length; at++) into[at] = Math.min(text.charCodeAt(at), OTHER);
  return { written: text.length };
}

/** Room for the last text that was read; a sign needs up to three bytes. */
let bytes = new Uint8Array(3 * SHORT_CHARS);

function balanced(text: string): string | undefined {
  if (bytes.length < 3 * text.length) bytes = new Uint8Array(3 * MAX_BODY_CHARS);
  const { written } = encoder.encodeInto(text, bytes);
  const end = endOfObject(bytes, written);
  if (end < 0) return undefined;
  return text.slice(0, written === text.length ? end : charsIn(bytes, end));
}

const BACKSLASH = 0x5c;
const DOUBLE_QUOTE = 0x22;
const SINGLE_QUOTE = 0x27;
const OPENING = 0x7b;
const CLOSING = 0x7d;

/** The place behind the brace that closes the first one; -1 where none does. */
function endOfObject(units: Uint8Array, length: number): number {
  let depth = 0;
  for (let index = 0; index < length; index++) {
    const unit = units[index] ?? 0;
    // most signs outside of strings count for nothing, and need no more than one comparison
    if (unit > SINGLE_QUOTE && unit < OPENING) continue;
    if (unit === DOUBLE_QUOTE || (unit === SINGLE_QUOTE && !isApostrophe(units, index)))
      index = endOfString(units, index, length);
    else if (unit === OPENING) {
      if (++depth > MAX_JSON_DEPTH) return -1;
    } else if (unit === CLOSING && --depth === 0) return index + 1;
  }
  return -1;
}

/** The place of the quote that closes the one at `begin`. */
function endOfString(units: Uint8Array, begin: number, length: number): number {
  const quote = units[begin];
  let index = begin + 1;
  for (; index < length; index++) {
    const unit = units[index];
    if (unit === quote) break;
    if (unit === BACKSLASH) index++;
  }
  return index;
}

function isApostrophe(units: Uint8Array, index: number): boolean {
  return isLetter(units[index - 1] ?? 0) && isLetter(units[index + 1] ?? 0);
}

function isLetter(unit: number): boolean {
  const lower = unit | 0x20;
  return lower >= 0x61 && lower <= 0x7a;
}

/** The length of what so many bytes encode: a sign begins with each byte that continues none, the longest are two. */
function charsIn(units: Uint8Array, length: number): number {
  let chars = 0;
  for (let index = 0; index < length; index++) {
    const unit = units[index] ?? 0;
    if ((unit & 0xc0) !== 0x80) chars += unit >= 0xf0 ? 2 : 1;
  }
  return chars;
}
