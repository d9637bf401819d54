/** The failure that was to be retried, or asked about, when a limit ended the wait. */
import type { ErrorReport } from '../../errors/report/report.ts';
import { scopesInside } from '../state/scopes.ts';
import type { RunState, Scope, Visit } from '../state/state.ts';
import { failureOfVisit } from '../state/visit-failure.ts';

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
