/** Visit log of a scope, and rewinding it. */
import type { JsonValue } from '../../errors/support/safe-json.ts';
import type { LazyMap } from '../state/lazy-collections.ts';
import type { VisitEntry, Scope } from '../state/state.ts';

/** Called before the scope enters a node. */
export function recordVisit(scope: Scope, node: string): void {
  scope.visitLog.push({
    node,
    result: scope.nodeResults.get(node),
    last: scope.last,
    failing: scope.failing,
    state: [],
  });
}

/** Called before a visit replaces these shared values. */
export function recordReplacedState(
  scope: Scope,
  shared: LazyMap<string, JsonValue>,
  keys: readonly string[],
): void {
  const latest = scope.visitLog.at(-1);
  if (latest === undefined || keys.length === 0) return;
  latest.state = [...latest.state, ...keys.map((key) => [key, shared.get(key)] as const)];
}

/** The nodes visited since the scope last entered this one, including it. */
export function nodesSince({ visitLog }: Scope, node: string): readonly string[] {
  const from = visitLog.findLastIndex((entry) => entry.node === node);
  return from < 0 ? [] : visitLog.slice(from).map((entry) => entry.node);
}

/** Undoes everything since the scope last entered the node; returns the nodes that are undone. */
export function rewindTo(
  scope: Scope,
  shared: LazyMap<string, JsonValue>,
  node: string,
): readonly string[] {
  const passed: string[] = [];
  while (scope.visitLog.length > 0) {
    const entry = scope.visitLog.pop();
    if (entry === undefined) break;
    restoreBefore(scope, shared, entry);
    passed.push(entry.node);
    if (entry.node === node) break;
  }
  return passed;
}

function restoreBefore(scope: Scope, shared: LazyMap<string, JsonValue>, entry: VisitEntry): void {
  if (entry.result === undefined) scope.nodeResults.delete(entry.node);
  else scope.nodeResults.set(entry.node, entry.result);
  scope.last = entry.last;
  scope.failing = entry.failing;
  for (const [key, value] of entry.state.toReversed()) {
    if (value === undefined) shared.delete(key);
    else shared.set(key, value);
  }
}
