/** `doEmbed` of a chain: vectors of one model, since those of two cannot be compared. */
import type {
  EmbeddingModelV4,
  EmbeddingModelV4CallOptions,
  EmbeddingModelV4Result,
} from '@ai-sdk/provider';
import { DEFAULT_TIMEOUTS } from '../machine/policy/model-timeouts.ts';
import { tokensIn } from '../providers/pricing/estimate-tokens.ts';
import type { ReportedUsage } from '../providers/pricing/counted-usage.ts';
import { BadEnding, UNREADABLE } from './attempt-failure.ts';
import { ChainCall, type OpenAttempt } from './chain-call.ts';
import { optionsFor, withRecord } from './entry-options.ts';
import type { Chain } from './chain-options.ts';

export async function embed(
  chain: Chain<EmbeddingModelV4>,
  options: EmbeddingModelV4CallOptions,
): Promise<EmbeddingModelV4Result> {
  const call = new ChainCall(chain, options.abortSignal);
  const chars = options.values.reduce((sum, value) => sum + value.length, 0);
  const { answer, attempt } = await call.answerOf((open) => ask(open, options), {
    estimate: { inputTokens: tokensIn(chars), outputTokens: 0 },
    defaultTimeoutMs: DEFAULT_TIMEOUTS.totalMs,
  });
  const record = call.succeeded(attempt, usageOf(answer));
  return { ...answer, providerMetadata: withRecord(answer.providerMetadata, record) };
}

async function ask(
  open: OpenAttempt<EmbeddingModelV4>,
  options: EmbeddingModelV4CallOptions,
): Promise<EmbeddingModelV4Result> {
  const { entry, scope } = open;
  const answer = await scope.wait(entry.model.doEmbed(optionsFor(entry, options, scope.signal)));
  open.isBegun = true;
  open.reported = usageOf(answer);
  if (!areVectors(answer.embeddings, options.values.length)) throw new BadEnding(UNREADABLE);
  return answer;
}

function usageOf({ usage }: EmbeddingModelV4Result): ReportedUsage {
  return { inputTokens: usage?.tokens, outputTokens: 0 };
}

/**
 * One vector for each value, all of one length. Nobody would notice anything else until much later.
 */
function areVectors(embeddings: unknown, count: number): boolean {
  if (!Array.isArray(embeddings)) return false;
  const lengths = new Set(embeddings.map((vector) => (isVector(vector) ? vector.length : 0)));
  return embeddings.length === count && lengths.size <= 1 && !lengths.has(0);
}

function isVector(value: unknown): value is readonly number[] {
  return Array.isArray(value) && value.every(Number.isFinite);
}
