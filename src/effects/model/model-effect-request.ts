/** The request to the model effect: the call, its settings and its time limits. */
import type { ModelCall } from '../../machine/conversation/model-message.ts';
import type { ModelTimeouts } from '../../machine/policy/model-timeouts.ts';
import type { ProviderSettings } from '../../workflow/plan/plan.ts';

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
