/** Names that must lead somewhere: routes, members, the entry point, state keys. */
import { suggest } from '../../errors/suggest.ts';
import type { Path } from '../path.ts';
import type { Problem, Report } from '../problem.ts';
import { END } from '../route.ts';
import { listed, quoted } from '../words.ts';
import type { FoundNode } from './each-node.ts';
import { asList, asMap, textItems, type Raw } from './read.ts';

interface Names {
  readonly targets: ReadonlySet<string>;
  readonly states: ReadonlySet<string>;
  /** Names that are like no node's, with what there is to say about each. */
  readonly lost: Map<string, Problem[]>;
}

export function checkReferences(root: unknown, nodes: readonly FoundNode[], report: Report): void {
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
 * A second node of one name is probably the node that routes name and nobody finds: then that name is
 * what to call it, and that nobody finds it follows from the mistake and is not said as well.
 */
function checkDuplicates(
  nodes: readonly FoundNode[],
  lost: Map<string, readonly Problem[]>,
  report: Report,
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

function checkNodeReferences({ type, node, path }: FoundNode, names: Names, report: Report): void {
  checkRouteTargets(node['routes'], [...path, 'routes'], names, report);
  if (type === 'parallel') checkTargets(node['agents'], [...path, 'agents'], names, report);
  if (type === 'supervisor') checkTargets(node['manages'], [...path, 'manages'], names, report);
  if (type === 'human_gate') {
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

function checkRouteTargets(routes: unknown, path: Path, names: Names, report: Report): void {
  for (const [index, route] of asList(routes).entries()) {
    const { to } = asMap(route);
    if (to !== END) checkTarget(to, [...path, index, 'to'], names, report);
  }
}

function checkTargets(list: unknown, path: Path, names: Names, report: Report): void {
  for (const [name, index] of textItems(list)) checkTarget(name, [...path, index], names, report);
}

function checkTarget(name: unknown, path: Path, { targets, lost }: Names, report: Report): void {
  if (typeof name !== 'string' || name === '' || targets.has(name)) return;
  const meant = ['end', 'END', '$END', '__end__', 'End'].includes(name)
    ? END
    : suggest(name, targets);
  const problem: Problem = {
    code: 'unknown-node',
    kind: 'validation.workflow',
    message: `No node or group is called ${quoted(name)}`,
    path,
    ...(targets.size > 0 && targets.size <= 20
      ? { expected: `one of ${listed([...targets], 'or')}` }
      : {}),
    ...(meant === undefined ? {} : { suggestion: meant }),
  };
  if (meant === undefined) lost.set(name, [...(lost.get(name) ?? []), problem]);
  else report(problem);
}

function checkState(
  key: string,
  place: Pick<Problem, 'path' | 'at'>,
  { states }: Names,
  report: Report,
): void {
  if (states.has(key)) return;
  const meant = suggest(key, states);
  report({
    code: 'unknown-state',
    message: `The workflow declares no state key ${quoted(key)}`,
    ...place,
    suggestion: meant ?? `Declare it under \`workflow.state\``,
  });
}

/** A group that is a member of itself, however far down, would never end. */
function checkContainment(nodes: readonly FoundNode[], report: Report): void {
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
    const circle = findCircle(String(node['name']), members, done);
    if (circle === undefined) continue;
    report({
      code: 'group-cycle',
      kind: 'validation.workflow',
      message: `A group cannot contain itself: ${circle.join(' → ')}`,
      path: [...path, 'name'],
      suggestion:
        circle.length === 2
          ? `Remove ${quoted(circle[0] ?? '')} from its own list`
          : `Remove ${quoted(circle[0] ?? '')} from the list of ${quoted(circle.at(-2) ?? '')}`,
    });
  }
}

function findCircle(
  start: string,
  members: ReadonlyMap<string, readonly string[]>,
  done: Set<string>,
): readonly string[] | undefined {
  const trail: string[] = [];
  const stack = [{ name: start, next: 0 }];
  while (stack.length > 0) {
    const top = stack.at(-1);
    if (top === undefined) break;
    if (top.next === 0) {
      if (trail.includes(top.name)) {
        // told once, not from each of its members
        for (const name of trail) done.add(name);
        return [...trail.slice(trail.indexOf(top.name)), top.name];
      }
      trail.push(top.name);
    }
    const member = done.has(top.name) ? undefined : members.get(top.name)?.[top.next++];
    if (member === undefined) {
      done.add(top.name);
      trail.pop();
      stack.pop();
    } else if (!done.has(member)) {
      stack.push({ name: member, next: 0 });
    }
  }
  return undefined;
}
