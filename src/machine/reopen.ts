/**
 * How a run goes on. One that failed goes on at the innermost nodes that failed or never started, and
 * what completed inside groups and children is kept; any other goes on where it was. What may have
 * happened is asked about again, never repeated.
 */
import { DOUBT } from './doubt.ts';
import { ErrandError } from '../errors/errand-error.ts';
import type { Resumed } from './events.ts';
import { outwards, scopeOf, visitOf, workflowScope } from './plan-lookup.ts';
import { closeGates, dropInside, enter, insideOf } from './scopes.ts';
import { ROOT_SCOPE, type RunState, type RunStatus, type Scope, type Visit } from './state.ts';
import { goBack } from './trail.ts';

export function reopen(state: RunState, before: RunStatus, resumed: Resumed): void {
  if (before === 'failed') reopenScope(state, scopeOf(state, ROOT_SCOPE));
  if (resumed.from !== undefined) startAgainAt(state, resumed.from);
  if (resumed.now === true) state.cooldowns.clear();
  for (const scope of state.scopes.values()) {
    if (!scope.isFrozen && scope.result === undefined) state.ready.add(scope.id);
    if (scope.visit !== undefined && !scope.isFrozen) unpark(scope.visit, resumed.now === true);
    // whoever resumes a run that was ended for its budget may be asked again
    if (scope.visit !== undefined && before === 'failed') scope.visit.isBudgetRefused = false;
  }
}

/** A park without an end ends with any resumption; others, and backoffs, only when told to. */
function unpark(visit: Visit, isNow: boolean): void {
  const { phase } = visit;
  if (phase.at === 'parked') visit.phase = { at: 'entering' };
  // stopped for a cancellation that never got as far as ending the run
  if (phase.at === 'cancelled') goOnAt(visit, false);
  if (!isNow) return;
  if (phase.at === 'waiting') visit.phase = { at: 'entering' };
  // of a tool's own retry
  if (phase.at === 'result') visit.phase = { ...phase, atMs: -Infinity };
  for (const entry of visit.talk?.chain ?? []) entry.restUntilMs = 0;
  for (const call of visit.talk?.calls ?? [])
    if (call.again !== undefined) call.again = { ...call.again, atMs: 0 };
}

function reopenScope(state: RunState, scope: Scope): void {
  const { visit } = scope;
  scope.isFrozen = false;
  if (visit === undefined) return;
  const hasInside = !isTaken(visit) && reopenInside(state, visit);
  if (isStuck(state, scope)) goOnAt(visit, hasInside);
  scope.result = undefined;
}

/** A route has taken its failure: until that is answered, or its time has come, its inside rests. */
function isTaken({ phase, error }: Visit): boolean {
  return error !== undefined && phase.at !== 'failed' && phase.at !== 'ended';
}

/** Whether something in it goes on. */
function reopenInside(state: RunState, visit: Visit): boolean {
  // what a supervisor has been told of is a result, and its conversation does not go back behind it
  const isTold = visit.talk !== undefined;
  const inside = insideOf(state, visit).filter(
    ({ result }) => result === undefined || (result.error !== undefined && !isTold),
  );
  for (const inner of inside) reopenScope(state, inner);
  // all that failed in it are to run again, whether it has failed by them or not
  if (visit.members !== undefined && !isTold) {
    visit.members.failed = 0;
    visit.members.firstFailed = undefined;
  }
  return inside.length > 0 && !isTold;
}

/** Of a supervisor that goes on: the round that was stopped with it. */
export function reopenRounds(state: RunState, visit: Visit): void {
  for (const inner of insideOf(state, visit)) if (inner.result === undefined) wake(state, inner);
}

function wake(state: RunState, scope: Scope): void {
  reopenScope(state, scope);
  state.ready.add(scope.id);
  for (const inner of scope.visit === undefined ? [] : insideOf(state, scope.visit))
    if (inner.result === undefined && !inner.isFrozen) wake(state, inner);
}

function isStuck(state: RunState, { visit, result }: Scope): boolean {
  switch (visit?.phase.at) {
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

function goOnAt(visit: Visit, hasInside: boolean): void {
  const wasAsked = visit.phase.at === 'asking' && visit.error !== undefined;
  // a doubt is asked about once: where it arose, not at each workflow that it went through
  const isInDoubt = visit.error?.kind === DOUBT && !hasInside;
  if (wasAsked || isInDoubt) {
    visit.routesTried = 0;
    visit.phase = { at: 'failed' };
    return;
  }
  visit.error = undefined;
  if (hasInside) visit.phase = { at: 'inside' };
  else {
    visit.attempt++;
    visit.phase = { at: 'entering' };
  }
}

/** The node and all that followed it count as never run; its effects are new ones. */
function startAgainAt(state: RunState, path: string): void {
  const [scope, node] = placeOf(state, path);
  for (const around of outwards(state, scope)) {
    if (around.result !== undefined) takeBackResult(state, around);
    if (around !== scope) goInside(state, around);
    around.isFrozen = false;
  }
  closeGates(state, scope);
  if (scope.visit !== undefined) dropInside(state, scope.visit);
  for (const passed of goBack(scope, workflowScope(state, scope).state, node))
    state.finished.get(scope.file)?.delete(passed);
  enter(scope, node);
  state.ready.add(scope.id);
}

/** What the scope had failed with, asked about or waited for is overtaken by what runs in it again. */
function goInside(state: RunState, scope: Scope): void {
  const visit = visitOf(scope);
  closeGates(state, scope);
  if (visit.error !== undefined) reopenInside(state, visit);
  visit.error = undefined;
  visit.phase = { at: 'inside' };
}

function takeBackResult(state: RunState, scope: Scope): void {
  const counts =
    scope.parent === undefined ? undefined : state.scopes.get(scope.parent)?.visit?.members;
  if (counts !== undefined && scope.kind === 'branch') {
    if (scope.result?.error === undefined) counts.succeeded--;
    else counts.failed--;
  }
  scope.result = undefined;
}

function placeOf(state: RunState, path: string): readonly [Scope, string] {
  const found = findVisited(state, path);
  if (found === undefined) throw neverRan(path);
  return found;
}

/** The scope that has been at the node of this path, if it is still there. */
export function findVisited(state: RunState, path: string): readonly [Scope, string] | undefined {
  for (const scope of state.scopes.values()) {
    const prefix = scope.id === ROOT_SCOPE ? '' : `${scope.id}/`;
    const node = path.slice(prefix.length);
    if (path.startsWith(prefix) && scope.visits.has(node) && !isRound(state, scope))
      return [scope, node];
  }
  return undefined;
}

/** In a round of a supervisor, which is run again only with the whole of its conversation. */
function isRound(state: RunState, scope: Scope): boolean {
  return [...outwards(state, scope)].some(
    (around) => around !== scope && around.visit?.talk !== undefined,
  );
}

function neverRan(path: string): ErrandError {
  return new ErrandError({
    kind: 'internal.invariant',
    message: 'The log goes back to a node that never ran',
    details: { path },
  });
}
