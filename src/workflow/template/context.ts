/** Context of a template: the names that it can read. */
import type { JsonValue } from '../../errors/support/safe-json.ts';

export interface TemplateContext {
  /** Undefined when there is no such name. */
  lookup(name: string): JsonValue | undefined;
  /** All names, for suggestions. */
  names(): Iterable<string>;
}

/** Reads own properties only, never inherited ones. */
export function contextOf(record: Readonly<Record<string, JsonValue>>): TemplateContext {
  return {
    lookup: (name) => (Object.hasOwn(record, name) ? record[name] : undefined),
    names: () => Object.keys(record),
  };
}
