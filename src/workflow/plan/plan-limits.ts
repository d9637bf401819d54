/** Limits that both the checks and the machine use. */

/** A longer wait pauses the run instead of holding it open. */
export const INLINE_CEILING_MS = 120_000;

/** How often a reply that does not fit its schema is sent back to the model. */
export const SCHEMA_CORRECTIONS = 2;

/** How many rounds of invalid tool calls an agent may correct before it fails. */
export const TOOL_CORRECTIONS = 3;
