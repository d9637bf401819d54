/** The way a scope took through its nodes, and how it goes back to one of them. */
import type { JsonValue } from '../errors/json.ts';
import type { LazyMap } from './lazy.ts';
import type { Footprint, Scope } from './state.ts';

/** The scope is about to be at a node. */
export function leaveFootprint(scope: Scope, node: string): void {
  scope.trail.push({
    node,
    slot: scope.slots.get(node),
    last: scope.last,
    failing: scope.failing,
    state: [],
  });
}

/** A visit is about to replace these shared values. */
export function noteReplaced(
  scope: Scope,
  shared: LazyMap<string, JsonValue>,
  keys: readonly string[],
): void {
  const latest = scope.trail.at(-1);
  if (latest === undefined || keys.length === 0) return;
  latest.state = [...latest.state, ...keys.map((key) => [key, shared.get(key)] as const)];
}

/** The nodes that the scope has been at since it last came to this one, itself included. */
export function nodesSince({ trail }: Scope, node: string): readonly string[] {
  const from = trail.findLastIndex((footprint) => footprint.node === node);
  return from < 0 ? [] : trail.slice(from).map((footprint) => footprint.node);
}

/** Takes back everything since the scope last came to the node; gives the nodes that were passed. */
export function goBack(
  scope: Scope,
  shared: LazyMap<string, JsonValue>,
  node: string,
): readonly string[] {
  const passed: string[] = [];
  while (scope.trail.length > 0) {
    const footprint = scope.trail.pop();
    if (footprint === undefined) break;
    undo(scope, shared, footprint);
    passed.push(footprint.node);
    if (footprint.node === node) break;
  }
  return passed;
}

function undo(scope: Scope, shared: LazyMap<string, JsonValue>, footprint: Footprint): void {
  if (footprint.slot === undefined) scope.slots.delete(footprint.node);
  else scope.slots.set(footprint.node, footprint.slot);
  scope.last = footprint.last;
  scope.failing = footprint.failing;
  for (const [key, value] of footprint.state.toReversed()) {
    if (value === undefined) shared.delete(key);
    else shared.set(key, value);
  }
}
