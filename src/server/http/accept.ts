/** The media type that a client prefers (RFC 9110), among those that a path has. */

/** The first one where nothing is preferred, or nothing fits. */
export function prefersType<const T extends string>(
  accept: string | null,
  known: readonly [T, ...T[]],
): T {
  const wanted = (accept ?? '').split(',').map((part) => {
    const [type = '', ...parameters] = part.split(';').map((each) => each.trim().toLowerCase());
    const quality = parameters.find((each) => each.startsWith('q='));
    return { type, q: quality === undefined ? 1 : Number(quality.slice(2)) || 0 };
  });
  const ranked = wanted.filter(({ q }) => q > 0).toSorted((a, b) => b.q - a.q);
  for (const { type } of ranked) {
    const found = known.find((each) => each === type);
    if (found !== undefined) return found;
  }
  return known[0];
}
