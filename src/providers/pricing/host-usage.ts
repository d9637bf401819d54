/**
 * Token counts of hosts of OpenAI's protocol. Most include reasoning tokens in the output. Some
 * count them separately; only the total shows it, and without it the cost would miss them.
 */
import type { ReportedUsage } from './counted-usage.ts';
import { readProperty } from '../../errors/support/safe-json.ts';
import { readCount } from './token-count.ts';

/** Undefined if there is no count at all; one of the two may be missing. */
export function hostUsage(usage: unknown): ReportedUsage | undefined {
  const inputTokens = readCount(usage, 'prompt_tokens');
  const written = readCount(usage, 'completion_tokens');
  if (inputTokens === undefined && written === undefined) return undefined;
  const details = readProperty(usage, 'prompt_tokens_details');
  const ofOutput = readProperty(usage, 'completion_tokens_details');
  const reasoningTokens = readCount(ofOutput, 'reasoning_tokens') ?? 0;
  const apart = (inputTokens ?? 0) + (written ?? 0) + reasoningTokens;
  const isBeside = reasoningTokens > 0 && readCount(usage, 'total_tokens') === apart;
  const outputTokens = isBeside ? (written ?? 0) + reasoningTokens : written;
  return {
    inputTokens,
    outputTokens,
    inputTokenDetails: {
      cacheReadTokens: readCount(details, 'cached_tokens') ?? cachedBeside(usage) ?? 0,
      cacheWriteTokens: readCount(details, 'cache_write_tokens'),
    },
    outputTokenDetails: { reasoningTokens },
  };
}

/** DeepSeek and Moonshot count cached tokens outside the details. */
function cachedBeside(usage: unknown): number | undefined {
  return readCount(usage, 'prompt_cache_hit_tokens') ?? readCount(usage, 'cached_tokens');
}

/** Converts the usage to the form of the AI SDK's model interface. */
export function convertHostUsage(usage: unknown): object {
  const { inputTokens, outputTokens, inputTokenDetails, outputTokenDetails } =
    hostUsage(usage) ?? {};
  const cacheRead = inputTokenDetails?.cacheReadTokens ?? 0;
  const cacheWrite = inputTokenDetails?.cacheWriteTokens;
  const reasoning = outputTokenDetails?.reasoningTokens ?? 0;
  return {
    inputTokens:
      inputTokens === undefined
        ? {}
        : {
            total: inputTokens,
            noCache: Math.max(0, inputTokens - cacheRead - (cacheWrite ?? 0)),
            cacheRead,
            cacheWrite,
          },
    outputTokens:
      outputTokens === undefined
        ? {}
        : { total: outputTokens, text: Math.max(0, outputTokens - reasoning), reasoning },
  };
}
