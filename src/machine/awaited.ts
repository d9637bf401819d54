/** What had failed and was to be tried again, or asked about, when a limit came first. */
import type { ErrorReport } from '../errors/report.ts';
import { insideOf } from './scopes.ts';
import type { RunState, Scope, Visit } from './state.ts';

/** Of the first line of control, in the file's order, that has failed and goes on all the same. */
export function failureAwaited(state: RunState, { visit, result }: Scope): ErrorReport | undefined {
  if (visit === undefined || result !== undefined) return undefined;
  return awaitedHere(visit) ?? awaitedInside(state, visit);
}

function awaitedInside(state: RunState, visit: Visit): ErrorReport | undefined {
  for (const scope of insideOf(state, visit)) {
    const error = failureAwaited(state, scope);
    if (error !== undefined) return error;
  }
  return undefined;
}

function awaitedHere({ phase, error, talk }: Visit): ErrorReport | undefined {
  // of a tool that is called again by what it declares
  if (phase.at === 'result') return phase.result.error;
  if (phase.at === 'talking')
    return talk?.failure?.error ?? talk?.calls.find(({ again }) => again?.error)?.again?.error;
  // of a backoff, a park or a question; a try that has begun has not failed yet
  return error;
}
