/** What a call has used: the provider's count where there is one, else ours, and then it says so. */
import type { Usage } from '../../machine/events.ts';
import type { ModelCall } from '../../machine/model-call.ts';
import { inputTokensOf } from '../../machine/pricing.ts';
import { given } from '../../workflow/given.ts';
import type { Used } from '../effect.ts';
import type { SdkUsage } from './sdk.ts';

/** The contract's estimate, also used for budgets. */
const CHARS_PER_TOKEN = 4;

export const NOTHING_USED: Used = { usage: { inputTokens: 0, outputTokens: 0 } };

/** Of an answer that came to its end. */
export function usedUp(reported: SdkUsage | undefined, estimate: Usage): Used {
  const usage = withoutZeros(toUsage(reported), estimate);
  if (usage.inputTokens !== undefined && usage.outputTokens !== undefined) return { usage };
  return { usage: { ...estimate, ...usage }, isEstimated: true };
}

/** Nothing for what is not empty is no count. */
function withoutZeros({ inputTokens, outputTokens, ...usage }: Usage, estimate: Usage): Usage {
  return given({
    ...usage,
    inputTokens: isMissing(inputTokens, estimate.inputTokens) ? undefined : inputTokens,
    outputTokens: isMissing(outputTokens, estimate.outputTokens) ? undefined : outputTokens,
  });
}

function isMissing(tokens: number | undefined, estimated: number | undefined): boolean {
  return tokens === 0 && (estimated ?? 0) > 0;
}

/** Of an answer that broke off: what was reported by then is not all of it. */
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
  return given({
    inputTokens: count(reported?.inputTokens),
    outputTokens: count(reported?.outputTokens),
    cachedTokens: count(reported?.inputTokenDetails?.cacheReadTokens),
    cacheWriteTokens: count(reported?.inputTokenDetails?.cacheWriteTokens),
    reasoningTokens: count(reported?.outputTokenDetails?.reasoningTokens),
  });
}

/** Some hosts send NaN, fractions or less than nothing. */
function count(tokens: number | undefined): number | undefined {
  return typeof tokens === 'number' && Number.isFinite(tokens) && tokens >= 0
    ? Math.ceil(tokens)
    : undefined;
}
