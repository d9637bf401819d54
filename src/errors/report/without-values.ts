/** Removes secrets from the texts of values. */
import { isJsonList, type JsonValue } from '../support/safe-json.ts';
import type { Redactor } from '../redaction/redact.ts';

/**
 * Returns the same object where there is nothing to redact. Redacts each text by itself: in the
 * JSON of the whole, a secret such as `true` or one with a quote would give false matches. The keys
 * of a plan are its form, and no variable is filled into them; keys of data may hold anything.
 * Numbers are treated as keys are, unless `numbers` says otherwise.
 */
export function withoutValues<T extends object>(
  value: T,
  redactor: Redactor,
  { keys = 'taken out', numbers = keys }: Parts = {},
): T {
  if (redactor.isEmpty?.() === true) return value;
  // only texts, keys and numbers are replaced, so JSON stays JSON
  return without(value as unknown as JsonValue, redactor, { keys, numbers }) as unknown as T;
}

interface Parts {
  readonly keys?: 'taken out' | 'as they are';
  readonly numbers?: 'taken out' | 'as they are';
}

/** For a plan: a number may be a secret too, such as a card number. */
export const IN_PLAN: Parts = { keys: 'as they are', numbers: 'taken out' };

function without(value: JsonValue, redactor: Redactor, parts: Parts): JsonValue {
  if (typeof value === 'string') return redactor.values(value);
  if (typeof value === 'number' && parts.numbers === 'taken out') {
    const written = String(value);
    const clean = redactor.values(written);
    return clean === written ? value : clean;
  }
  if (typeof value !== 'object' || value === null) return value;
  if (isJsonList(value)) {
    const items = value.map((item) => without(item, redactor, parts));
    return items.every((item, at) => item === value[at]) ? value : items;
  }
  const entries = new Map<string, JsonValue>();
  let isSame = true;
  for (const [key, item] of Object.entries<JsonValue | undefined>(value)) {
    if (item === undefined) continue;
    const name = parts.keys === 'taken out' ? freeKey(redactor.values(key), entries) : key;
    const clean = without(item, redactor, parts);
    entries.set(name, clean);
    isSame &&= name === key && clean === item;
  }
  return isSame ? value : Object.fromEntries(entries);
}

/** Gives distinct names to two keys that are equal without their secrets. */
export function freeKey(key: string, taken: ReadonlyMap<string, JsonValue>): string {
  let free = key;
  for (let count = 2; taken.has(free); count++) free = `${key} (${count})`;
  return free;
}
