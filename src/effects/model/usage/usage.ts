/** The tokens that a call used: the provider's count if there is one, else our estimate, marked as such. */
import type { Usage } from '../../../machine/state/events.ts';
import type { ModelCall } from '../../../machine/conversation/model-message.ts';
import { inputTokensOf } from '../../../machine/policy/pricing.ts';
import { omitUndefined } from '../../../workflow/plan/omit-undefined.ts';
import type { Used } from '../../effect.ts';
import type { SdkUsage } from '../sdk.ts';
import { tokenCount } from './token-count.ts';

/** The contract's estimate, also used for budgets. */
const CHARS_PER_TOKEN = 4;

export const NOTHING_USED: Used = { usage: { inputTokens: 0, outputTokens: 0 } };

/** For a complete reply. */
export function usedUp(reported: SdkUsage | undefined, estimate: Usage): Used {
  const usage = withoutZeros(toUsage(reported), estimate);
  const { outputTokens, reasoningTokens = 0 } = usage;
  // a provider that counts only its reasoning has not counted what it wrote
  const isTextMissing = reasoningTokens > 0 && outputTokens === reasoningTokens;
  if (isTextMissing) {
    const written = outputTokens + (estimate.outputTokens ?? 0);
    return { usage: { ...estimate, ...usage, outputTokens: written }, isEstimated: true };
  }
  if (usage.inputTokens !== undefined && usage.outputTokens !== undefined) return { usage };
  return { usage: { ...estimate, ...usage }, isEstimated: true };
}

/** A count of zero for a non-empty text is replaced by the estimate. */
function withoutZeros({ inputTokens, outputTokens, ...usage }: Usage, estimate: Usage): Usage {
  return omitUndefined({
    ...usage,
    inputTokens: isMissing(inputTokens, estimate.inputTokens) ? undefined : inputTokens,
    outputTokens: isMissing(outputTokens, estimate.outputTokens) ? undefined : outputTokens,
  });
}

function isMissing(tokens: number | undefined, estimated: number | undefined): boolean {
  return tokens === 0 && (estimated ?? 0) > 0;
}

/** For a reply that broke off: the count so far may be too low. */
export function usedSoFar(reported: SdkUsage | undefined, estimate: Usage): Used {
  const usage = withoutZeros(toUsage(reported), estimate);
  const outputTokens = Math.max(usage.outputTokens ?? 0, estimate.outputTokens ?? 0);
  return { usage: { ...estimate, ...usage, outputTokens }, isEstimated: true };
}

/** `written` in characters. */
export function estimateUsage(call: ModelCall, written: number): Usage {
  return { inputTokens: inputTokensOf(call), outputTokens: tokensOf(written) };
}

function tokensOf(chars: number): number {
  return Math.ceil(chars / CHARS_PER_TOKEN);
}

function toUsage(reported: SdkUsage | undefined): Usage {
  return omitUndefined({
    inputTokens: tokenCount(reported?.inputTokens),
    outputTokens: tokenCount(reported?.outputTokens),
    cachedTokens: tokenCount(reported?.inputTokenDetails?.cacheReadTokens),
    cacheWriteTokens: tokenCount(reported?.inputTokenDetails?.cacheWriteTokens),
    reasoningTokens: tokenCount(reported?.outputTokenDetails?.reasoningTokens),
  });
}
