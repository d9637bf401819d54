/** How a command ends, and what that says about the run. */

/** Exits of a command that ends on a failure; a row of the catalog has one of them. */
export const FAILURE_EXITS = {
  1: 'A defect of Errand itself',
  2: 'Wrong usage, or a file or an input that is not valid: nothing was run',
  3: 'Ended on a typed failure, a `halt` or a failed `terminate`',
  4: 'A limit: budget, time, steps, turns, retries',
  6: 'The store could not be used, and the run is safe; or not be trusted, and nothing was changed',
  130: 'Interrupted, or cancelled by `errand cancel`; the run is safe',
} as const;

/** All exits, in order. */
export const EXITS: Readonly<Record<number, string>> = {
  0: 'Completed',
  ...FAILURE_EXITS,
  5: 'Paused: waits for a person or a time; the run is safe',
  143: 'Terminated; the run is safe',
};

export type FailureExit = keyof typeof FAILURE_EXITS;
