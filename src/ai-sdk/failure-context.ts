/** How a failure of an attempt counts for the chain: as the engine counts it, outside a run. */
import type { ErrorReport } from '../errors/report/report.ts';
import type { FailureContext } from '../machine/policy/model-chain.ts';
import { RESTARTED_AS } from '../workflow/plan/attempt-bound.ts';

/**
 * A failure after content is not repeated, because half of an answer was seen. For how long its model
 * pauses it counts as what it would have been before: a call that restarts finds another one.
 */
export function beforeContent(error: ErrorReport): ErrorReport {
  if (error.category !== 'ambiguous') return error;
  const kind = error.kind === 'provider.stream_interrupted' ? RESTARTED_AS : error.kind;
  // the scope of half an answer is that answer; what broke it is the model's
  return { ...error, kind, category: 'transient', retryable: true, details: { scope: 'model' } };
}

/** No entry has a key that can be refreshed, so only the schedule counts attempts. */
export function contextOf({ id }: ErrorReport, nowMs: number): FailureContext {
  return { nowMs, isTakenOver: false, maxAttempts: 1, words: [id] };
}
