/** The time limits of a model call, where nobody sets others. */

export interface ModelTimeouts {
  /** Until the first content: text, reasoning or a tool call. */
  readonly firstTokenMs: number;
  /** Silence after that. During reasoning, `firstTokenMs` applies if it is longer. */
  readonly idleMs: number;
  /** The whole call. */
  readonly totalMs: number;
}

/** Long, because models reason for minutes before the first token; a node's own timeout is shorter. */
export const DEFAULT_TIMEOUTS: ModelTimeouts = {
  firstTokenMs: 180_000,
  idleMs: 120_000,
  totalMs: 900_000,
};
