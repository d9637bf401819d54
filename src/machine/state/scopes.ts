/** Scopes: opens them, moves them to a node, ends, freezes and drops them. */
import type { JsonObject, JsonValue } from '../../errors/support/safe-json.ts';
import { releaseAttempts } from '../policy/deadlines.ts';
import { LazyMap } from './lazy-collections.ts';
import { pathKey } from './path-key.ts';
import { fileOf, nodeOf, parentScope, scopeOf, workflowScope } from './plan-lookup.ts';
import {
  newVisit,
  ZERO_AMOUNT,
  ROOT_SCOPE,
  type RunState,
  type Scope,
  type ScopeResult,
  type Visit,
} from './state.ts';
import { keepResults } from './kept-results.ts';
import { storableValue } from './storable.ts';
import { keepFinished, recordVisit } from '../evolve/visit-log.ts';

export function newWorkflowScope(
  state: RunState,
  location: Pick<Scope, 'id' | 'file' | 'parent'>,
  input: JsonObject,
): Scope {
  const plan = fileOf(state.plan, location.file);
  const shared = new LazyMap<string, JsonValue>();
  for (const [key, field] of Object.entries(plan.state))
    shared.set(key, storableValue(state, field.default));
  const scope = emptyScope({
    ...location,
    kind: 'workflow',
    key: undefined,
    loop: {},
    input,
    state: shared,
  });
  enterNode(scope, plan.entryPoint);
  return scope;
}

/** The branch of one member, not yet part of the state. */
export function newBranch(state: RunState, group: Scope, visit: Visit, index: number): Scope {
  const node = nodeOf(fileOf(state.plan, group.file), visit.node);
  const key = visit.members?.keys[index] ?? '';
  const item = visit.members?.items?.[index];
  const loop: JsonObject =
    node.type === 'for_each' && item !== undefined
      ? { [node.as]: item, _index: index, ...(node.keyBy === undefined ? {} : { _key: key }) }
      : {};
  const around = workflowScope(state, group);
  return emptyScope({
    id: branchId(visit.path, key),
    file: group.file,
    parent: group.id,
    kind: 'branch',
    key,
    loop,
    input: around.input,
    state: around.state,
  });
}

/** The id of a member's branch. */
export function branchId(groupPath: string, key: string): string {
  return `${groupPath}[${pathKey(key)}]`;
}

/** Moves the scope to a node. */
export function enterNode(scope: Scope, node: string): void {
  recordVisit(scope, node);
  const number = (scope.visits.get(node) ?? 0) + 1;
  scope.visits.set(node, number);
  scope.visit = newVisit(node, scope.id === ROOT_SCOPE ? node : `${scope.id}/${node}`, number);
}

/** Ends the scope, and makes its parent ready to decide. */
export function endScope(state: RunState, scope: Scope, result: ScopeResult): void {
  scope.result = result;
  if (scope.visit !== undefined) scope.visit.phase = { type: 'ended' };
  state.ready.delete(scope.id);
  if (scope.parent === undefined) {
    state.ready.add(scope.id);
    return;
  }
  const parent = scopeOf(state, scope.parent);
  const counts = parent.visit?.members;
  if (scope.kind === 'branch' && counts !== undefined) {
    if (result.error === undefined) counts.succeeded++;
    else {
      counts.failed++;
      counts.firstFailed ??= scope.key;
    }
  }
  state.ready.add(parent.id);
}

/** The scopes that a visit runs: its branches, or its sub-workflow. */
export function scopesInside(state: RunState, { path, members }: Visit): readonly Scope[] {
  if (members !== undefined)
    return members.keys.flatMap((key) => state.scopes.get(branchId(path, key)) ?? []);
  const child = state.scopes.get(path);
  return child === undefined ? NO_SCOPES : [child];
}

const NO_SCOPES: readonly Scope[] = [];

/** Whether something inside has begun and has not completed, so that a group continues there. */
export function isOpenInside(state: RunState, visit: Visit): boolean {
  return (
    visit.conversation === undefined &&
    scopesInside(state, visit).some(
      ({ result }) => result === undefined || result.error !== undefined,
    )
  );
}

/** Removes all scopes inside a visit. */
export function dropInside(state: RunState, { path, members }: Visit): void {
  if (members === undefined) {
    dropScope(state, path);
    return;
  }
  for (const key of members.keys) {
    const id = branchId(path, key);
    state.branches.delete(id);
    dropScope(state, id);
  }
}

function dropScope(state: RunState, id: string): void {
  const scope = state.scopes.get(id);
  if (scope === undefined) return;
  keepResults(state, scope.visit);
  dropPending(state, scope);
  if (scope.visit !== undefined) dropInside(state, scope.visit);
  const around = parentScope(state, scope);
  if (around !== undefined) keepFinished(around, scope);
  state.scopes.delete(id);
  state.ready.delete(id);
}

/** Freezes all scopes inside a failed visit, and keeps them for a resume. */
export function freezeInside(state: RunState, visit: Visit): void {
  for (const scope of scopesInside(state, visit)) {
    keepResults(state, scope.visit);
    dropPending(state, scope);
    scope.isFrozen = true;
    state.ready.delete(scope.id);
    if (scope.visit !== undefined) freezeInside(state, scope.visit);
  }
}

/** Forgets the running effects and open gates of the scope. */
function dropPending(state: RunState, scope: Scope): void {
  const { visit } = scope;
  if (visit === undefined) return;
  for (const key of visit.pending) state.effects.delete(key);
  visit.pending.clear();
  closeGates(state, scope);
}

/** Closes the gates of the scope; a call that still needs approval opens a new one. */
export function closeGates(state: RunState, scope: Scope): void {
  const { visit } = scope;
  if (visit === undefined) return;
  for (const gate of gatesOf(visit)) if (state.gates.delete(gate)) releaseAttempts(state, scope);
  for (const call of visit.conversation?.calls ?? []) call.gate = undefined;
}

/** The gates that a visit may have open. */
export function gatesOf({ phase, conversation, path }: Visit): readonly string[] {
  if (phase.type === 'asking') return [phase.gate];
  const approvals = conversation?.calls.flatMap(({ gate }) => gate ?? []) ?? [];
  return conversation === undefined && phase.type !== 'conversation'
    ? []
    : [...approvals, budgetGate(path)];
}

/** The budget gate of a visit; it has at most one. */
export function budgetGate(path: string): string {
  return `${path}#budget`;
}

type NewScope = Pick<Scope, 'id' | 'file' | 'parent' | 'kind' | 'key' | 'loop' | 'input' | 'state'>;

function emptyScope({ id, kind, file, parent, key, loop, input, state }: NewScope): Scope {
  return {
    id,
    kind,
    file,
    parent,
    key,
    nodeResults: new LazyMap(),
    loop,
    visits: new LazyMap(),
    input,
    state,
    failing: undefined,
    last: undefined,
    starts: 0,
    retries: 0,
    clockFromMs: 0,
    held: { count: 0, sinceMs: 0 },
    spent: ZERO_AMOUNT,
    raised: ZERO_AMOUNT,
    isWarned: false,
    isFrozen: false,
    stoppedFor: undefined,
    visitLog: [],
    visit: undefined,
    result: undefined,
  };
}
