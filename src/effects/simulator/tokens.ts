/** The tokens that a simulated call uses. They are exact by definition. */
import type { Usage } from '../../machine/state/events.ts';
import type { ModelCall, ToolCall } from '../../machine/conversation/model-message.ts';
import { inputTokensOf, outputTokensOf } from '../../machine/policy/pricing.ts';
import type { SimulatedUsage } from '../../workflow/plan/plan.ts';

/** The scripted counts; missing ones are counted as budgets count them. */
export function usageOf(
  scripted: SimulatedUsage | undefined,
  call: ModelCall,
  answer: { readonly text: string; readonly toolCalls: readonly ToolCall[] },
): Usage {
  return {
    inputTokens: inputTokensOf(call),
    outputTokens: outputTokensOf(answer.text, answer.toolCalls),
    ...scripted,
  };
}
