/** Numbers of the design that both the checks and the machine hold to. */

/** A longer wait is parked on a durable timer instead of holding the run open. */
export const INLINE_CEILING_MS = 120_000;
