/** Merges a write into the shared state, by the merge that its key declares. */
import { isArray, type JsonObject, type JsonValue } from '../../errors/support/safe-json.ts';
import { ErrandError } from '../../errors/thrown/errand-error.ts';
import type { Merge, StateField } from '../../workflow/plan/plan.ts';
import { fitsType } from '../../workflow/json-schema/field-schema.ts';
import { canonicalJson } from '../../workflow/plan/stable-hash.ts';

/** The new values of the keys that were written. */
export function mergeState(
  fields: Readonly<Record<string, StateField>>,
  current: Pick<ReadonlyMap<string, JsonValue>, 'get'>,
  written: JsonObject,
): JsonObject {
  const merged = Object.entries(written).map(([key, value]) => {
    const field = fields[key];
    if (field === undefined) throw invalidWrite(`The workflow declares no state named ${key}`);
    const problem = writeProblem(field, value);
    if (problem !== undefined) throw invalidWrite(`The state ${key} ${problem}`);
    return [key, mergeValue(field.merge, current.get(key) ?? field.default, value, key)] as const;
  });
  return Object.fromEntries(merged);
}

/** Why the value cannot be written; `append` and `union` accept any item of a list. */
export function writeProblem({ merge, type }: StateField, value: JsonValue): string | undefined {
  if (merge === 'append' || merge === 'union' || fitsType(value, type)) return undefined;
  return `must be of type ${type}, and the written value is not`;
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
        throw invalidWrite(
          `The state ${key} is merged by sum, but one of the two values is not a number`,
        );
      return before + value;
  }
}

interface UndoneWrite {
  readonly current: JsonValue;
  readonly before: JsonValue | undefined;
  readonly after: JsonValue | undefined;
}

/** The value without one write into it, whatever was written since. */
export function unmergeValue(
  merge: Merge,
  { current, before, after }: UndoneWrite,
): JsonValue | undefined {
  if (isSame(current, after)) return before;
  if (typeof current === 'number' && typeof after === 'number' && merge === 'sum')
    return current - (after - (typeof before === 'number' ? before : 0));
  if (!isArray(current) || !isArray(after) || (merge !== 'append' && merge !== 'union'))
    return current;
  const start = isArray(before) ? before.length : 0;
  const added = after.slice(start);
  return merge === 'union'
    ? current.filter((item) => !added.some((each) => isSame(each, item)))
    : withoutRun(current, added, start);
}

/** Without these items in a row, which are at this index or, where earlier ones were taken out, before it. */
function withoutRun(
  list: readonly JsonValue[],
  run: readonly JsonValue[],
  latest: number,
): readonly JsonValue[] {
  for (let at = Math.min(latest, list.length - run.length); at >= 0; at--)
    if (isSame(list.slice(at, at + run.length), run))
      return [...list.slice(0, at), ...list.slice(at + run.length)];
  return list;
}

function isSame(one: JsonValue, other: JsonValue | undefined): boolean {
  return other !== undefined && (one === other || canonicalJson(one) === canonicalJson(other));
}

/** One value appends as a list of one. */
function listOf(value: JsonValue): readonly JsonValue[] {
  return isArray(value) ? value : [value];
}

function invalidWrite(message: string): ErrandError {
  return new ErrandError({ kind: 'validation.template', message });
}
