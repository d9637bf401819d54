/** Whether a value is nested deeper than so many levels. */
import type { JsonValue } from './safe-json.ts';

/** Looks no deeper than that: the value may be nested as deep as its text is long. */
export function isDeeper(value: JsonValue, most: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const inner: readonly JsonValue[] = Array.isArray(value) ? value : Object.values(value);
  if (most <= 0) return inner.length > 0;
  for (const each of inner) if (typeof each === 'object' && isDeeper(each, most - 1)) return true;
  return false;
}
