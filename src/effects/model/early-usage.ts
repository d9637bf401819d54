/**
 * Two providers count while they stream, and the SDK tells of it only at a good end. Of a stream that
 * is cut, their own events are the only place where the count is.
 */
import { readProperty } from '../../errors/json.ts';
import type { SdkUsage } from './sdk.ts';

/** What is known after one more event of the wire. */
export function countedSoFar(before: SdkUsage | undefined, event: unknown): SdkUsage | undefined {
  const message = readProperty(event, 'message');
  const ofAnthropic = readProperty(message, 'usage') ?? readProperty(event, 'usage');
  const ofGoogle = readProperty(event, 'usageMetadata');
  const now = anthropicUsage(ofAnthropic) ?? googleUsage(ofGoogle);
  if (now === undefined) return before;
  return {
    inputTokens: now.inputTokens ?? before?.inputTokens,
    outputTokens: now.outputTokens ?? before?.outputTokens,
    inputTokenDetails: now.inputTokenDetails ?? before?.inputTokenDetails ?? {},
    outputTokenDetails: now.outputTokenDetails ?? before?.outputTokenDetails ?? {},
  };
}

/** Its input is what no cache had to do with; the whole is the sum. */
function anthropicUsage(usage: unknown): SdkUsage | undefined {
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

function googleUsage(usage: unknown): SdkUsage | undefined {
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

function read(usage: unknown, key: string): number | undefined {
  const count = readProperty(usage, key);
  return typeof count === 'number' ? count : undefined;
}
