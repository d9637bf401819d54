/** What is asked of the model effect beside the call itself, and how long it may take. */
import type { ModelCall } from '../../machine/model-call.ts';
import type { ProviderSettings } from '../../workflow/model.ts';

export interface ModelTimeouts {
  /** Until the first content: text, a thought or a tool call. */
  readonly firstTokenMs: number;
  /** Silence after that. While the model thinks aloud, `firstTokenMs` holds if it is longer. */
  readonly idleMs: number;
  /** The whole call. */
  readonly totalMs: number;
}

/** Long, because models think for minutes before they say a word; a node's own timeout is shorter. */
export const DEFAULT_TIMEOUTS: ModelTimeouts = {
  firstTokenMs: 180_000,
  idleMs: 120_000,
  totalMs: 900_000,
};

export interface ModelRequest {
  readonly call: ModelCall;
  /** Of the plan; used where it is about the provider of this model. */
  readonly settings?: ProviderSettings;
  /** The folder of the workflow: its packages are looked for first. */
  readonly directory?: string;
  readonly timeouts?: Partial<ModelTimeouts>;
  /** The key was refused: a fresh one is to be had first. */
  readonly refreshesKey?: boolean;
  /** What is left of the node's own time; to run out of it is no fault of the provider. */
  readonly timeoutMs?: number;
}
