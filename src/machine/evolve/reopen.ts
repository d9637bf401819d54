/**
 * Reopens a run on resume. A failed run resumes at the innermost nodes that failed or never started,
 * and keeps what completed inside groups and children; any other run resumes where it was. Where
 * only a check of a result failed (an assertion, a guard, a template of an output), the check is
 * repeated and nothing else. An effect with an unknown outcome is asked about
 * again, never repeated.
 */
import { startWorkflowClock } from '../policy/deadlines.ts';
import { forgetAborts, isUnresolved } from '../policy/unknown-outcome.ts';
import { ErrandError } from '../../errors/thrown/errand-error.ts';
import type { Resumed } from '../state/events.ts';
import { scopeAndAncestors, scopeOf, visitOf } from '../state/plan-lookup.ts';
import { closeGates, dropInside, enterNode, scopesInside } from '../state/scopes.ts';
import {
  ROOT_SCOPE,
  type CheckedResult,
  type RunState,
  type RunStatus,
  type Scope,
  type Visit,
} from '../state/state.ts';
import { rewindUnended } from '../policy/unended-effects.ts';
import { hasVisited, rewindTo } from './visit-log.ts';

export function reopenRun(state: RunState, before: RunStatus, resumed: Resumed): void {
  if (before === 'failed') {
    forgetAborts(state);
    reopenScope(state, scopeOf(state, ROOT_SCOPE));
  }
  if (resumed.from !== undefined) rerunFrom(state, resumed.from);
  if (resumed.now === true) state.cooldowns.clear();
  for (const scope of state.scopes.values()) {
    const isOpen = scope.result === undefined || scope.parent === undefined;
    if (!scope.isFrozen && isOpen) state.ready.add(scope.id);
    if (scope.visit !== undefined && !scope.isFrozen)
      endPause(state, scope.visit, resumed.now === true);
    // a run that failed by its budget may ask for more again
    if (scope.visit !== undefined && before === 'failed') scope.visit.isBudgetRefused = false;
  }
}

/** Any resume ends a park without an end; other parks and backoffs end only with `now`. */
function endPause(state: RunState, visit: Visit, isNow: boolean): void {
  const { phase } = visit;
  if (phase.type === 'parked') visit.phase = { type: 'entering' };
  // stopped for a cancellation that was not completed
  if (phase.type === 'cancelled') resumeVisit(state, visit, 'none');
  if (!isNow) return;
  if (phase.type === 'waiting') visit.phase = { type: 'entering' };
  // the wait before a tool's own retry
  if (phase.type === 'result') visit.phase = { ...phase, atMs: -Infinity };
  for (const entry of visit.conversation?.chain ?? []) entry.pausedUntilMs = 0;
  for (const call of visit.conversation?.calls ?? [])
    if (call.again !== undefined) call.again = { ...call.again, atMs: 0 };
}

/** A run that resumes repeats a check that failed; a node that runs again does its work again. */
type Reopening = 'resumed' | 'again';

function reopenScope(state: RunState, scope: Scope, how: Reopening = 'resumed'): void {
  const { visit } = scope;
  scope.isFrozen = false;
  // the run has ended well but for its output, which is evaluated again
  const hasSucceeded = scope.result !== undefined && scope.result.error === undefined;
  if (visit === undefined || hasSucceeded) return;
  const inside = isHandledByRoute(visit) ? 'none' : reopenInside(state, visit, how);
  if (isStuck(state, scope)) {
    if (how === 'again') resumeVisit(state, visit, inside);
    else resumeChecked(state, scope, visit, inside);
  }
  scope.result = undefined;
}

/** A route has handled its failure: its inside stays frozen until the answer or the end of the wait. */
function isHandledByRoute({ phase, error }: Visit): boolean {
  return error !== undefined && phase.type !== 'failed' && phase.type !== 'ended';
}

/** Scopes inside a visit: none to resume, some to run, or all of them completed. */
type Inside = 'none' | 'open' | 'completed';

