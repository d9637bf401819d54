/** Finding things in a plan by what the state calls them. */
import { ErrandError } from '../errors/errand-error.ts';
import { allNodes } from '../workflow/all-nodes.ts';
import type { FilePlan, WorkflowPlan } from '../workflow/model.ts';
import type { NodePlan } from '../workflow/node-model.ts';
import type { RunState, Scope, Visit } from './state.ts';

const INDEXES = new WeakMap<FilePlan, ReadonlyMap<string, NodePlan>>();

export function fileOf(plan: WorkflowPlan, file: string): FilePlan {
  if (file === '') return plan;
  const child = plan.children[file];
  if (child === undefined) throw broken('plan', file);
  return child;
}

export function nodeOf(plan: FilePlan, name: string): NodePlan {
  let index = INDEXES.get(plan);
  if (index === undefined) {
    index = indexNodes(plan);
    INDEXES.set(plan, index);
  }
  const node = index.get(name);
  if (node === undefined) throw broken('node', name);
  return node;
}

export function scopeOf(state: RunState, id: string): Scope {
  const scope = state.scopes.get(id);
  if (scope === undefined) throw broken('scope', id);
  return scope;
}

export function visitOf(scope: Scope): Visit {
  if (scope.visit === undefined) throw broken('visit', scope.id);
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

/** The workflow around a branch, however many groups lie between. */
export function workflowScope(state: RunState, scope: Scope): Scope {
  let at = scope;
  while (at.kind === 'branch' && at.parent !== undefined) at = scopeOf(state, at.parent);
  return at;
}

/** The scope right around this one. */
export function around(state: RunState, { parent }: Scope): Scope | undefined {
  return parent === undefined ? undefined : state.scopes.get(parent);
}

/** The scope and everything around it, inside out. */
export function* outwards(state: RunState, scope: Scope): Iterable<Scope> {
  for (let at: Scope | undefined = scope; at !== undefined; at = around(state, at)) yield at;
}

/** The workflows around a scope, its own first: those whose limits and settings hold for it. */
export function* workflowsAround(state: RunState, scope: Scope): Iterable<Scope> {
  for (const at of outwards(state, scope)) if (at.kind === 'workflow') yield at;
}

function indexNodes(plan: FilePlan): ReadonlyMap<string, NodePlan> {
  return new Map(allNodes(plan).map((node) => [node.name, node]));
}

/** Not a failure of the run but of ours: the log and the plan do not belong together. */
export function broken(what: string, name: string): ErrandError {
  return new ErrandError({
    kind: 'internal.invariant',
    message: `The run’s log speaks of a ${what} that its plan does not have`,
    details: { [what]: name },
  });
}
