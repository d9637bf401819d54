/** The names a template sees. */
import type { JsonValue } from '../../errors/json.ts';

export interface Scope {
  /** Undefined when there is no such name. */
  lookup(name: string): JsonValue | undefined;
  /** Every name there is, to suggest one that was probably meant. */
  names(): Iterable<string>;
}

/** Own properties only: nothing is inherited from a prototype. */
export function scopeOf(record: Readonly<Record<string, JsonValue>>): Scope {
  return {
    lookup: (name) => (Object.hasOwn(record, name) ? record[name] : undefined),
    names: () => Object.keys(record),
  };
}
