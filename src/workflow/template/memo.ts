/** Remembers what was made of the last sources, within bounds; nobody can tell but by the clock. */

export interface MemoBounds {
  readonly maxEntries: number;
  /** Of all sources together. */
  readonly maxChars: number;
}

export function memoise<T>(make: (source: string) => T, bounds: MemoBounds): (source: string) => T {
  const made = new Map<string, T>();
  let chars = 0;
  return (source) => {
    // one that would push out many others is not kept
    if (source.length > bounds.maxChars / 8) return make(source);
    const known = made.get(source);
    if (known !== undefined) {
      // moved to the end: the first is the one that was not asked for the longest
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
