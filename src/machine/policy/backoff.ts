/** Backoff of a `retry` route before its n-th re-run. */
import type { ErrorReport } from '../../errors/report/report.ts';
import type { RetryMove } from '../../workflow/plan/route-plan.ts';
import { jittered } from './jitter.ts';

/** `rerun` counts from 1; the words make the jitter the same on a replay. */
export function backoffMs(
  move: RetryMove,
  rerun: number,
  error: ErrorReport,
  words: readonly (string | number)[],
): number {
  const ownMs = jittered(Math.min(move.maxMs, growth(move, rerun)), move.jitter, ...words, rerun);
  // a route may wait longer than the server asks, never shorter
  return Math.max(ownMs, error.provider?.retryAfterMs ?? 0);
}

function growth({ backoff, initialMs }: RetryMove, rerun: number): number {
  switch (backoff) {
    case 'none':
      return 0;
    case 'fixed':
      return initialMs;
    case 'linear':
      return initialMs * rerun;
    case 'exponential':
      return initialMs * 2 ** Math.min(rerun - 1, 50);
  }
}
