/**
 * How often a test repeats something: as often as it says, and a twentieth of that in the loop of
 * `npm run test:fast`. What runs fewer times may meet fewer cases, so a claim about how many were met
 * asks for a part of `runs(full)`, not of `full`.
 */

/** `npm run test:fast` is Vitest in this mode. */
const FAST = 'fast';
const SHARE = 20;

/** Vitest hands its mode to tests in the environment. */
export const IS_FAST = process.env['MODE'] === FAST;
export const IS_SOAK = process.env['MODE'] === 'soak';

/** Properties that name no count of their own; fast-check's is 100. */
export const FAST_PROPERTY_RUNS = 15;

export function runs(full: number): number {
  return IS_FAST ? Math.ceil(full / SHARE) : full;
}

/** All rows of a table of alike cases; in the fast loop one of twenty. */
export function rows<Row>(all: readonly Row[]): readonly Row[] {
  return IS_FAST ? all.filter((_, index) => index % SHARE === 0) : all;
}
