/** `doEmbed` of a chain: vectors of one model, since those of two cannot be compared. */
import type {
  EmbeddingModelV4,
  EmbeddingModelV4CallOptions,
  EmbeddingModelV4Result,
} from '@ai-sdk/provider';
import { DEFAULT_TIMEOUTS } from '../machine/policy/model-timeouts.ts';
import { tokensIn } from '../providers/pricing/estimate-tokens.ts';
import { ChainCall } from './chain-call.ts';
import { optionsFor, withRecord } from './entry-options.ts';
import type { Chain } from './options.ts';

export async function embed(
  chain: Chain<EmbeddingModelV4>,
  options: EmbeddingModelV4CallOptions,
): Promise<EmbeddingModelV4Result> {
  const call = new ChainCall(chain, options.abortSignal);
  const chars = options.values.reduce((sum, value) => sum + value.length, 0);
  const { answer, attempt } = await call.answerOf(
    ({ entry, scope }) => scope.wait(entry.model.doEmbed(optionsFor(entry, options, scope.signal))),
    {
      estimate: { inputTokens: tokensIn(chars), outputTokens: 0 },
      defaultTimeoutMs: DEFAULT_TIMEOUTS.totalMs,
    },
  );
  const record = call.succeeded(attempt, { inputTokens: answer.usage?.tokens, outputTokens: 0 });
  return { ...answer, providerMetadata: withRecord(answer.providerMetadata, record) };
}
