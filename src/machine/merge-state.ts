/** What a write does to the shared state, by the merge its key declares. */
import { isArray, type JsonObject, type JsonValue } from '../errors/json.ts';
import { ErrandError } from '../errors/errand-error.ts';
import type { Merge, StateField } from '../workflow/model.ts';
import { fitsType } from '../workflow/fields.ts';
import { canonicalJson } from '../workflow/hash.ts';

/** The new values of the keys that were written. */
export function mergeState(
  fields: Readonly<Record<string, StateField>>,
  current: Pick<ReadonlyMap<string, JsonValue>, 'get'>,
  written: JsonObject,
): JsonObject {
  const merged = Object.entries(written).map(([key, value]) => {
    const field = fields[key];
    if (field === undefined) throw refused(`The workflow declares no state called ${key}`);
    const problem = writeProblem(field, value);
    if (problem !== undefined) throw refused(`The state ${key} ${problem}`);
    return [key, mergeValue(field.merge, current.get(key) ?? field.default, value, key)] as const;
  });
  return Object.fromEntries(merged);
}

/** Why the value cannot be written there; what is appended may be one of a list. */
export function writeProblem({ merge, type }: StateField, value: JsonValue): string | undefined {
  if (merge === 'append' || merge === 'union' || fitsType(value, type)) return undefined;
  return `is of the type ${type}, and what is written to it is not`;
}

function mergeValue(merge: Merge, before: JsonValue, value: JsonValue, key: string): JsonValue {
  switch (merge) {
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
      if (typeof before !== 'number' || typeof value !== 'number')
        throw refused(`The state ${key} is summed, and one of the two is not a number`);
      return before + value;
  }
}

/** One value appends as a list of one. */
function listOf(value: JsonValue): readonly JsonValue[] {
  return isArray(value) ? value : [value];
}

function refused(message: string): ErrandError {
  return new ErrandError({ kind: 'validation.template', message });
}
