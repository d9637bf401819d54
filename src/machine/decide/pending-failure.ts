/** The failure that was to be retried, or asked about, when a limit ended the wait. */
import type { ErrorReport } from '../../errors/report/report.ts';
import { scopesInside } from '../state/scopes.ts';
import type { RunState, Scope, Visit } from '../state/state.ts';

/** Takes the first scope, in the file's order, that has failed and has not ended. */
export function pendingFailure(state: RunState, { visit, result }: Scope): ErrorReport | undefined {
  if (visit === undefined || result !== undefined) return undefined;
  return failureOfVisit(visit) ?? failureInside(state, visit);
}

function failureInside(state: RunState, visit: Visit): ErrorReport | undefined {
  for (const scope of scopesInside(state, visit)) {
    const error = pendingFailure(state, scope);
    if (error !== undefined) return error;
  }
  return undefined;
}

function failureOfVisit({ phase, error, conversation }: Visit): ErrorReport | undefined {
  // a tool that is called again by its own policy
  if (phase.type === 'result') return phase.result.error;
  if (phase.type === 'conversation')
    return (
      conversation?.failure?.error ??
      conversation?.calls.find(({ again }) => again?.error)?.again?.error
    );
  // a backoff, a park or a question; an attempt that has started has not failed yet
  return error;
}
