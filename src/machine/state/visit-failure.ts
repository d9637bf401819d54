/** The failure that a visit waits with: what it retries later, or asks a person about. */
import type { ErrorReport } from '../../errors/report/report.ts';
import type { Visit } from './state.ts';

/** Undefined for an attempt that has not failed yet. */
export function failureOfVisit({ phase, error, conversation }: Visit): ErrorReport | undefined {
  // a tool that is called again by its own policy
  if (phase.type === 'result') return phase.result.error;
  if (phase.type === 'conversation')
    return (
      conversation?.failure?.error ??
      conversation?.calls.find(({ again }) => again?.error)?.again?.error
    );
  // a backoff, a park or a question
  return error;
}
