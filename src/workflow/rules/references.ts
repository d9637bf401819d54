/** References that must exist: targets of routes, members, the entry point, state keys. */
import { suggest } from '../../errors/support/suggest.ts';
import type { Path } from '../plan/pointer.ts';
import type { Problem, ReportProblem } from '../diagnostics/problem.ts';
import { END } from '../plan/route-plan.ts';
import { oneOf, quoted } from '../diagnostics/diagnostic-words.ts';
import type { FoundNode } from './each-node.ts';
import { asList, asMap, textItems, type Raw } from './read-raw.ts';

interface Names {
  readonly targets: ReadonlySet<string>;
  readonly states: ReadonlySet<string>;
  /** Names that no node has, with the advice for each. */
  readonly lost: Map<string, Problem[]>;
}

export function checkReferences(
  root: unknown,
  nodes: readonly FoundNode[],
  report: ReportProblem,
): void {
  const header = asMap(asMap(root)['workflow']);
  const names: Names = {
    targets: new Set(nodes.filter((found) => found.isTarget).flatMap(({ node }) => nameOf(node))),
    states: new Set(Object.keys(asMap(header['state']))),
    lost: new Map(),
  };
  checkTarget(header['entry_point'], ['workflow', 'entry_point'], names, report);
  checkRouteTargets(header['on_error'], ['workflow', 'on_error'], names, report);
  for (const found of nodes) checkNodeReferences(found, names, report);
  checkDuplicates(nodes, names.lost, report);
  for (const problems of names.lost.values()) for (const problem of problems) report(problem);
  checkContainment(nodes, report);
}

function nameOf({ name }: Raw): string[] {
  return typeof name === 'string' ? [name] : [];
}

/**
 * A second node of the same name is probably the missing target of some route: then that target's
 * name is suggested, and the missing target is not reported as well.
 */
function checkDuplicates(
  nodes: readonly FoundNode[],
  lost: Map<string, readonly Problem[]>,
  report: ReportProblem,
): void {
  const seen = new Set<unknown>();
  for (const { node, path } of nodes) {
    const { name } = node;
    if (typeof name !== 'string') continue;
    if (seen.has(name)) {
      const [wanted] = lost.keys();
      if (wanted !== undefined) lost.delete(wanted);
      report({
        code: 'duplicate-name',
        kind: 'validation.workflow',
        message: `Two nodes are called ${quoted(name)}`,
        path: [...path, 'name'],
        suggestion:
          wanted === undefined
            ? `Rename it, for example to \`${name}_2\``
            : `Rename it to ${quoted(wanted)}, which a route names and no node has`,
      });
    }
    seen.add(name);
  }
}

function checkNodeReferences(
  { type, node, path }: FoundNode,
  names: Names,
  report: ReportProblem,
): void {
  checkRouteTargets(node['routes'], [...path, 'routes'], names, report);
  if (type === 'parallel') checkTargets(node['agents'], [...path, 'agents'], names, report);
  if (type === 'supervisor') checkTargets(node['manages'], [...path, 'manages'], names, report);
  if (type === 'human_gate') {
    const { abort_route: aborted } = node;
    if (aborted !== undefined && aborted !== END)
      checkTarget(aborted, [...path, 'abort_route'], names, report);
    for (const [index, option] of asList(node['options']).entries()) {
      const { route } = asMap(option);
      if (route !== END) checkTarget(route, [...path, 'options', index, 'route'], names, report);
    }
  }
  if (type === 'agent') {
    for (const [key, index] of textItems(node['writes'])) {
      checkState(key, { path: [...path, 'writes', index] }, names, report);
    }
  }
  if (type === 'set') {
    for (const key of Object.keys(asMap(node['state']))) {
      checkState(key, { path: [...path, 'state', key], at: 'key' }, names, report);
    }
  }
}

function checkRouteTargets(routes: unknown, path: Path, names: Names, report: ReportProblem): void {
  for (const [index, route] of asList(routes).entries()) {
    const { to } = asMap(route);
    if (to !== END) checkTarget(to, [...path, index, 'to'], names, report);
  }
}

function checkTargets(list: unknown, path: Path, names: Names, report: ReportProblem): void {
  for (const [name, index] of textItems(list)) checkTarget(name, [...path, index], names, report);
}

function checkTarget(
  name: unknown,
  path: Path,
  { targets, lost }: Names,
  report: ReportProblem,
): void {
  if (typeof name !== 'string' || name === '' || targets.has(name)) return;
  const meant = ['end', 'END', '$END', '__end__', 'End'].includes(name)
    ? END
    : suggest(name, targets);
  const problem: Problem = {
    code: 'unknown-node',
    kind: 'validation.workflow',
    message: `No node or group is called ${quoted(name)}`,
    path,
    ...(targets.size > 0 && targets.size <= 20 ? { expected: oneOf([...targets]) } : {}),
    ...(meant === undefined ? {} : { suggestion: meant }),
  };
  if (meant === undefined) lost.set(name, [...(lost.get(name) ?? []), problem]);
  else report(problem);
}

function checkState(
  key: string,
  location: Pick<Problem, 'path' | 'at'>,
  { states }: Names,
  report: ReportProblem,
): void {
  if (states.has(key)) return;
  const meant = suggest(key, states);
  report({
    code: 'unknown-state',
    message: `The workflow declares no state key ${quoted(key)}`,
    ...location,
    suggestion: meant ?? `Declare it under \`workflow.state\``,
  });
}

/** Finds groups that contain themselves at any depth: they would never end. */
function checkContainment(nodes: readonly FoundNode[], report: ReportProblem): void {
  const members = new Map<string, readonly string[]>();
  for (const { type, node } of nodes) {
    const list = type === 'supervisor' ? node['manages'] : node['agents'];
    const isGroup = type === 'supervisor' || type === 'parallel';
    const inner = type === 'for_each' ? asMap(node['agent'])['name'] : undefined;
    const names = isGroup ? textItems(list).map(([name]) => name) : [];
    members.set(String(node['name']), typeof inner === 'string' ? [inner] : names);
  }
  const done = new Set<string>();
  for (const { node, path } of nodes) {
    if (done.has(String(node['name']))) continue;
    const cycle = findCycle(String(node['name']), members, done);
    if (cycle === undefined) continue;
    report({
      code: 'group-cycle',
      kind: 'validation.workflow',
      message: `A group cannot contain itself: ${cycle.join(' → ')}`,
      path: [...path, 'name'],
      suggestion:
        cycle.length === 2
          ? `Remove ${quoted(cycle[0] ?? '')} from its own list`
          : `Remove ${quoted(cycle[0] ?? '')} from the list of ${quoted(cycle.at(-2) ?? '')}`,
    });
  }
}

function findCycle(
  start: string,
  members: ReadonlyMap<string, readonly string[]>,
  done: Set<string>,
): readonly string[] | undefined {
  const ancestors: string[] = [];
  const stack = [{ name: start, next: 0 }];
  while (stack.length > 0) {
    const top = stack.at(-1);
    if (top === undefined) break;
    if (top.next === 0) {
      if (ancestors.includes(top.name)) {
        // reported once, not from each of its members
        for (const name of ancestors) done.add(name);
        return [...ancestors.slice(ancestors.indexOf(top.name)), top.name];
      }
      ancestors.push(top.name);
    }
    const member = done.has(top.name) ? undefined : members.get(top.name)?.[top.next++];
    if (member === undefined) {
      done.add(top.name);
      ancestors.pop();
      stack.pop();
    } else if (!done.has(member)) {
      stack.push({ name: member, next: 0 });
    }
  }
  return undefined;
}