/** Reopens the scopes inside that have not completed. */
function reopenInside(state: RunState, visit: Visit, how: Reopening = 'resumed'): Inside {
  // a failed round is already a result in a supervisor's conversation, which is not rewound
  const isSupervised = visit.conversation !== undefined;
  const all = scopesInside(state, visit);
  const inside = all.filter(
    ({ result }) => result === undefined || (result.error !== undefined && !isSupervised),
  );
  for (const inner of inside) reopenScope(state, inner, how);
  // every failed member runs again, whether or not it made the group fail
  if (visit.members !== undefined && !isSupervised) {
    visit.members.failed = 0;
    visit.members.firstFailed = undefined;
  }
  if (isSupervised) return 'none';
  if (inside.length > 0) return 'open';
  return all.length > 0 ? 'completed' : 'none';
}

/**
 * Reopens a node that failed with an unknown outcome from inside it, so that an answer counts there
 * and all completed work inside is kept. False if it cannot be reopened.
 */
export function reopenToAnswer(state: RunState, visit: Visit): boolean {
  if (visit.conversation !== undefined || visit.members !== undefined) return false;
  if (reopenInside(state, visit) !== 'open') return false;
  visit.error = undefined;
  visit.phase = { type: 'inside' };
  for (const inner of scopesInside(state, visit)) reopenReady(state, inner);
  return true;
}

/**
 * Reopens the unfinished scopes inside a node that runs again after a park or an answer. Its
 * workflows get fresh limits, because they begin another attempt. If all scopes have completed,
 * only the output is made again. False if there are none.
 */
export function continueInside(state: RunState, visit: Visit): boolean {
  if (visit.error === undefined || reopenInside(state, visit, 'again') === 'none') return false;
  visit.phase = { type: 'inside' };
  for (const inner of scopesInside(state, visit)) {
    reopenReady(state, inner);
    if (inner.result === undefined) renewLimits(state, inner);
  }
  return true;
}

function renewLimits(state: RunState, scope: Scope): void {
  scope.starts = 0;
  scope.retries = 0;
  startWorkflowClock(state, scope);
  for (const inner of scope.visit === undefined ? [] : scopesInside(state, scope.visit))
    if (inner.result === undefined) renewLimits(state, inner);
}

function reopenReady(state: RunState, scope: Scope): void {
  if (scope.result !== undefined || scope.isFrozen) return;
  state.ready.add(scope.id);
  for (const inner of scope.visit === undefined ? [] : scopesInside(state, scope.visit))
    reopenReady(state, inner);
}

/** Reopens the round that was stopped with its supervisor. */
export function reopenRounds(state: RunState, visit: Visit): void {
  for (const inner of scopesInside(state, visit))
    if (inner.result === undefined) reopenDeep(state, inner);
}

function reopenDeep(state: RunState, scope: Scope): void {
  reopenScope(state, scope);
  state.ready.add(scope.id);
  for (const inner of scope.visit === undefined ? [] : scopesInside(state, scope.visit))
    if (inner.result === undefined && !inner.isFrozen) reopenDeep(state, inner);
}

function isStuck(state: RunState, { visit, result }: Scope): boolean {
  switch (visit?.phase.type) {
    case 'failed':
    case 'cancelled':
      return true;
    case 'asking':
      return !state.gates.has(visit.phase.gate);
    case 'ended':
      return result?.error !== undefined;
    default:
      return false;
  }
}

/** Repeats a check that failed, where there was one; otherwise resumes the work. */
function resumeChecked(state: RunState, scope: Scope, visit: Visit, inside: Inside): void {
  const { checked } = visit;
  if (checked?.type === 'effect') state.keptResults.set(checked.key, checked.result);
  if (checked?.type === 'node') resumeAtRoutes(scope, visit, checked);
  else resumeVisit(state, visit, inside);
}

/** Decides the routes of a completed node again; also after a park, or an answer to try again. */
export function resumeAtRoutes(
  scope: Scope,
  visit: Visit,
  { result }: Extract<CheckedResult, { type: 'node' }>,
): void {
  scope.nodeResults.set(visit.node, result);
  visit.error = undefined;
  visit.checked = undefined;
  visit.phase = { type: 'succeeded' };
}

