/** How deep a JSON value is nested. */
import type { JsonValue } from '../../errors/support/safe-json.ts';

/** Without recursion: the value may be nested as deep as its text is long. */
export function isNestedDeeper(value: JsonValue, levels: number): boolean {
  let level: JsonValue[] = [value];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > levels) return true;
    level = level.flatMap((each) =>
      typeof each === 'object' && each !== null ? Object.values(each) : [],
    );
  }
  return false;
}
