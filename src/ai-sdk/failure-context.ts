/** How a failure of an attempt counts for the chain: as the engine counts it, outside a run. */
import type { ErrorReport } from '../errors/report/report.ts';
import type { FailureContext } from '../machine/policy/model-chain.ts';
import { RESTARTED_AS } from '../workflow/plan/attempt-bound.ts';

/**
 * A failure after content is not repeated, because the caller has seen half an answer. Its model's
 * pause follows the failure that it would have been before content: a call that restarts finds
 * another model.
 */
export function beforeContent(error: ErrorReport): ErrorReport {
  if (error.category !== 'ambiguous') return error;
  const kind = error.kind === 'provider.stream_interrupted' ? RESTARTED_AS : error.kind;
  // after content the scope is only this answer; the fault that broke it has the model as its scope
  return { ...error, kind, category: 'transient', retryable: true, details: { scope: 'model' } };
}

/** No entry has a key that can be refreshed, so only the schedule counts attempts. */
export function contextOf({ id }: ErrorReport, nowMs: number): FailureContext {
  return { nowMs, isTakenOver: false, maxAttempts: 1, words: [id] };
}
