/** Whether a value is nested deeper than so many levels. */
import type { JsonValue } from './safe-json.ts';

/** Without recursion: the value may be nested as deep as its text is long. */
export function isDeeper(value: JsonValue, most: number): boolean {
  let level: JsonValue[] = [value];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > most) return true;
    level = level.flatMap((each) =>
      typeof each === 'object' && each !== null ? Object.values(each) : [],
    );
  }
  return false;
}
