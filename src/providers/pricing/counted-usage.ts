/**
 * The tokens that a call used: the provider's count if there is one, else an estimate, marked as such.
 * A refusal costs nothing; a reply that broke off, was not received, or was replaced by a gateway's error
 * was worked on.
 */
import type { Outcome } from '../../errors/catalog/vocabulary.ts';
import type { TokenCounts } from './prices.ts';
import { tokenCount } from './token-count.ts';

/** The tokens of a call, as far as they are known. */
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

/** Statuses of gateways, which do not know what the provider did. */
const IN_BETWEEN: ReadonlySet<number> = new Set([408, 499, 502, 504, 520, 524, 598, 599]);

/**
 * Whether a failed call was refused before the provider worked on it, so that it costs nothing. What
 * nobody recognises, without the status of a failure, is not known to be refused.
 */
export function isRefused(kind: string, outcome: Outcome, status = 0): boolean {
  if (outcome === 'not_started') return true;
  const isUnexplained = kind === 'provider.unknown' && status < FIRST_FAILURE_STATUS;
  return outcome === 'failed' && !isUnexplained && !IN_BETWEEN.has(status);
}

const FIRST_FAILURE_STATUS = 400;

/** The later of two counts, except for what it leaves out or counts as nothing. */
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

/** Whether the provider counted anything of the call. */
export function isCounted(reported: ReportedUsage | undefined): boolean {
  return Object.keys(toCounts(reported)).length > 0;
}

/** For a complete reply. */
export function usedUp(reported: ReportedUsage | undefined, estimate: TokenCounts): Used {
  const usage = withoutZeros(toCounts(reported), estimate);
  const { outputTokens, reasoningTokens = 0 } = usage;
  // a provider that counts only its reasoning has not counted what it wrote
  const isTextMissing = reasoningTokens > 0 && outputTokens === reasoningTokens;
  if (isTextMissing) {
    const written = outputTokens + (estimate.outputTokens ?? 0);
    return { usage: { ...estimate, ...usage, outputTokens: written }, isEstimated: true };
  }
  if (usage.inputTokens !== undefined && usage.outputTokens !== undefined) return { usage };
  return { usage: { ...estimate, ...usage }, isEstimated: true };
}

/**
 * For a complete reply whose events were read. What was counted on the way stands for what the end leaves out or
 * counts as nothing, and may be too low.
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

/** For a reply that broke off: the count so far may be too low. */
export function usedSoFar(reported: ReportedUsage | undefined, estimate: TokenCounts): Used {
  const usage = withoutZeros(toCounts(reported), estimate);
  const outputTokens = Math.max(usage.outputTokens ?? 0, estimate.outputTokens ?? 0);
  return { usage: { ...estimate, ...usage, outputTokens }, isEstimated: true };
}

/** A count of zero for a non-empty text is replaced by the estimate. */
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

/** Providers may count the parts and leave out the total, which is then their sum. */
export function inputTokensOf(reported: ReportedUsage | undefined): number | undefined {
  const { noCacheTokens, cacheReadTokens, cacheWriteTokens } = reported?.inputTokenDetails ?? {};
  const parts = sumOf(noCacheTokens, [cacheReadTokens, cacheWriteTokens]);
  return tokenCount(reported?.inputTokens) ?? parts;
}

function outputTokensOf(reported: ReportedUsage | undefined): number | undefined {
  const { textTokens, reasoningTokens } = reported?.outputTokenDetails ?? {};
  return tokenCount(reported?.outputTokens) ?? sumOf(textTokens, [reasoningTokens]);
}

/** Undefined without the main part: what was cached, or thought, is no total by itself. */
function sumOf(main: number | undefined, others: readonly (number | undefined)[]) {
  const first = tokenCount(main);
  if (first === undefined) return undefined;
  return others.reduce<number>((sum, part) => sum + (tokenCount(part) ?? 0), first);
}

function known(name: keyof TokenCounts, tokens: number | undefined): TokenCounts {
  return tokens === undefined ? {} : { [name]: tokens };
}
