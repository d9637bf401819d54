/** Estimates the tokens of a call from what the AI SDK passes to a model. */
import type { LanguageModelV4CallOptions } from '@ai-sdk/provider';
import {
  DEFAULT_OUTPUT_TOKENS,
  TOKENS_PER_IMAGE,
  tokensIn,
} from '../providers/pricing/estimate-tokens.ts';
import type { TokenCounts } from '../providers/pricing/prices.ts';

export function expectedTokens({
  prompt,
  tools = [],
  responseFormat,
  maxOutputTokens,
}: LanguageModelV4CallOptions): TokenCounts {
  let chars = sizeOf(tools) + (responseFormat?.type === 'json' ? sizeOf(responseFormat.schema) : 0);
  let files = 0;
  for (const { content } of prompt) {
    if (typeof content === 'string') chars += content.length;
    else
      for (const part of content) {
        if (part.type === 'file') files++;
        else chars += 'text' in part ? part.text.length : sizeOf(part);
      }
  }
  return {
    inputTokens: tokensIn(chars) + files * TOKENS_PER_IMAGE,
    outputTokens: maxOutputTokens ?? DEFAULT_OUTPUT_TOKENS,
  };
}

function sizeOf(value: unknown): number {
  if (value === undefined || (Array.isArray(value) && value.length === 0)) return 0;
  try {
    return JSON.stringify(value)?.length ?? 0;
  } catch {
    // cyclic, or larger than a text can be: the provider will count it
    return 0;
  }
}
