/** Looks up files, nodes, scopes and visits by the names that the state uses. */
import { ErrandError } from '../../errors/thrown/errand-error.ts';
import { allNodes } from '../../workflow/plan/node-list.ts';
import type { FilePlan, WorkflowPlan } from '../../workflow/plan/plan.ts';
import type { NodePlan } from '../../workflow/plan/node-plan.ts';
import type { RunState, Scope, Visit } from './state.ts';

const INDEXES = new WeakMap<FilePlan, ReadonlyMap<string, NodePlan>>();

/** A step looks up many nodes of one file. */
let last: { readonly plan: FilePlan; readonly index: ReadonlyMap<string, NodePlan> } | undefined;

export function fileOf(plan: WorkflowPlan, file: string): FilePlan {
  const found = findFile(plan, file);
  if (found === undefined) throw logPlanMismatch('plan', file);
  return found;
}

export function nodeOf(plan: FilePlan, name: string): NodePlan {
  const node = indexOf(plan).get(name);
  if (node === undefined) throw logPlanMismatch('node', name);
  return node;
}

/** For a plan that may lack the file. */
export function findFile(plan: WorkflowPlan, file: string): FilePlan | undefined {
  return file === '' ? plan : plan.children[file];
}

/** For a plan that may lack the node or its file. */
export function findNode(plan: WorkflowPlan, file: string, name: string): NodePlan | undefined {
  const found = findFile(plan, file);
  return found === undefined ? undefined : indexOf(found).get(name);
}

export function nodesIn(plan: WorkflowPlan, file: string): readonly NodePlan[] {
  const found = findFile(plan, file);
  return found === undefined ? [] : allNodes(found);
}

export function scopeOf(state: RunState, id: string): Scope {
  const scope = state.scopes.get(id);
  if (scope === undefined) throw logPlanMismatch('scope', id);
  return scope;
}

export function visitOf(scope: Scope): Visit {
  if (scope.visit === undefined) throw logPlanMismatch('visit', scope.id);
  return scope.visit;
}

/** The path of a node in a scope. */
export function pathOf(scope: Scope, node: string): string {
  return scope.id === '' ? node : `${scope.id}/${node}`;
}

/** The scope that a path's node runs in: everything before its last part. */
export function scopeIdOf(path: string, node: string): string {
  return path === node ? '' : path.slice(0, path.length - node.length - 1);
}

/** The workflow that contains a branch, through any number of groups. */
export function workflowScope(state: RunState, scope: Scope): Scope {
  let at = scope;
  while (at.kind === 'branch' && at.parent !== undefined) at = scopeOf(state, at.parent);
  return at;
}

/** The scope whose node runs this one. */
export function parentScope(state: RunState, { parent }: Scope): Scope | undefined {
  return parent === undefined ? undefined : state.scopes.get(parent);
}

/** The scope itself, then every enclosing scope, from the inside out. */
export function* scopeAndAncestors(state: RunState, scope: Scope): Iterable<Scope> {
  for (let at: Scope | undefined = scope; at !== undefined; at = parentScope(state, at)) yield at;
}

/** The workflows whose limits and settings apply to a scope, the innermost first. */
export function* workflowsAround(state: RunState, scope: Scope): Iterable<Scope> {
  for (const at of scopeAndAncestors(state, scope)) if (at.kind === 'workflow') yield at;
}

function indexOf(plan: FilePlan): ReadonlyMap<string, NodePlan> {
  if (last?.plan === plan) return last.index;
  let index = INDEXES.get(plan);
  if (index === undefined) {
    index = new Map(allNodes(plan).map((node) => [node.name, node]));
    INDEXES.set(plan, index);
  }
  last = { plan, index };
  return index;
}

/** A bug of Errand and not a failure of the run: the log does not belong to the plan. */
export function logPlanMismatch(what: string, name: string): ErrandError {
  return new ErrandError({
    kind: 'internal.invariant',
    message: `The log of the run names a ${what} that its plan does not have`,
    details: { [what]: name },
  });
}
