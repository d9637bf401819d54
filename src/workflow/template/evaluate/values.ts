/** Values: types, truth, equality, order and iteration. */
import { capitalised } from '../../diagnostics/diagnostic-words.ts';
import type { JsonObject, JsonValue } from '../../../errors/support/safe-json.ts';
import { findAll } from './find-text.ts';
import { TEMPLATE_LIMITS } from '../template-limits.ts';
import { charge, chargeText, exceed, fail, type Evaluation } from './evaluation.ts';

/** Comparing text is fast; this many characters are one step. */
const COMPARED_CHARS_PER_STEP = 64;

/** Searching for one kind of character is fast too. */
const SCANNED_CHARS_PER_STEP = 256;

/** Listing keys is slow for objects with many. */
const KEY_STEPS = 2;

/** The name of its type, with the article: `a list`. */
export function aType(value: JsonValue): string {
  if (value === null) return 'null';
  if (isList(value)) return 'a list';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}

export function isList(value: JsonValue): value is readonly JsonValue[] {
  return Array.isArray(value);
}

export function isObject(value: JsonValue): value is JsonObject {
  return typeof value === 'object' && value !== null && !isList(value);
}

/** As in Python: null, zero and empty values are false. */
export function isTruthy(run: Evaluation, value: JsonValue): boolean {
  if (isList(value)) return value.length > 0;
  return isObject(value) ? keysOf(run, value).length > 0 : Boolean(value);
}

export function keysOf(run: Evaluation, object: JsonObject): readonly string[] {
  const keys = Object.keys(object);
  charge(run, KEY_STEPS * keys.length);
  return keys;
}

/** Keys are text; a whole number is converted to text, as in `group.errors[0]`. */
export function toKey(value: JsonValue): string | undefined {
  if (typeof value === 'string') return value;
  return typeof value === 'number' && Number.isInteger(value) ? String(value) : undefined;
}

/** Strict and deep: `3` is not `'3'`, `1` is not `true`, and the order of keys does not matter. */
export function isSame(run: Evaluation, a: JsonValue, b: JsonValue, depth = 0): boolean {
  if (typeof a === 'string' && typeof b === 'string') return isSameText(run, a, b);
  charge(run, 1);
  if (a === b) return true;
  if (depth > TEMPLATE_LIMITS.valueDepth) exceed(run, 'valueDepth');
  if (isList(a) && isList(b)) {
    return (
      a.length === b.length && a.every((item, i) => isSame(run, item, b[i] ?? null, depth + 1))
    );
  }
  if (!isObject(a) || !isObject(b)) return false;
  const keys = keysOf(run, a);
  if (keys.length !== keysOf(run, b).length) return false;
  return keys.every(
    (key) => Object.hasOwn(b, key) && isSame(run, a[key] ?? null, b[key] ?? null, depth + 1),
  );
}

function isSameText(run: Evaluation, a: string, b: string): boolean {
  charge(run, 1);
  if (a.length !== b.length) return false;
  charge(run, a.length / COMPARED_CHARS_PER_STEP);
  return a === b;
}

/** Negative when `a` comes first. Only numbers with numbers and text with text have an order. */
export function compare(run: Evaluation, a: JsonValue, b: JsonValue): number {
  charge(run, 1);
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  if (typeof a !== 'string' || typeof b !== 'string')
    return fail(run, `No order is defined between ${aType(a)} and ${aType(b)}`);
  charge(run, Math.min(a.length, b.length) / COMPARED_CHARS_PER_STEP);
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

/** `in`: a part of a text, an item of a list, or a key of an object. */
export function contains(run: Evaluation, whole: JsonValue, part: JsonValue): boolean {
  if (typeof whole === 'string' && typeof part === 'string')
    return findAll(run, whole, part, 1).length > 0;
  if (isList(whole)) return whole.some((item) => isSame(run, item, part));
  if (isObject(whole)) {
    const key = toKey(part);
    return key !== undefined && Object.hasOwn(whole, key);
  }
  return fail(run, `\`in\` does not work between ${aType(part)} and ${aType(whole)}`);
}

/** The items of a list, the keys of an object, the characters of a text. */
export function itemsOf(run: Evaluation, value: JsonValue): readonly JsonValue[] {
  if (isList(value)) return value;
  if (isObject(value)) return keysOf(run, value);
  if (typeof value === 'string') return charactersOf(run, value);
  return fail(run, `${capitalised(aType(value))} has no items`);
}

/** Whole characters, never half of a surrogate pair. */
export function charactersOf(run: Evaluation, text: string): readonly string[] {
  charge(run, text.length);
  return Array.from(text);
}

export function characterCount(run: Evaluation, text: string): number {
  chargeText(run, text.length);
  let count = 0;
  for (let index = 0; index < text.length; index++) if (!isPairAt(text, index)) count++;
  return count;
}

/** Whether the unit is the second half of a surrogate pair. */
function isPairAt(text: string, index: number): boolean {
  const unit = text.charCodeAt(index);
  if (unit < 0xdc00 || unit > 0xdfff || index === 0) return false;
  const before = text.charCodeAt(index - 1);
  return before >= 0xd800 && before <= 0xdbff;
}

/** Whether the text contains a character of two units. */
export function hasPairs(run: Evaluation, text: string): boolean {
  charge(run, text.length / SCANNED_CHARS_PER_STEP);
  return /[\ud800-\udbff][\udc00-\udfff]/.test(text);
}
