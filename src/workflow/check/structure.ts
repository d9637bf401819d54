/** Structure of the flow: unreachable nodes, dead ends, loops, and routes that never match. */
import { matchesKind } from '../../errors/catalog/kinds.ts';
import type { FilePlan } from '../plan/plan.ts';
import type { NodePlan } from '../plan/node-plan.ts';
import { fromPointer } from '../plan/pointer.ts';
import type { ReportProblem } from '../diagnostics/problem.ts';
import { END, type Route } from '../plan/route-plan.ts';
import { listed, quoted } from '../diagnostics/diagnostic-words.ts';
import { branchesOf, cyclesOver, reachable, type Edge, type Flow } from './flow-graph.ts';
import { handlingOf, mayTake, reachesHandler, shadowedRoutes, type Raising } from './routing.ts';
import { loopWords } from './worst-case.ts';

/** The kinds that a node can fail with, and what it may raise beyond them. */
export interface Failing {
  readonly kindsOf: (node: NodePlan) => readonly string[];
  readonly raisingOf: (node: NodePlan) => Raising;
}

export function checkStructure(
  plan: FilePlan,
  flow: Flow,
  failing: Failing,
  report: ReportProblem,
): void {
  const seen = reachable(flow, [flow.entry]);
  const wayOut = nodesWithAnEnd(flow);
  for (const [name, node] of flow.nodes) {
    if (!seen.has(name)) reportUnreachable(node, report);
    checkSuccessRoutes(node, report);
    checkErrorRoutes(node, plan, failing, report);
  }
  checkWorkflowRoutes(plan, [...flow.nodes.values()], failing, report);
  reportNoWayOut(
    [...seen].filter((name) => !wayOut.has(name)),
    flow,
    report,
  );
  checkLoops(plan, flow, { seen, failing }, report);
  checkBranches(flow, report);
}

/**
 * A branch that leads to its own group never ends, because its successors stay inside it. A round of a
 * supervisor is a branch too, with its own counters.
 */
function checkBranches(flow: Flow, report: ReportProblem): void {
  for (const { members: cycle, isCycle } of flow.components) {
    if (!isCycle) continue;
    const names = new Set(cycle);
    for (const name of cycle) {
      const group = flow.nodes.get(name);
      const back =
        group === undefined ? undefined : branchesOf(group).find((each) => names.has(each));
      if (group === undefined || back === undefined) continue;
      report({
        code: 'group-cycle',
        message:
          group.type === 'supervisor'
            ? `${quoted(back)}, which ${quoted(name)} manages, leads back to ${quoted(name)}, which would run inside itself endlessly`
            : `The branch of ${quoted(back)} in ${quoted(name)} leads back to ${quoted(name)}, which would run inside itself endlessly`,
        path: fromPointer(group.location.pointer),
        suggestion:
          group.type === 'supervisor'
            ? `End the path from ${quoted(back)} with \`to: $end\`; ${quoted(name)} chooses again after each round`
            : 'End the branch with `to: $end`, and continue from the routes of the group',
      });
    }
  }
}

/**
 * The table of the workflow covers its handlers too: a handler that can fail with the kind that led
 * to it makes a loop.
 */
function checkLoops(
  plan: FilePlan,
  flow: Flow,
  { seen, failing }: { readonly seen: ReadonlySet<string>; readonly failing: Failing },
  report: ReportProblem,
): void {
  if (!plan.limits.isDefaultMaxIterations) return;
  const isOpen = ({ from, handler }: Edge): boolean => {
    const node = flow.nodes.get(from);
    if (handler === undefined || node === undefined) return true;
    const fails = { kinds: failing.kindsOf(node), raising: failing.raisingOf(node) };
    return reachesHandler(handler, node.routes, plan.onError, fails);
  };
  for (const { members } of cyclesOver(flow, isOpen)) {
    if (!members.every((name) => seen.has(name))) continue;
    const first = flow.nodes.get([...members].sort()[0] ?? '');
    if (first === undefined) continue;
    report({
      code: 'endless-loop',
      severity: 'warning',
      message: `Only the default \`max_iterations\` of ${plan.limits.maxIterations} bounds ${loopWords(members)}`,
      path: fromPointer(first.location.pointer),
      suggestion: loopAdvice(members, flow, isOpen),
    });
  }
}

/** Where the table of the file closes the loop, routes of the node's own can open it. */
function loopAdvice(
  members: readonly string[],
  flow: Flow,
  isOpen: (edge: Edge) => boolean,
): string {
  const failing = members.find((name) =>
    flow.from
      .get(name)
      ?.some((edge) => edge.handler !== undefined && members.includes(edge.to) && isOpen(edge)),
  );
  return failing === undefined
    ? 'Set `workflow.limits.max_iterations` explicitly'
    : `Handle the failures of ${quoted(failing)} at the node itself, as with \`{on_error: true, halt: true}\` in its routes, or set \`workflow.limits.max_iterations\` explicitly`;
}

