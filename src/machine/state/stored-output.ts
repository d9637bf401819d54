/**
 * Turns the result of an effect into JSON for the log: nothing is dropped silently, nothing is nested
 * deeper than readers can follow, and configured secrets are removed. A run continues with exactly what
 * is stored, so an output has no other form.
 */
import { isArray, readProperty, type JsonValue } from '../../errors/support/safe-json.ts';
import type { Redactor } from '../../errors/redaction/redact.ts';
import { freeKey } from '../../errors/report/without-values.ts';
import { toPointer } from '../../workflow/plan/pointer.ts';

/** Levels of lists and objects: stores, comparisons and renderers recurse. */
export const MAX_OUTPUT_DEPTH = 500;

/** Limit of a tool's result. Every turn of an agent sends it again, and the log keeps it. */
export const MAX_RESULT_CHARS = 1024 * 1024;

export type Output =
  | { readonly ok: true; readonly value: JsonValue }
  /** Such as `is a function`, and where. */
  | { readonly ok: false; readonly problem: string; readonly pointer: string };

interface Walk {
  readonly redactor: Redactor;
  readonly ancestors: object[];
  readonly path: (string | number)[];
}

/** For values that are checked or passed on with their secrets. */
export const AS_IT_IS: Redactor = { text: (text) => text, values: (text) => text };

/** Accepts any value. A bare `undefined` becomes null, because a function need not return anything. */
export function toOutput(value: unknown, redactor: Redactor): Output {
  const walk: Walk = { redactor, ancestors: [], path: [] };
  try {
    return { ok: true, value: value === undefined ? null : convert(value, walk) };
  } catch (thrown) {
    const problem = thrown instanceof Unusable ? thrown.message : 'cannot be read';
    return { ok: false, problem, pointer: toPointer(walk.path) };
  }
}

class Unusable extends Error {}

function convert(value: unknown, walk: Walk): JsonValue {
  switch (typeof value) {
    case 'string':
      return walk.redactor.values(value);
    case 'number':
      return number(value, walk);
    case 'boolean':
      return value;
    case 'object':
      return value === null ? null : container(value, walk);
    default:
      throw new Unusable(`is ${value === undefined ? 'undefined' : `a ${typeof value}`}`);
  }
}

/** A configured secret can be a number too. */
function number(value: number, walk: Walk): JsonValue {
  if (!Number.isFinite(value)) throw new Unusable('is a number that is not finite');
  const written = String(value);
  const redacted = walk.redactor.values(written);
  // plus zero: JSON has no negative zero
  return redacted === written ? value + 0 : redacted;
}

function container(value: object, walk: Walk): JsonValue {
  if (walk.ancestors.includes(value)) throw new Unusable('contains itself');
  if (walk.ancestors.length >= MAX_OUTPUT_DEPTH) {
    throw new Unusable(`is deeper than ${MAX_OUTPUT_DEPTH} levels`);
  }
  walk.ancestors.push(value);
  const converted = contents(value, walk);
  walk.ancestors.pop();
  return converted;
}

function contents(value: object, walk: Walk): JsonValue {
  if (isArray(value)) return Array.from(value, (item, index) => at(index, item, walk));
  const name = Object.prototype.toString.call(value).slice(8, -1);
  const toJson = readProperty(value, 'toJSON');
  if (typeof toJson === 'function') {
    const plain: unknown = Reflect.apply(toJson, value, ['']);
    // JSON has no form for it, so it would become null
    if (name === 'Date' && plain === null) throw new Unusable('is a date that is not valid');
    return convert(plain, walk);
  }
  if (name !== 'Object') throw new Unusable(`is a ${name}, which JSON does not have`);

  const entries = new Map<string, JsonValue>();
  for (const [key, item] of Object.entries(value)) {
    if (item !== undefined)
      entries.set(freeKey(walk.redactor.values(key), entries), at(key, item, walk));
  }
  return Object.fromEntries(entries);
}

/** A throw leaves the path as it is, so that it names the place of the fault. */
function at(step: string | number, value: unknown, walk: Walk): JsonValue {
  walk.path.push(step);
  const converted = convert(value, walk);
  walk.path.pop();
  return converted;
}

/** Estimates whether a value is longer than that as JSON, and stops as soon as it is. */
export function isLongerThan(value: JsonValue, maxChars: number): boolean {
  return charsIn(value, maxChars) > maxChars;
}

function charsIn(value: JsonValue, maxChars: number): number {
  if (typeof value === 'string') return value.length + 2;
  if (typeof value !== 'object' || value === null) return String(value).length;
  let chars = 2;
  for (const [key, item] of Object.entries(value)) {
    chars += charsIn(item, maxChars) + (isArray(value) ? 1 : key.length + 4);
    if (chars > maxChars) break;
  }
  return chars;
}
