/**
 * How hosts of OpenAI's protocol count. Most have the tokens of thoughts inside of those of the answer;
 * some have them beside, which only the total shows, and then they would be missing from the bill.
 */
import { readProperty } from '../../errors/json.ts';

/** In the form of the AI SDK's model interface. */
export function convertHostUsage(usage: unknown): object {
  const input = read(usage, 'prompt_tokens') ?? 0;
  const written = read(usage, 'completion_tokens') ?? 0;
  const details = readProperty(usage, 'prompt_tokens_details');
  const cached = read(details, 'cached_tokens') ?? 0;
  const cacheWrite = read(details, 'cache_write_tokens');
  const thoughts = read(readProperty(usage, 'completion_tokens_details'), 'reasoning_tokens') ?? 0;
  const isBeside = thoughts > 0 && read(usage, 'total_tokens') === input + written + thoughts;
  const isKnown = read(usage, 'prompt_tokens') !== undefined;
  const output = isBeside ? written + thoughts : written;
  return {
    inputTokens: {
      total: isKnown ? input : undefined,
      noCache: isKnown ? Math.max(0, input - cached - (cacheWrite ?? 0)) : undefined,
      cacheRead: isKnown ? cached : undefined,
      cacheWrite: isKnown ? cacheWrite : undefined,
    },
    outputTokens: {
      total: isKnown ? output : undefined,
      text: isKnown ? Math.max(0, output - thoughts) : undefined,
      reasoning: isKnown ? thoughts : undefined,
    },
  };
}

function read(usage: unknown, key: string): number | undefined {
  const count = readProperty(usage, key);
  return typeof count === 'number' && Number.isFinite(count) ? count : undefined;
}