/** Nodes that can reach `$end`, a `terminate` node or a move that ends the run. */
function nodesWithAnEnd(flow: Flow): ReadonlySet<string> {
  const ends = new Set<string>();
  const before = new Map<string, string[]>();
  for (const [name, node] of flow.nodes) {
    const edges = flow.from.get(name) ?? [];
    const leaves = node.routes.some(
      ({ move }) => move.type === 'halt' || move.type === 'propagate',
    );
    if (node.type === 'terminate' || leaves || edges.some(({ to }) => to === END)) ends.add(name);
    for (const { to } of edges) {
      const earlier = before.get(to);
      if (earlier === undefined) before.set(to, [name]);
      else earlier.push(name);
    }
  }
  const open = [...ends];
  for (let name = open.pop(); name !== undefined; name = open.pop()) {
    for (const earlier of before.get(name) ?? []) {
      if (ends.has(earlier)) continue;
      ends.add(earlier);
      open.push(earlier);
    }
  }
  return ends;
}

function checkSuccessRoutes(node: NodePlan, report: ReportProblem): void {
  const routes = node.routes.filter(({ onError }) => onError === undefined);
  const sure = routes.findIndex(({ when }) => when === undefined);
  for (const route of sure < 0 ? [] : routes.slice(sure + 1))
    neverMatches(
      route,
      'an earlier route without a guard is always taken first',
      'Move it up, or remove it',
      report,
    );
}

function checkErrorRoutes(
  node: NodePlan,
  plan: FilePlan,
  failing: Failing,
  report: ReportProblem,
): void {
  if (!node.routes.some(({ onError }) => onError !== undefined && onError !== true)) return;
  const kinds = failing.kindsOf(node);
  const used = new Set<Route>();
  for (const kind of kinds)
    for (const { route, table } of handlingOf(kind, node.routes, plan.onError).steps)
      if (table === 'node') used.add(route);
  const shadowed = shadowedRoutes(node.routes);
  for (const route of node.routes) {
    if (route.onError === undefined || route.onError === true || used.has(route)) continue;
    const isBelow = shadowed.has(route);
    if (!isBelow && mayTake(route, [], failing.raisingOf(node))) continue;
    const isKnown = isBelow || kinds.some((kind) => matchesAny(kind, route.onError));
    if (isForGuards(route)) {
      neverMatches(
        route,
        'after a guard has failed, no other route of the node is tried',
        'Put it into the `on_error` table of the workflow',
        report,
      );
      continue;
    }
    if (isKnown) neverMatches(route, TAKEN_BEFORE, 'Move it up, or remove it', report);
    else
      neverMatches(
        route,
        `${quoted(node.name)} cannot fail with that`,
        'Remove it, or name a kind that the node can fail with',
        report,
      );
  }
}

/** The routes of the workflow are for nodes to come too, so the routes that a node has itself do not count. */
function checkWorkflowRoutes(
  plan: FilePlan,
  nodes: readonly NodePlan[],
  failing: Failing,
  report: ReportProblem,
): void {
  if (plan.onError.length === 0) return;
  const used = new Set<Route>();
  for (const kind of new Set(nodes.flatMap((node) => failing.kindsOf(node))))
    for (const { route } of handlingOf(kind, [], plan.onError).steps) used.add(route);
  const raising = [...new Set(nodes.map((node) => failing.raisingOf(node)))];
  const shadowed = shadowedRoutes(plan.onError);
  for (const route of plan.onError) {
    if (route.onError === true || used.has(route)) continue;
    if (shadowed.has(route)) neverMatches(route, TAKEN_BEFORE, 'Move it up, or remove it', report);
    else if (!raising.some((each) => mayTake(route, [], each)))
      neverMatches(
        route,
        'no node of the file fails with that',
        'Remove it, or name a kind that a node can fail with',
        report,
      );
  }
}

const TAKEN_BEFORE = 'earlier routes take all of its kinds';

function isForGuards({ onError }: Route): boolean {
  return (
    onError !== undefined &&
    onError !== true &&
    onError.every((kind) => kind === 'route.guard_failed')
  );
}

function matchesAny(kind: string, onError: Route['onError']): boolean {
  return onError === true || (onError ?? []).some((pattern) => matchesKind(kind, pattern));
}

function neverMatches(route: Route, why: string, suggestion: string, report: ReportProblem): void {
  report({
    code: 'never-matches',
    severity: 'warning',
    message: `This route can never match: ${why}`,
    path: fromPointer(route.pointer),
    suggestion,
  });
}

function reportUnreachable(node: NodePlan, report: ReportProblem): void {
  report({
    code: 'unreachable-node',
    severity: 'warning',
    message: `No route leads to ${quoted(node.name)}`,
    path: fromPointer(node.location.pointer),
    suggestion: 'Add a route to it, or remove it',
  });
}

const MAX_NAMED = 4;

/** One report for all such nodes, because they lead to each other. */
function reportNoWayOut(names: readonly string[], flow: Flow, report: ReportProblem): void {
  const first = flow.nodes.get(names[0] ?? '');
  if (first === undefined) return;
  const more = names.length - MAX_NAMED;
  const words = names.slice(0, MAX_NAMED).map(quoted);
  report({
    code: 'no-way-out',
    severity: 'warning',
    message: `From ${listed(more > 0 ? [...words, `${more} more`] : words)} the workflow can never end`,
    path: fromPointer(first.location.pointer),
    suggestion: 'Add a route to `$end` or to a `terminate` node',
  });
}
