/** Opening and ending the lines of control of a run. */
import type { JsonObject, JsonValue } from '../errors/json.ts';
import { releaseTries } from './clocks.ts';
import { LazyMap } from './lazy.ts';
import { pathKey } from './path-key.ts';
import { fileOf, nodeOf, scopeOf, workflowScope } from './plan-lookup.ts';
import {
  newVisit,
  NOTHING,
  ROOT_SCOPE,
  type RunState,
  type Scope,
  type ScopeResult,
  type Visit,
} from './state.ts';
import { keepResults } from './kept.ts';
import { leaveFootprint } from './trail.ts';

export function newWorkflowScope(
  state: RunState,
  place: Pick<Scope, 'id' | 'file' | 'parent'>,
  input: JsonObject,
): Scope {
  const plan = fileOf(state.plan, place.file);
  const shared = new LazyMap<string, JsonValue>();
  for (const [key, field] of Object.entries(plan.state)) shared.set(key, field.default);
  const scope = emptyScope({
    ...place,
    kind: 'workflow',
    key: undefined,
    loop: {},
    input,
    state: shared,
  });
  enter(scope, plan.entryPoint);
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

/** The branch that a member's key stands for. */
export function branchId(groupPath: string, key: string): string {
  return `${groupPath}[${pathKey(key)}]`;
}

/** The scope goes on at a node. */
export function enter(scope: Scope, node: string): void {
  leaveFootprint(scope, node);
  const number = (scope.visits.get(node) ?? 0) + 1;
  scope.visits.set(node, number);
  scope.visit = newVisit(node, scope.id === ROOT_SCOPE ? node : `${scope.id}/${node}`, number);
}

/** The line of control is over; whoever waits for it is asked next. */
export function endScope(state: RunState, scope: Scope, result: ScopeResult): void {
  scope.result = result;
  if (scope.visit !== undefined) scope.visit.phase = { at: 'ended' };
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
export function insideOf(state: RunState, { path, members }: Visit): readonly Scope[] {
  if (members !== undefined)
    return members.keys.flatMap((key) => state.scopes.get(branchId(path, key)) ?? []);
  const child = state.scopes.get(path);
  return child === undefined ? NO_SCOPES : [child];
}

const NO_SCOPES: readonly Scope[] = [];

/** What ran inside a visit is no longer needed. */
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
  letGo(state, scope);
  if (scope.visit !== undefined) dropInside(state, scope.visit);
  state.scopes.delete(id);
  state.ready.delete(id);
}

/** What runs inside a visit that has failed rests, and is kept for a run that is resumed. */
export function freezeInside(state: RunState, visit: Visit): void {
  for (const scope of insideOf(state, visit)) {
    keepResults(state, scope.visit);
    letGo(state, scope);
    scope.isFrozen = true;
    state.ready.delete(scope.id);
    if (scope.visit !== undefined) freezeInside(state, scope.visit);
  }
}

/** Nothing is asked of the world or of people in this scope any more. */
function letGo(state: RunState, scope: Scope): void {
  const { visit } = scope;
  if (visit === undefined) return;
  for (const key of visit.pending) state.effects.delete(key);
  visit.pending.clear();
  closeGates(state, scope);
}

/** Nobody is asked any more; what still wants an approval asks for it again. */
export function closeGates(state: RunState, scope: Scope): void {
  const { visit } = scope;
  if (visit === undefined) return;
  for (const gate of gatesOf(visit)) if (state.gates.delete(gate)) releaseTries(state, scope);
  for (const call of visit.talk?.calls ?? []) call.gate = undefined;
}

/** Where a visit may be asking; not each of them need be open. */
export function gatesOf({ phase, talk, path }: Visit): readonly string[] {
  if (phase.at === 'asking') return [phase.gate];
  const approvals = talk?.calls.flatMap(({ gate }) => gate ?? []) ?? [];
  return talk === undefined && phase.at !== 'talking' ? [] : [...approvals, budgetGate(path)];
}

/** The one gate at which a visit can be asked about a budget. */
export function budgetGate(path: string): string {
  return `${path}#budget`;
}

type Place = Pick<Scope, 'id' | 'file' | 'parent' | 'kind' | 'key' | 'loop' | 'input' | 'state'>;

function emptyScope({ id, kind, file, parent, key, loop, input, state }: Place): Scope {
  return {
    id,
    kind,
    file,
    parent,
    key,
    slots: new LazyMap(),
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
    spent: NOTHING,
    raised: NOTHING,
    isWarned: false,
    isFrozen: false,
    stoppedFor: undefined,
    trail: [],
    visit: undefined,
    result: undefined,
  };
}
