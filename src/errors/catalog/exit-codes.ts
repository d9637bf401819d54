/** Exit codes of commands, each with its meaning for the run. */

/** Exit codes of failures; each row of the catalog has one of them. */
export const FAILURE_EXITS = {
  1: 'A defect of Errand itself',
  2: 'Wrong usage, or a file or an input that is not valid: nothing ran',
  3: 'Ended on a typed failure, a `halt` or a failed `terminate`',
  4: 'A limit: budget, time, steps, turns, retries',
  6: 'The store is unavailable and the run is safe, or the store is damaged and nothing was changed',
  130: 'Interrupted, or cancelled by `errand cancel`; the run is safe',
} as const;

/** All exit codes, in order. */
export const EXITS: Readonly<Record<number, string>> = {
  0: 'Completed',
  ...FAILURE_EXITS,
  5: 'Paused: waits for a person or a time; the run is safe',
  143: 'Terminated; the run is safe',
};

export type FailureExit = keyof typeof FAILURE_EXITS;
