/** Merges a write into the shared state, by the merge that its key declares. */
import { isArray, type JsonObject, type JsonValue } from '../../errors/support/safe-json.ts';
import { ErrandError } from '../../errors/thrown/errand-error.ts';
import type { StateField } from '../../workflow/plan/plan.ts';
import { fitsType } from '../../workflow/json-schema/field-schema.ts';
import { canonicalJson } from '../../workflow/plan/stable-hash.ts';

type Values = Pick<ReadonlyMap<string, JsonValue>, 'get'>;
type StateFields = Readonly<Record<string, StateField>>;

/** The new values of the keys that were written. */
export function mergeState(fields: StateFields, current: Values, written: JsonObject): JsonObject {
  const merged = Object.entries(written).map(([key, value]) => {
    const field = fields[key];
    if (field === undefined) throw invalidWrite(`The workflow declares no state named ${key}`);
    const problem = writeProblem(field, value);
    if (problem !== undefined) throw invalidWrite(`The state ${key} ${problem}`);
    if (field.merge === 'sum' && !areNumbers(current.get(key) ?? field.default, value))
      throw invalidWrite(
        `The state ${key} is merged by sum, but one of the two values is not a number`,
      );
    return [key, mergedValue(field, current.get(key), value)] as const;
  });
  return Object.fromEntries(merged);
}

/** Why the value cannot be written; `append` and `union` accept any item of a list. */
export function writeProblem({ merge, type }: StateField, value: JsonValue): string | undefined {
  if (merge === 'append' || merge === 'union' || fitsType(value, type)) return undefined;
  return `must be of type ${type}, and the written value is not`;
}

/** Also merges into fields that are gone from the file, and values that no longer fit. */
export function mergedValue(
  field: StateField | undefined,
  current: JsonValue | undefined,
  value: JsonValue,
): JsonValue {
  const before = current ?? field?.default ?? null;
  switch (field?.merge) {
    case undefined:
    case 'replace':
      return value;
    case 'append':
      return [...listOf(before), ...listOf(value)];
    case 'union': {
      const seen = new Map(listOf(before).map((item) => [canonicalJson(item), item]));
      for (const item of listOf(value))
        if (!seen.has(canonicalJson(item))) seen.set(canonicalJson(item), item);
      return [...seen.values()];
    }
    case 'sum':
      return typeof before === 'number' && typeof value === 'number' ? before + value : value;
  }
}

/** The write, as far as the values before and after show it. */
export function valueBetween(
  field: StateField | undefined,
  current: JsonValue | undefined,
  after: JsonValue,
): JsonValue {
  const before = current ?? field?.default ?? null;
  switch (field?.merge) {
    case undefined:
    case 'replace':
      return after;
    case 'append':
    case 'union':
      return listOf(after).slice(listOf(before).length);
    case 'sum':
      return typeof before === 'number' && typeof after === 'number' ? after - before : after;
  }
}

/** The written values that cannot be derived from the merged ones: an item that a union had already, or a fraction. */
export function underivableValues(
  fields: StateFields,
  current: Values,
  { written, merged }: { readonly written: JsonObject; readonly merged: JsonObject },
): JsonObject | undefined {
  const underivable = Object.entries(written).filter(([key, value]) => {
    const apparent = valueBetween(fields[key], current.get(key), merged[key] ?? null);
    return canonicalJson(apparent) !== canonicalJson(isArray(apparent) ? listOf(value) : value);
  });
  return underivable.length === 0 ? undefined : Object.fromEntries(underivable);
}

function areNumbers(...values: readonly JsonValue[]): boolean {
  return values.every((value) => typeof value === 'number');
}

/** One value appends as a list of one. */
function listOf(value: JsonValue): readonly JsonValue[] {
  return isArray(value) ? value : [value];
}

function invalidWrite(message: string): ErrandError {
  return new ErrandError({ kind: 'validation.template', message });
}
