/** Reads values of documents that may not fit any schema, for rules. */
export type Raw = Readonly<Record<string, unknown>>;

export function asMap(value: unknown): Raw {
  const isMap = typeof value === 'object' && value !== null && !Array.isArray(value);
  return isMap ? (value as Raw) : {};
}

export function asList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** The text items of a list, each with its index. */
export function textItems(value: unknown): readonly (readonly [string, number])[] {
  return asList(value).flatMap((item, index) =>
    typeof item === 'string' ? [[item, index] as const] : [],
  );
}
