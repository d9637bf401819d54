/** The ledger row of one attempt: what was asked, how it ended, and what it cost. */
import type { AttemptSummary, ErrorReport } from '../errors/report/report.ts';
import type { Outcome } from '../errors/catalog/vocabulary.ts';
import type { Used } from '../providers/pricing/counted-usage.ts';
import { costUsdMicros, type Price } from '../providers/pricing/prices.ts';

export interface AttemptRow {
  readonly target: string;
  /** Counts from 0. */
  readonly attempt: number;
  readonly kind?: string;
  readonly outcome: 'succeeded' | Outcome;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cachedTokens: number;
  readonly reasoningTokens: number;
  readonly costUsdMicros: number;
  /** The counts are an estimate, not the provider's. */
  readonly estimated: boolean;
  /** No price is known for the model, so the cost is 0. */
  readonly unpriced?: true;
  readonly latencyMs: number;
  /** The rule that classified the failure. */
  readonly rule?: string;
}

export interface EndedAttempt {
  readonly target: string;
  readonly attempt: number;
  readonly price: Price | null;
  readonly used: Used;
  readonly latencyMs: number;
  readonly error?: ErrorReport | undefined;
}

export function rowOf({
  target,
  attempt,
  price,
  used,
  latencyMs,
  error,
}: EndedAttempt): AttemptRow {
  const { usage = {}, isEstimated = false } = used;
  const { inputTokens = 0, outputTokens = 0, cachedTokens = 0, reasoningTokens = 0 } = usage;
  const isUnpriced = price === null && inputTokens + outputTokens > 0;
  return {
    target,
    attempt,
    ...(error === undefined ? {} : { kind: error.kind }),
    outcome: error?.outcome ?? 'succeeded',
    inputTokens,
    outputTokens,
    cachedTokens,
    reasoningTokens,
    costUsdMicros: price === null ? 0 : costUsdMicros(price, usage),
    estimated: isEstimated,
    ...(isUnpriced ? { unpriced: true } : {}),
    latencyMs,
    ...(error?.rule === undefined ? {} : { rule: error.rule.id }),
  };
}

/** The same attempt, as the report of the call lists it. */
export function summaryOf(row: AttemptRow, error: ErrorReport): AttemptSummary {
  return {
    number: row.attempt + 1,
    kind: error.kind,
    message: error.message,
    target: row.target,
    at: error.at,
    inputTokens: row.inputTokens,
    outputTokens: row.outputTokens,
    costUsdMicros: row.costUsdMicros,
  };
}