function resumeVisit(state: RunState, visit: Visit, inside: Inside): void {
  const wasAsked = visit.phase.type === 'asking' && visit.error !== undefined;
  // an unknown outcome is asked about once: where it arose, not at each workflow it passed through
  const isInDoubt = isUnresolved(state, visit) && inside === 'none';
  if (wasAsked || isInDoubt) {
    visit.routesTried = 0;
    visit.phase = { type: 'failed' };
    return;
  }
  visit.error = undefined;
  if (inside !== 'none') visit.phase = { type: 'inside' };
  else {
    visit.attempt++;
    visit.phase = { type: 'entering' };
  }
}

/** Drops what is inside the place that a run is rewound to: all of it begins anew. */
export function dropRewound(state: RunState, path: string): void {
  const [scope] = visitedNode(state, path);
  if (scope.visit !== undefined) dropInside(state, scope.visit);
}

/** Rewinds to the node: it and all after it count as never run. Effects that ended are new ones. */
function rerunFrom(state: RunState, path: string): void {
  const [scope, node] = visitedNode(state, path);
  for (const around of scopeAndAncestors(state, scope)) {
    if (around.result !== undefined) undoResult(state, around);
    if (around !== scope) resumeInside(state, around);
    around.isFrozen = false;
  }
  rewindUnended(state);
  closeGates(state, scope);
  rewindTo(state, scope, node);
  enterNode(scope, node);
  state.ready.add(scope.id);
}

/** Drops the failure, question or wait of the scope, because something inside it runs again. */
function resumeInside(state: RunState, scope: Scope): void {
  const visit = visitOf(scope);
  closeGates(state, scope);
  if (visit.error !== undefined) reopenInside(state, visit);
  // stopped with something around it whose failure a route has handled: nothing else would end them
  for (const inner of scopesInside(state, visit))
    if (inner.isFrozen && inner.result === undefined) reopenScope(state, inner);
  visit.error = undefined;
  visit.phase = { type: 'inside' };
}

function undoResult(state: RunState, scope: Scope): void {
  const counts =
    scope.parent === undefined ? undefined : state.scopes.get(scope.parent)?.visit?.members;
  if (counts !== undefined && scope.kind === 'branch') {
    if (scope.result?.error === undefined) counts.succeeded--;
    else counts.failed--;
  }
  scope.result = undefined;
}

function visitedNode(state: RunState, path: string): readonly [Scope, string] {
  const found = findVisited(state, path);
  if (found === undefined) throw neverRan(path);
  return found;
}

/** The scope that has the node at this path in its history, if it still exists. */
export function findVisited(state: RunState, path: string): readonly [Scope, string] | undefined {
  for (const scope of state.scopes.values()) {
    const prefix = scope.id === ROOT_SCOPE ? '' : `${scope.id}/`;
    const node = path.slice(prefix.length);
    if (path.startsWith(prefix) && hasVisited(scope, node) && !isRound(state, scope))
      return [scope, node];
  }
  return undefined;
}

/** The paths that `findVisited` finds. */
export function visitedPaths(state: RunState): readonly string[] {
  const paths = [...state.scopes.values()]
    .filter((scope) => !isRound(state, scope))
    .flatMap(({ id, visitLog }) =>
      visitLog.map(({ node }) => (id === ROOT_SCOPE ? node : `${id}/${node}`)),
    );
  return [...new Set(paths)];
}

/** Whether it is in a round of a supervisor, which runs again only with its whole conversation. */
function isRound(state: RunState, scope: Scope): boolean {
  return [...scopeAndAncestors(state, scope)].some(
    (around) => around !== scope && around.visit?.conversation !== undefined,
  );
}

function neverRan(path: string): ErrandError {
  return new ErrandError({
    kind: 'internal.invariant',
    message: 'The log rewinds the run to a node that never ran',
    details: { path },
  });
}
