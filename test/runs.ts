/**
 * The number of repetitions in a test: as many as it says in `npm run soak`, a quarter of that in
 * `npm test`, and a twentieth in the loop of `npm run test:fast`. Fewer repetitions may meet fewer
 * cases, so a claim about their number asks for a part of `runs(full)`, not of `full`.
 */

/** `npm run test:fast` is Vitest in this mode. */
const FAST = 'fast';
const FAST_SHARE = 20;
const SHARE = 4;
/** Fewer repetitions than this are never reduced. */
const LEAST = 25;

/** Vitest passes its mode to tests in the environment. */
export const IS_FAST = process.env['MODE'] === FAST;
export const IS_SOAK = process.env['MODE'] === 'soak';

export function runs(full: number): number {
  if (IS_SOAK) return full;
  if (IS_FAST) return Math.ceil(full / FAST_SHARE);
  return Math.min(full, Math.max(LEAST, Math.ceil(full / SHARE)));
}

/** The runs of properties without a count of their own; fast-check's default is 100. */
export const FAST_PROPERTY_RUNS = 15;

/** All rows of a table of similar cases; in the fast loop one of twenty. */
export function rows<Row>(all: readonly Row[]): readonly Row[] {
  return IS_FAST ? all.filter((_, index) => index % FAST_SHARE === 0) : all;
}
