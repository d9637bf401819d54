/**
 * How often a test repeats something: as often as it says in `npm run soak`, a quarter of that in
 * `npm test`, and a twentieth in the loop of `npm run test:fast`. What runs
 * fewer times may meet fewer cases, so a claim about how many were met asks for a part of `runs(full)`,
 * not of `full`.
 */

/** `npm run test:fast` is Vitest in this mode. */
const FAST = 'fast';
const FAST_SHARE = 20;
const SHARE = 4;
/** What repeats less than that is repeated in whole. */
const LEAST = 25;

/** Vitest hands its mode to tests in the environment. */
export const IS_FAST = process.env['MODE'] === FAST;
export const IS_SOAK = process.env['MODE'] === 'soak';

export function runs(full: number): number {
  if (IS_SOAK) return full;
  if (IS_FAST) return Math.ceil(full / FAST_SHARE);
  return Math.min(full, Math.max(LEAST, Math.ceil(full / SHARE)));
}

/** Properties that name no count of their own; fast-check's is 100. */
export const FAST_PROPERTY_RUNS = 15;

/** All rows of a table of alike cases; in the fast loop one of twenty. */
export function rows<Row>(all: readonly Row[]): readonly Row[] {
  return IS_FAST ? all.filter((_, index) => index % FAST_SHARE === 0) : all;
}
