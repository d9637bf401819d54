/** Numbers as they are written: whether a number can hold all their digits, or would lose some unseen. */
import type { JsonValue } from '../errors/json.ts';
import { toPointer, type Path } from './path.ts';

/** False for a whole number that is too large, and for what no JSON has. */
export function isExact(written: string, value: number): boolean {
  if (!Number.isFinite(value)) return false;
  // with a point or an exponent a number does not claim that each digit counts
  const isRounded = /^[-+]?(\d+\.|\.\d|\d+[eE])/.test(written);
  return isRounded || Number.isSafeInteger(value);
}

/**
 * Of what programs write, who may mean a large number: whether it is still the same when it is
 * written again.
 */
export function keepsDigits(written: string, value: number): boolean {
  return isExact(written, value) || String(value) === written;
}

/** A number that would not be what was written. */
export interface Inexact {
  readonly written: string;
  readonly pointer: string;
}

export interface ReadJson {
  readonly value: JsonValue;
  /** The first in it. */
  readonly inexact: Inexact | undefined;
}

/** Throws where `JSON.parse` does. */
export function readJson(text: string, isKept = isExact): ReadJson {
  // to look at each value takes several times as long
  if (!MAY_LOSE.test(text)) return { value: JSON.parse(text) as JsonValue, inexact: undefined };
  const marked = JSON.parse(
    text,
    reviver(isKept, (written) => new Lost(written)),
  ) as unknown;
  const inexact = firstLost(marked, []);
  // where nothing is lost nothing is marked
  const value = (inexact === undefined ? marked : JSON.parse(text)) as JsonValue;
  return { value, inexact };
}

/** With what would lose digits as text, for what only people read. Throws where `JSON.parse` does. */
export function readJsonAsWritten(text: string): JsonValue {
  if (!MAY_LOSE.test(text)) return JSON.parse(text) as JsonValue;
  return JSON.parse(
    text,
    reviver(keepsDigits, (written) => written),
  ) as JsonValue;
}

/** `which has the number 9007199254740993 at /id, too large to be exact`, without the first word. */
export function describeInexact({ written, pointer }: Inexact): string {
  const shown = written.length > 40 ? `${written.slice(0, 40)}…` : written;
  const place = pointer === '' ? '' : ` at ${pointer}`;
  return `has the number ${shown}${place}, which is too large to be exact`;
}

/** Digits enough, or an exponent large enough, to be in question. */
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
    // older engines do not say how it was written
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
