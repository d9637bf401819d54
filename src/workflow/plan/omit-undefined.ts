/** Omits keys whose value is undefined: optional fields of a plan are absent, never undefined. */
export type WithoutUndefined<T> = {
  readonly [K in keyof T as undefined extends T[K] ? never : K]: T[K];
} & {
  readonly [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>;
};

export function omitUndefined<const T extends object>(fields: T): WithoutUndefined<T> {
  const kept: Record<string, unknown> = {};
  for (const key of Object.keys(fields)) {
    const value: unknown = Reflect.get(fields, key);
    if (value !== undefined) kept[key] = value;
  }
  // same keys with the same values, except those that are undefined
  return kept as WithoutUndefined<T>;
}

/** The same map with other values; `__proto__` and the like stay ordinary keys. */
export function mapValues<V, W>(
  map: Readonly<Record<string, V>>,
  change: (value: V, key: string) => W,
): Record<string, W> {
  return Object.fromEntries(Object.entries(map).map(([key, value]) => [key, change(value, key)]));
}
