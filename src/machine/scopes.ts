/** Opening and ending the lines of control of a run. */
import type { JsonObject } from '../errors/json.ts';
import { fileOf, nodeOf, scopeOf, workflowScope } from './plan-lookup.ts';
import {
  newVisit,
  ROOT_SCOPE,
  type RunState,
  type Scope,
  type ScopeResult,
  type Visit,
} from './state.ts';

export function newWorkflowScope(
  state: RunState,
  place: Pick<Scope, 'id' | 'file' | 'parent'>,
  input: JsonObject,
): Scope {
  const plan = fileOf(state.plan, place.file);
  const fields = Object.entries(plan.state).map(([key, field]) => [key, field.default] as const);
  const scope = emptyScope({
    ...place,
    kind: 'workflow',
    key: undefined,
    loop: {},
    input,
    state: new Map(fields),
  });
  enter(scope, plan.entryPoint);
  return scope;
}

/** The branch of one member, not yet part of the state. */
export function newBranch(state: RunState, group: Scope, visit: Visit, key: string): Scope {
  const plan = fileOf(state.plan, group.file);
  const node = nodeOf(plan, visit.node);
  const index = visit.members?.keys.indexOf(key) ?? -1;
  const item = visit.members?.items?.[index];
  const loop: JsonObject =
    node.type === 'for_each' && item !== undefined
      ? { [node.as]: item, _index: index, ...(node.keyBy === undefined ? {} : { _key: key }) }
      : {};
  const around = workflowScope(state, group);
  return emptyScope({
    id: `${visit.path}[${key}]`,
    file: group.file,
    parent: group.id,
    kind: 'branch',
    key,
    loop,
    input: around.input,
    state: around.state,
  });
}

/** The scope goes on at a node. */
export function enter(scope: Scope, node: string): void {
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

/** What ran inside a visit is no longer needed. */
export function dropInside(state: RunState, visit: Visit): void {
  const isInside = (id: string): boolean =>
    id === visit.path || id.startsWith(`${visit.path}[`) || id.startsWith(`${visit.path}/`);
  if (visit.members !== undefined) {
    for (const key of visit.members.keys) dropTree(state, `${visit.path}[${key}]`);
  } else if (state.scopes.has(visit.path)) dropTree(state, visit.path);
  for (const [key, { scope }] of state.effects) if (isInside(scope)) state.effects.delete(key);
  for (const [gate, { scope }] of state.gates) if (isInside(scope)) state.gates.delete(gate);
}

function dropTree(state: RunState, id: string): void {
  const scope = state.scopes.get(id);
  if (scope === undefined) return;
  state.scopes.delete(id);
  state.ready.delete(id);
  if (scope.visit !== undefined) dropInside(state, scope.visit);
}

function emptyScope(
  given: Pick<Scope, 'id' | 'file' | 'parent' | 'kind' | 'key' | 'loop' | 'input' | 'state'>,
): Scope {
  return {
    ...given,
    slots: new Map(),
    visits: new Map(),
    failing: undefined,
    last: undefined,
    starts: 0,
    visit: undefined,
    result: undefined,
  };
}
