/**
 * The tokens that a call used: the provider's count if there is one, else an estimate, marked as
 * such. A refusal costs nothing. The provider worked on a reply that broke off, was not received,
 * or was replaced by a gateway's error.
 */
import type { Outcome } from '../../errors/catalog/vocabulary.ts';
import type { TokenCounts } from './prices.ts';
import { tokenCount } from './token-count.ts';

/** The known token counts of a call. */
export interface Used {
  readonly usage?: TokenCounts;
  /** The counts are our estimate, not the provider's. */
  readonly isEstimated?: boolean;
}

/** A count as an SDK reports it, not yet checked. */
export interface ReportedUsage {
  readonly inputTokens?: number | undefined;
  readonly outputTokens?: number | undefined;
  readonly inputTokenDetails?:
    | {
        readonly noCacheTokens?: number | undefined;
        readonly cacheReadTokens?: number | undefined;
        readonly cacheWriteTokens?: number | undefined;
      }
    | undefined;
  readonly outputTokenDetails?:
    | {
        readonly textTokens?: number | undefined;
        readonly reasoningTokens?: number | undefined;
      }
    | undefined;
}

export const NOTHING_USED: Used = { usage: { inputTokens: 0, outputTokens: 0 } };

/** Statuses of gateways, which do not know the progress of the provider. */
const IN_BETWEEN: ReadonlySet<number> = new Set([408, 499, 502, 504, 520, 524, 598, 599]);

/**
 * Whether the provider refused a failed call before it worked on it, so that it costs nothing. An
 * unrecognised failure without an error status does not count as refused.
 */
export function isRefused(kind: string, outcome: Outcome, status = 0): boolean {
  if (outcome === 'not_started') return true;
  const isUnexplained = kind === 'provider.unknown' && status < FIRST_FAILURE_STATUS;
  return outcome === 'failed' && !isUnexplained && !IN_BETWEEN.has(status);
}

const FIRST_FAILURE_STATUS = 400;

/** The later of two counts; missing and zero counts keep the earlier value. */
export function laterCount(before: ReportedUsage | undefined, now: ReportedUsage): ReportedUsage {
  if (before === undefined) return now;
  const input = (inputTokensOf(now) ?? 0) > 0 ? now : before;
  const output = (outputTokensOf(now) ?? 0) > 0 ? now : before;
  return {
    inputTokens: input.inputTokens,
    inputTokenDetails: input.inputTokenDetails,
    outputTokens: output.outputTokens,
    outputTokenDetails: output.outputTokenDetails,
  };
}

/** Whether the provider counted anything. */
export function isCounted(reported: ReportedUsage | undefined): boolean {
  return Object.keys(toCounts(reported)).length > 0;
}

/** The usage of a complete reply. */
export function usedUp(reported: ReportedUsage | undefined, estimate: TokenCounts): Used {
  const usage = withoutZeros(toCounts(reported), estimate);
  const { outputTokens, reasoningTokens = 0 } = usage;
  // a provider that counts only its reasoning has not counted its text
  const isTextMissing = reasoningTokens > 0 && outputTokens === reasoningTokens;
  if (isTextMissing) {
    const written = outputTokens + (estimate.outputTokens ?? 0);
    return { usage: { ...estimate, ...usage, outputTokens: written }, isEstimated: true };
  }
  if (usage.inputTokens !== undefined && usage.outputTokens !== undefined) return { usage };
  return { usage: { ...estimate, ...usage }, isEstimated: true };
}

/**
 * The usage of a complete reply whose events were read. Counts from those events replace the ones
 * that the end omits or sets to zero, and may be too low.
 */
export function usedByReply(
  reported: ReportedUsage | undefined,
  counted: ReportedUsage | undefined,
  estimate: TokenCounts,
): Used {
  const used = usedUp(reported, estimate);
  if (used.isEstimated !== true || counted === undefined) return used;
  const { usage } = usedSoFar(laterCount(counted, reported ?? {}), estimate);
  const outputTokens = Math.max(usage?.outputTokens ?? 0, used.usage?.outputTokens ?? 0);
  return { usage: { ...usage, outputTokens }, isEstimated: true };
}

/** The usage of a reply that broke off: the count so far may be too low. */
export function usedSoFar(reported: ReportedUsage | undefined, estimate: TokenCounts): Used {
  const usage = withoutZeros(toCounts(reported), estimate);
  const outputTokens = Math.max(usage.outputTokens ?? 0, estimate.outputTokens ?? 0);
  return { usage: { ...estimate, ...usage, outputTokens }, isEstimated: true };
}

/** Replaces a count of zero for a non-empty text by the estimate. */
function withoutZeros(usage: TokenCounts, estimate: TokenCounts): TokenCounts {
  const { inputTokens, outputTokens, ...rest } = usage;
  return {
    ...rest,
    ...known('inputTokens', isMissing(inputTokens, estimate.inputTokens) ? undefined : inputTokens),
    ...known(
      'outputTokens',
      isMissing(outputTokens, estimate.outputTokens) ? undefined : outputTokens,
    ),
  };
}

function isMissing(tokens: number | undefined, estimated: number | undefined): boolean {
  return tokens === 0 && (estimated ?? 0) > 0;
}

function toCounts(reported: ReportedUsage | undefined): TokenCounts {
  const { inputTokenDetails, outputTokenDetails } = reported ?? {};
  return {
    ...known('inputTokens', inputTokensOf(reported)),
    ...known('outputTokens', outputTokensOf(reported)),
    ...known('cachedTokens', tokenCount(inputTokenDetails?.cacheReadTokens)),
    ...known('cacheWriteTokens', tokenCount(inputTokenDetails?.cacheWriteTokens)),
    ...known('reasoningTokens', tokenCount(outputTokenDetails?.reasoningTokens)),
  };
}

/** Providers may count the parts and omit the total, which is then their sum. */
export function inputTokensOf(reported: ReportedUsage | undefined): number | undefined {
  const { noCacheTokens, cacheReadTokens, cacheWriteTokens } = reported?.inputTokenDetails ?? {};
  const parts = sumOf(noCacheTokens, [cacheReadTokens, cacheWriteTokens]);
  return tokenCount(reported?.inputTokens) ?? parts;
}

function outputTokensOf(reported: ReportedUsage | undefined): number | undefined {
  const { textTokens, reasoningTokens } = reported?.outputTokenDetails ?? {};
  return tokenCount(reported?.outputTokens) ?? sumOf(textTokens, [reasoningTokens]);
}

/** Undefined without the main part: cached tokens, or thoughts, are no total by themselves. */
function sumOf(main: number | undefined, others: readonly (number | undefined)[]) {
  const first = tokenCount(main);
  if (first === undefined) return undefined;
  return others.reduce<number>((sum, part) => sum + (tokenCount(part) ?? 0), first);
}

function known(name: keyof TokenCounts, tokens: number | undefined): TokenCounts {
  return tokens === undefined ? {} : { [name]: tokens };
}
