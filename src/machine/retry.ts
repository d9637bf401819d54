/**
 * What one failed attempt leads to. Pure: whoever asks records the answer and does the waiting, so a
 * replay decides the same with no clock and no random source.
 */
import { catalogRow } from '../errors/catalog.ts';
import type { RetrySchedule } from '../errors/catalog/row.ts';
import type { ErrorReport } from '../errors/report.ts';
import { INLINE_CEILING_MS } from '../workflow/limits.ts';
import { jittered } from './jitter.ts';

/** The jitter of the default schedules. */
const DEFAULT_JITTER = 0.2;

export interface AttemptId {
  /** What is tried, in words that are the same on a replay. */
  readonly words: readonly (string | number)[];
  /** 1 for the first call. */
  readonly number: number;
}

export type RetryDecision =
  | { readonly action: 'wait'; readonly delayMs: number; readonly from: 'hint' | 'schedule' }
  | { readonly action: 'park'; readonly delayMs: number; readonly from: 'hint' | 'schedule' }
  | { readonly action: 'stop'; readonly because: 'not_retryable' | 'attempts_spent' };

/** The catalog's schedule of a kind; null where nothing retries it by itself. */
export function defaultSchedule(kind: string): RetrySchedule | null {
  return catalogRow(kind)?.schedule ?? null;
}

export function decideRetry(
  report: ErrorReport,
  schedule: RetrySchedule | null,
  attempt: AttemptId,
): RetryDecision {
  if (report.retryable !== true || schedule === null)
    return { action: 'stop', because: 'not_retryable' };
  if (attempt.number >= schedule.attempts) return { action: 'stop', because: 'attempts_spent' };

  const hintMs = report.provider?.retryAfterMs;
  // the server's hint is kept to the millisecond; only our own guess is spread
  const delayMs =
    hintMs ??
    jittered(waitAfter(attempt.number, schedule), DEFAULT_JITTER, ...attempt.words, attempt.number);
  return {
    action: delayMs > INLINE_CEILING_MS ? 'park' : 'wait',
    delayMs,
    from: hintMs === undefined ? 'schedule' : 'hint',
  };
}

function waitAfter(attempt: number, { waitsMs }: RetrySchedule): number {
  return waitsMs[attempt - 1] ?? waitsMs.at(-1) ?? 0;
}
