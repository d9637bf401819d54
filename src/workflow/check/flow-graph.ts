/**
 * The flow graph of one file: which node can follow which, and why. Groups lead to their members as well
 * as onward; the successors of a member stay inside its branch.
 */
import { allNodes } from '../plan/node-list.ts';
import type { FilePlan } from '../plan/plan.ts';
import type { NodePlan } from '../plan/node-plan.ts';
import { END, type Route } from '../plan/route-plan.ts';
import { components, type Component } from './cycles.ts';

export type EdgeReason = 'success' | 'error' | 'option' | 'member' | 'managed';

export interface Edge {
  readonly from: string;
  /** A node, or `$end`. */
  readonly to: string;
  readonly reason: EdgeReason;
  /** The route, where it is one of the workflow's own table. */
  readonly handler?: Route;
}

export interface Flow {
  readonly nodes: ReadonlyMap<string, NodePlan>;
  readonly from: ReadonlyMap<string, readonly Edge[]>;
  readonly entry: string;
  /** Cycles and single nodes; each comes after those it leads to. */
  readonly components: readonly Component[];
}

export function buildFlow(plan: FilePlan): Flow {
  const nodes = new Map<string, NodePlan>();
  for (const node of allNodes(plan)) nodes.set(node.name, node);
  const from = new Map<string, readonly Edge[]>();
  for (const [name, node] of nodes) from.set(name, edgesOf(name, node, plan.onError));
  const targets = (name: string): string[] => (from.get(name) ?? []).map(({ to }) => to);
  return { nodes, from, entry: plan.entryPoint, components: components(nodes.keys(), targets) };
}

/** The loops over those edges that a run can follow. */
export function cyclesOver(flow: Flow, isOpen: (edge: Edge) => boolean): readonly Component[] {
  const targets = (name: string): string[] =>
    (flow.from.get(name) ?? []).filter(isOpen).map(({ to }) => to);
  return components(flow.nodes.keys(), targets).filter(({ isCycle }) => isCycle);
}

/** Where the run can continue after the node, without the branches inside it. */
export function onward(flow: Flow, name: string): readonly Edge[] {
  return (flow.from.get(name) ?? []).filter(
    ({ reason }) => reason !== 'member' && reason !== 'managed',
  );
}

/** The first node of each branch that a node may open: of a group's members, of a supervisor's rounds. */
export function branchesOf(node: NodePlan): readonly string[] {
  return node.type === 'supervisor' ? node.manages : membersOf(node);
}

/** The first node of each branch of a group. */
export function membersOf(node: NodePlan): readonly string[] {
  if (node.type === 'parallel') return node.members;
  return node.type === 'for_each' ? [node.member.name] : [];
}

/** Every node that can be reached from these, themselves included. */
export function reachable(flow: Flow, starts: Iterable<string>): ReadonlySet<string> {
  return follow(flow, starts, (name) => flow.from.get(name) ?? []);
}

function follow(
  flow: Flow,
  starts: Iterable<string>,
  edgesFrom: (name: string) => readonly Edge[],
): ReadonlySet<string> {
  const seen = new Set<string>();
  const open = [...starts];
  for (let name = open.pop(); name !== undefined; name = open.pop()) {
    if (seen.has(name) || !flow.nodes.has(name)) continue;
    seen.add(name);
    for (const { to } of edgesFrom(name)) open.push(to);
  }
  return seen;
}

/** Nodes that run, but in branches only: of groups and of supervisors. Nothing outside sees their results. */
export function branchNodes(flow: Flow): ReadonlySet<string> {
  const outside = follow(flow, [flow.entry], (name) => onward(flow, name));
  return new Set([...reachable(flow, [flow.entry])].filter((name) => !outside.has(name)));
}

/** Whether the first node can come directly before the other, or before a group or supervisor around that. */
export function canBeLastBefore(flow: Flow, first: string, then: string): boolean {
  return onward(flow, first).some(({ to }) => {
    const next = flow.nodes.get(to);
    return to === then || (next !== undefined && reachable(flow, branchesOf(next)).has(then));
  });
}

/** For each node, the loop names of the branches it can run in. */
export function loopNames(plan: FilePlan, flow: Flow): ReadonlyMap<string, ReadonlySet<string>> {
  const loops = new Map<string, Set<string>>();
  for (const node of allNodes(plan)) {
    if (node.type !== 'for_each') continue;
    for (const inside of reachable(flow, [node.member.name])) {
      const seen = loops.get(inside) ?? new Set<string>();
      const names = [node.as, '_index', ...(node.keyBy === undefined ? [] : ['_key'])];
      for (const name of names) seen.add(name);
      loops.set(inside, seen);
    }
  }
  return loops;
}

/** The nodes that an error route leads to, and those that follow them. */
export function failingNodes(flow: Flow): ReadonlySet<string> {
  const targets = [...flow.from.values()].flat().filter(({ reason }) => reason === 'error');
  return reachable(
    flow,
    targets.map(({ to }) => to),
  );
}

function edgesOf(name: string, node: NodePlan, handlers: readonly Route[]): Edge[] {
  const edge = (to: string, reason: EdgeReason): Edge => ({ from: name, to, reason });
  const success = node.routes.filter(({ onError }) => onError === undefined);
  const failure = node.routes.filter(({ onError }) => onError !== undefined);
  const endsByItself = node.type === 'terminate' || success.length > 0;
  return [
    ...targetsOf(success).map((to) => edge(to, 'success')),
    ...(endsByItself ? [] : [edge(END, 'success')]),
    ...targetsOf(failure).map((to) => edge(to, 'error')),
    ...handlers.flatMap((handler) =>
      targetsOf([handler]).map((to) => ({ ...edge(to, 'error'), handler })),
    ),
    ...optionTargets(node).map((to) => edge(to, 'option')),
    ...membersOf(node).map((to) => edge(to, 'member')),
    ...(node.type === 'supervisor' ? node.manages.map((to) => edge(to, 'managed')) : []),
  ];
}

function targetsOf(routes: readonly Route[]): string[] {
  return routes.flatMap(({ move }) => (move.type === 'to' ? [move.to] : []));
}

function optionTargets(node: NodePlan): string[] {
  if (node.type !== 'human_gate') return [];
  return node.options.flatMap(({ route }) => (route === undefined ? [] : [route]));
}
