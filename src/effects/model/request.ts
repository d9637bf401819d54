/** The request to the model effect: the call, its settings and its time limits. */
import type { ModelCall } from '../../machine/conversation/model-message.ts';
import type { ProviderSettings } from '../../workflow/plan/plan.ts';

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

export interface ModelRequest {
  readonly call: ModelCall;
  /** From the plan; used if it names the provider of this model. */
  readonly settings?: ProviderSettings;
  /** The folder of the workflow, whose packages come first. */
  readonly directory?: string;
  readonly timeouts?: Partial<ModelTimeouts>;
  /** The key was refused: get a fresh one first. */
  readonly refreshesKey?: boolean;
  /** Time left to the node; reaching it is not a failure of the provider. */
  readonly timeoutMs?: number;
}
