/** The tokens of an attempt: what its provider counted, else an estimate, marked as such. */
import type { ErrorReport } from '../errors/report/report.ts';
import {
  isCounted,
  isRefused,
  NOTHING_USED,
  usedByReply,
  usedSoFar,
  type ReportedUsage,
  type Used,
} from '../providers/pricing/counted-usage.ts';
import { tokensIn } from '../providers/pricing/estimate-tokens.ts';
import type { TokenCounts } from '../providers/pricing/prices.ts';

/** The use that an attempt has shown so far. */
export interface AttemptUse {
  readonly estimate: TokenCounts;
  /** Content has reached the caller. */
  readonly isDelivered: boolean;
  /** Characters of the answer. */
  readonly written: number;
  /** The provider's count, once it said so. */
  readonly reported?: ReportedUsage;
  /** Its count so far, in the raw events of a stream. */
  readonly counted?: ReportedUsage | undefined;
}

/** For an attempt that answered well. */
export function usedByAnswer(use: AttemptUse, reported: ReportedUsage | undefined): Used {
  return usedByReply(reported, use.counted, estimateOf(use));
}

/** For a failed attempt: an answer that was counted costs its count, whatever is wrong with it. */
export function usedByFailure(use: AttemptUse, { kind, outcome, provider }: ErrorReport): Used {
  const { reported, counted, isDelivered } = use;
  if (isCounted(reported)) return usedByReply(reported, counted, estimateOf(use));
  const isUnused = isRefused(kind, outcome, provider?.status) && !isDelivered;
  const isNothing = isUnused && counted === undefined;
  return isNothing ? NOTHING_USED : usedSoFar(counted, estimateOf(use));
}

function estimateOf({ estimate, written }: AttemptUse): TokenCounts {
  return { ...estimate, outputTokens: tokensIn(written) };
}
