/**
 * The status in the last event of a stream of OpenAI's Responses. The SDK drops it and takes every such
 * stream for a good one, so the raw events are asked for, and those that the caller did not ask for are
 * left out again.
 */
import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4StreamPart as Part,
} from '@ai-sdk/provider';
import { isPlainObject, readProperty } from '../errors/support/safe-json.ts';

export function withRawEvents(
  { provider }: LanguageModelV4,
  options: LanguageModelV4CallOptions,
): LanguageModelV4CallOptions {
  return provider.endsWith('.responses') ? { ...options, includeRawChunks: true } : options;
}

/** The response of the event that ends a stream, as the body of a whole answer would have it. */
export function endedResponse(part: Part): object | undefined {
  const event = part.type === 'raw' ? part.rawValue : undefined;
  const response = readProperty(event, 'response');
  return readProperty(event, 'type') === 'response.completed' && isPlainObject(response)
    ? { ...response, object: 'response' }
    : undefined;
}
