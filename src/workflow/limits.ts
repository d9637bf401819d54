/** Numbers of the design that both the checks and the machine hold to. */

/** A longer wait is parked on a durable timer instead of holding the run open. */
export const INLINE_CEILING_MS = 120_000;

/** How often an answer off its schema is sent back. */
export const SCHEMA_CORRECTIONS = 2;

/** How many rounds of wrong tool calls an agent is told about before it fails. */
export const TOOL_CORRECTIONS = 3;
