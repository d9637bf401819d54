/** Memoises the results of recent sources, within bounds; only timing shows the difference. */

export interface MemoBounds {
  readonly maxEntries: number;
  /** Total length of all sources. */
  readonly maxChars: number;
}

export function memoise<T>(make: (source: string) => T, bounds: MemoBounds): (source: string) => T {
  const made = new Map<string, T>();
  let chars = 0;
  return (source) => {
    // a source that would evict many others is not kept
    if (source.length > bounds.maxChars / 8) return make(source);
    const known = made.get(source);
    if (known !== undefined) {
      // moved to the end, so that the first entry is the least recently used
      made.delete(source);
      made.set(source, known);
      return known;
    }
    const fresh = make(source);
    made.set(source, fresh);
    chars += source.length;
    for (const oldest of made.keys()) {
      if (made.size <= bounds.maxEntries && chars <= bounds.maxChars) break;
      made.delete(oldest);
      chars -= oldest.length;
    }
    return fresh;
  };
}
