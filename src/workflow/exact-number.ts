/** Numbers as they are written: whether a number can hold all their digits, or would lose some unseen. */
import type { JsonValue } from '../errors/json.ts';

/** False for a whole number that is too large, and for what no JSON has. */
export function isExact(written: string, value: number): boolean {
  if (!Number.isFinite(value)) return false;
  // with a point or an exponent a number does not claim that each digit counts
  const isRounded = /^[-+]?(\d+\.|\.\d|\d+[eE])/.test(written);
  return isRounded || Number.isSafeInteger(value);
}

export interface ReadJson {
  readonly value: JsonValue;
  /** The first number in it that is not exact, as it is written. */
  readonly inexact: string | undefined;
}

/** Throws where `JSON.parse` does. */
export function readJson(text: string): ReadJson {
  let inexact: string | undefined;
  const note = (_key: string, value: unknown, context?: { readonly source?: string }): unknown => {
    // older engines do not say how it was written
    const written = context?.source ?? String(value);
    if (typeof value === 'number' && !isExact(written, value)) inexact ??= written;
    return value;
  };
  // it gives nothing but JSON
  const value = JSON.parse(text, note) as JsonValue;
  return { value, inexact };
}
