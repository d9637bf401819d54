/**
 * Reads token counts from the raw events of a stream. The SDK reports them only at a good end. For
 * a stream that is cut, only the events have the count; for an error, the body has it.
 */
import { laterCount, type ReportedUsage } from './counted-usage.ts';
import { isArray, readProperty } from '../../errors/support/safe-json.ts';
import { hostUsage } from './host-usage.ts';
import { readCount as read } from './token-count.ts';

/** The count after one more raw event. */
export function countedSoFar(
  before: ReportedUsage | undefined,
  event: unknown,
): ReportedUsage | undefined {
  const ofMessage = readProperty(readProperty(event, 'message'), 'usage');
  const ofResponse = readProperty(readProperty(event, 'response'), 'usage');
  const own = readProperty(event, 'usage');
  const isResponse = readProperty(event, 'object') === 'response';
  const now =
    responsesUsage(isResponse ? own : ofResponse) ??
    anthropicUsage(ofMessage ?? own) ??
    hostUsage(own ?? nestedUsage(event)) ??
    googleUsage(readProperty(event, 'usageMetadata'));
  return now === undefined ? before : laterCount(before, now);
}

/** Moonshot nests it in the choice, and Groq in a field of its own. */
function nestedUsage(event: unknown): unknown {
  const choices = readProperty(event, 'choices');
  const [choice] = isArray(choices) ? choices : [];
  return readProperty(choice, 'usage') ?? readProperty(readProperty(event, 'x_groq'), 'usage');
}

/** Anthropic's `input_tokens` excludes cached tokens; the total is the sum. */
function anthropicUsage(usage: unknown): ReportedUsage | undefined {
  const fresh = read(usage, 'input_tokens');
  const outputTokens = read(usage, 'output_tokens');
  if (fresh === undefined && outputTokens === undefined) return undefined;
  const cacheReadTokens = read(usage, 'cache_read_input_tokens') ?? 0;
  const cacheWriteTokens = read(usage, 'cache_creation_input_tokens') ?? 0;
  if (fresh === undefined) return { outputTokens };
  return {
    inputTokens: fresh + cacheReadTokens + cacheWriteTokens,
    outputTokens,
    inputTokenDetails: { cacheReadTokens, cacheWriteTokens },
  };
}

/** OpenAI's `input_tokens` includes cached tokens. */
function responsesUsage(usage: unknown): ReportedUsage | undefined {
  const inputTokens = read(usage, 'input_tokens');
  const outputTokens = read(usage, 'output_tokens');
  if (inputTokens === undefined && outputTokens === undefined) return undefined;
  const ofInput = readProperty(usage, 'input_tokens_details');
  const ofOutput = readProperty(usage, 'output_tokens_details');
  return {
    inputTokens,
    outputTokens,
    inputTokenDetails: { cacheReadTokens: read(ofInput, 'cached_tokens') ?? 0 },
    outputTokenDetails: { reasoningTokens: read(ofOutput, 'reasoning_tokens') ?? 0 },
  };
}

function googleUsage(usage: unknown): ReportedUsage | undefined {
  const inputTokens = read(usage, 'promptTokenCount');
  if (inputTokens === undefined) return undefined;
  const reasoningTokens = read(usage, 'thoughtsTokenCount') ?? 0;
  return {
    inputTokens,
    outputTokens: (read(usage, 'candidatesTokenCount') ?? 0) + reasoningTokens,
    inputTokenDetails: { cacheReadTokens: read(usage, 'cachedContentTokenCount') ?? 0 },
    outputTokenDetails: { reasoningTokens },
  };
}
