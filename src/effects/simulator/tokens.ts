/** What a simulated call uses. Exact by definition: who simulates the work also counts it. */
import type { Usage } from '../../machine/events.ts';
import type { ModelCall, ToolCall } from '../../machine/model-call.ts';
import { inputTokensOf, outputTokensOf } from '../../machine/pricing.ts';
import type { SimulatedUsage } from '../../workflow/model.ts';

/** What the script says, and what it leaves open counted, as budgets are reserved. */
export function usageOf(
  given: SimulatedUsage | undefined,
  call: ModelCall,
  answer: { readonly text: string; readonly toolCalls: readonly ToolCall[] },
): Usage {
  return {
    inputTokens: inputTokensOf(call),
    outputTokens: outputTokensOf(answer.text, answer.toolCalls),
    ...given,
  };
}
