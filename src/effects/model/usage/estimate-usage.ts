/** Estimates the tokens of a call from what was sent and what came back. */
import type { ModelCall } from '../../../machine/conversation/model-message.ts';
import { inputTokensOf } from '../../../machine/policy/pricing.ts';
import { tokensIn } from '../../../providers/pricing/estimate-tokens.ts';
import type { TokenCounts } from '../../../providers/pricing/prices.ts';

/** `written` in characters. */
export function estimateUsage(call: ModelCall, written: number): TokenCounts {
  return { inputTokens: inputTokensOf(call), outputTokens: tokensIn(written) };
}
