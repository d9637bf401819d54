/** The tokens that a simulated call uses. Scripted counts are exact; zeros stand for a missing count. */
import type { Usage } from '../../machine/state/events.ts';
import type { Used } from '../../providers/pricing/counted-usage.ts';
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

/**
 * Estimates the usage if a provider counts nothing of a call that was not empty: it has sent no
 * count.
 */
export function usedBy(
  scripted: Usage,
  call: ModelCall,
  answer: { readonly text: string; readonly toolCalls: readonly ToolCall[] },
): Used {
  const isZero = scripted.inputTokens === 0 && scripted.outputTokens === 0;
  if (!isZero) return { usage: scripted };
  return { usage: { ...scripted, ...usageOf(undefined, call, answer) }, isEstimated: true };
}
