/**
 * The tokens that a failed call used. A refusal costs nothing. A reply that broke off, was not received,
 * or was replaced by a gateway's error was worked on: the provider's count is used, else an estimate.
 */
import { outcomeOf } from '../../../errors/report/build.ts';
import { causeChain } from '../../../errors/thrown/cause-chain.ts';
import { readProperty } from '../../../errors/support/safe-json.ts';
import type { ModelCall } from '../../../machine/conversation/model-message.ts';
import { countedSoFar } from '../../../providers/pricing/early-usage.ts';
import type { CallFailure } from '../model-failure.ts';
import type { StreamState } from '../stream/stream-state.ts';
import { wholeAnswerIn } from '../stream/whole-answer.ts';
import {
  isRefused,
  type Used,
  NOTHING_USED,
  usedSoFar,
  usedByReply,
  usedUp,
  inputTokensOf,
  type ReportedUsage,
} from '../../../providers/pricing/counted-usage.ts';
import { estimateUsage } from './estimate-usage.ts';

export function usedByFailure(
  { failure, thrown }: CallFailure,
  state: StreamState,
  call: ModelCall,
): Used {
  const { finish, error, isDelivered } = state;
  const whole = wholeAnswerIn(thrown);
  const estimate = estimateUsage(call, whole?.written ?? writtenIn(state));
  const hasEnd =
    finish !== undefined && error === undefined && finish.rawFinishReason !== undefined;
  if (hasEnd) return usedByReply(finish.usage, state.counted, estimate);
  const reported = usageIn(thrown);
  if (reported !== undefined || whole !== undefined) return usedUp(reported, estimate);
  const { kind, provider } = failure;
  const isUnused = isRefused(kind, outcomeOf(failure), provider?.status) && !isDelivered;
  if (isUnused && state.counted === undefined) return NOTHING_USED;
  const isCounted = inputTokensOf(finish?.usage) !== undefined;
  const counted = isCounted ? finish?.usage : state.counted;
  return usedSoFar(counted, estimate);
}

/** Some providers send calls without pieces, and some pieces get lost. */
export function writtenIn({ written, text, reasoning, toolCalls }: StreamState): number {
  const kept = text.length + reasoning.length + JSON.stringify(toolCalls).length - '[]'.length;
  return Math.max(written, kept);
}

/** An error body may contain the usage. */
function usageIn(thrown: unknown): ReportedUsage | undefined {
  for (const link of causeChain(thrown)) {
    const body = readProperty(link, 'responseBody') ?? readProperty(link, 'body');
    const usage = countedSoFar(undefined, typeof body === 'string' ? parsed(body) : body);
    if (usage !== undefined) return usage;
  }
  return undefined;
}

function parsed(body: string): unknown {
  if (!/^\s*\{/.test(body)) return undefined;
  try {
    return JSON.parse(body);
  } catch {
    // a page, or half of a body: no count in it
    return undefined;
  }
}
