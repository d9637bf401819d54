/**
 * Decides whether a failed call is retried. Pure: the caller records the decision and waits, so a
 * replay decides the same without a clock or randomness.
 */
import type { RetrySchedule } from '../../errors/catalog/row.ts';
import type { ErrorReport } from '../../errors/report/report.ts';
import { jittered } from './jitter.ts';

/** The jitter of the default schedules. */
const DEFAULT_JITTER = 0.2;

export interface AttemptId {
  /** Identifies the action; the same on a replay. */
  readonly words: readonly (string | number)[];
  /** 1 for the first call. */
  readonly number: number;
}

export type RetryDecision =
  | { readonly action: 'wait'; readonly delayMs: number; readonly from: 'hint' | 'schedule' }
  | { readonly action: 'stop'; readonly because: 'not_retryable' | 'attempts_spent' };

export function decideRetry(
  report: ErrorReport,
  schedule: RetrySchedule | null,
  attempt: AttemptId,
): RetryDecision {
  if (report.retryable !== true || schedule === null)
    return { action: 'stop', because: 'not_retryable' };
  if (attempt.number >= schedule.attempts) return { action: 'stop', because: 'attempts_spent' };

  const hintMs = report.provider?.retryAfterMs;
  // the server's hint is used exactly; only our own schedule has jitter
  const delayMs =
    hintMs ??
    jittered(waitAfter(attempt.number, schedule), DEFAULT_JITTER, ...attempt.words, attempt.number);
  return {
    action: 'wait',
    delayMs,
    from: hintMs === undefined ? 'schedule' : 'hint',
  };
}

function waitAfter(attempt: number, { waitsMs }: RetrySchedule): number {
  return waitsMs[attempt - 1] ?? waitsMs.at(-1) ?? 0;
}
