/** Exact numbers: whether a number can represent all digits as written, or would silently lose some. */
import { jsonFrom, readProperty, type JsonValue } from '../../errors/support/safe-json.ts';
import { toPointer, type Path } from '../plan/pointer.ts';
import { repeatedKey } from './repeated-key.ts';

/** False for a whole number that is too large, and for one that JSON cannot represent. */
export function isExact(written: string, value: number): boolean {
  if (!Number.isFinite(value)) return false;
  // a number with a point or an exponent need not be exact
  const isRounded = /^[-+]?(\d+\.|\.\d|\d+[eE])/.test(written);
  return isRounded || Number.isSafeInteger(value);
}

/**
 * For numbers that programs write, which may be large on purpose: whether writing the number again
 * gives the same text.
 */
export function keepsDigits(written: string, value: number): boolean {
  return isExact(written, value) || String(value) === written;
}

/** Whether a value survives a round trip through JSON: 1e999 parses as infinity, which JSON cannot represent. */
export function isFiniteThroughout(value: JsonValue): boolean {
  const open: JsonValue[] = [value];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (typeof next === 'number' && !Number.isFinite(next)) return false;
    if (typeof next === 'object' && next !== null)
      for (const item of Object.values(next)) open.push(item);
  }
  return true;
}

/**
 * A value that would differ from its text: a number that loses digits, or a key that occurs twice.
 */
export interface Inexact {
  /** The number, or the key. */
  readonly written: string;
  readonly pointer: string;
  readonly isRepeated?: true;
}

export interface ReadJson {
  readonly value: JsonValue;
  /** The first such value. */
  readonly inexact: Inexact | undefined;
}

/** Throws where `JSON.parse` does. */
export function readJson(text: string, isKept = isExact): ReadJson {
  // a reviver takes several times as long
  if (!MAY_LOSE.test(text)) return { value: jsonFrom(text), inexact: repeatedIn(text) };
  const marked = JSON.parse(
    text,
    reviver(isKept, (written) => new Lost(written)),
  ) as unknown;
  const inexact = firstLost(marked, []);
  // without a loss nothing is marked
  const value = (inexact === undefined ? marked : JSON.parse(text)) as JsonValue;
  return { value, inexact: inexact ?? repeatedIn(text) };
}

function repeatedIn(text: string): Inexact | undefined {
  const found = repeatedKey(text);
  if (found === undefined) return undefined;
  return { written: found.key, pointer: found.pointer, isRepeated: true };
}

/** The first such number in one of these parts of the value. Throws where `JSON.parse` does. */
export function inexactIn(
  text: string,
  parts: readonly Path[],
  isKept = isExact,
): Inexact | undefined {
  if (!MAY_LOSE.test(text)) return undefined;
  const marked = JSON.parse(
    text,
    reviver(isKept, (written) => new Lost(written)),
  ) as unknown;
  for (const part of parts) {
    const found = firstLost(part.reduce<unknown>(readProperty, marked), part);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Keeps numbers that would lose digits as text, for display only. Throws where `JSON.parse` does. */
export function readJsonAsWritten(text: string): JsonValue {
  if (!MAY_LOSE.test(text)) return jsonFrom(text);
  return JSON.parse(
    text,
    reviver(keepsDigits, (written) => written),
  ) as JsonValue;
}

/** `has the number 9007199254740993 at /id, which is too large to be exact`. */
export function describeInexact(inexact: Inexact): string {
  return `has ${inexactWords(inexact)}`;
}

/** Advises the writer of the text. */
export function inexactAdvice({ isRepeated }: Inexact): string {
  return isRepeated === true
    ? 'Write the key once.'
    : 'Put quotes around it, so that it stays as it is written.';
}

/** The same without the verb. */
export function inexactWords({ written, pointer, isRepeated }: Inexact): string {
  const shown = written.length > 40 ? `${written.slice(0, 40)}…` : written;
  if (isRepeated === true) return `the key ${JSON.stringify(shown)} twice (${pointer})`;
  const location = pointer === '' ? '' : ` at ${pointer}`;
  return `the number ${shown}${location}, which is too large to be exact`;
}

/** Enough digits, or a large enough exponent, to need a check. */
const MAY_LOSE = /\d{16}|[eE]\+?\d{3}/;

class Lost {
  readonly written: string;
  constructor(written: string) {
    this.written = written;
  }
}

type Reviver = (key: string, value: unknown, context?: { readonly source?: string }) => unknown;

function reviver(isKept: typeof isExact, replace: (written: string) => unknown): Reviver {
  return (_key, value, context) => {
    if (typeof value !== 'number') return value;
    // older engines do not provide the source text
    const written = context?.source ?? String(value);
    return isKept(written, value) ? value : replace(written);
  };
}

function firstLost(value: unknown, path: Path): Inexact | undefined {
  if (value instanceof Lost) return { written: value.written, pointer: toPointer(path) };
  if (typeof value !== 'object' || value === null) return undefined;
  const isList = Array.isArray(value);
  for (const [key, item] of Object.entries(value)) {
    const found = firstLost(item, [...path, isList ? Number(key) : key]);
    if (found !== undefined) return found;
  }
  return undefined;
}
