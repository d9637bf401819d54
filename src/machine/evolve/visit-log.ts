/** Visit log of a scope, and rewinding it. */
import type { JsonObject, JsonValue } from '../../errors/support/safe-json.ts';
import type { LazyMap } from '../state/lazy-collections.ts';
import { unmergeValue } from '../state/merge-state.ts';
import { fileOf, scopeAndAncestors, workflowScope } from '../state/plan-lookup.ts';
import type { RunState, Scope, StateWrite, VisitEntry } from '../state/state.ts';

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

/**
 * Called before a visit replaces these shared values. The visits around it record them too, because the branches
 * inside a group are gone when the group is rewound.
 */
export function recordReplacedState(state: RunState, scope: Scope, written: JsonObject): void {
  const shared = workflowScope(state, scope).state;
  const writes = Object.entries(written).map(([key, after]): StateWrite => [
    key,
    shared.get(key),
    after,
  ]);
  for (const around of scopeAndAncestors(state, scope)) {
    const latest = around.visitLog.at(-1);
    if (latest !== undefined) latest.state.push(...newTo(around, latest, writes));
    if (around.kind === 'workflow') break;
  }
}

/** A workflow is rewound to the values before a visit, so it needs only the first write of each key. */
function newTo(
  { kind }: Scope,
  { state: known }: VisitEntry,
  writes: readonly StateWrite[],
): readonly StateWrite[] {
  return kind === 'workflow'
    ? writes.filter(([key]) => !known.some(([recorded]) => recorded === key))
    : writes;
}

/** The nodes visited since the scope last entered this one, including it. */
export function nodesSince({ visitLog }: Scope, node: string): readonly string[] {
  const from = visitLog.findLastIndex((entry) => entry.node === node);
  return from < 0 ? [] : visitLog.slice(from).map((entry) => entry.node);
}

/** Undoes everything since the scope last entered the node; returns the nodes that are undone. */
export function rewindTo(state: RunState, scope: Scope, node: string): readonly string[] {
  const passed: string[] = [];
  while (scope.visitLog.length > 0) {
    const entry = scope.visitLog.pop();
    if (entry === undefined) break;
    restoreBefore(scope, entry);
    if (scope.kind === 'workflow') restoreShared(scope.state, entry.state);
    else undoWrites(state, scope, entry.state);
    passed.push(entry.node);
    if (entry.node === node) break;
  }
  return passed;
}

function restoreBefore(scope: Scope, entry: VisitEntry): void {
  if (entry.result === undefined) scope.nodeResults.delete(entry.node);
  else scope.nodeResults.set(entry.node, entry.result);
  scope.last = entry.last;
  scope.failing = entry.failing;
}

function restoreShared(shared: LazyMap<string, JsonValue>, writes: readonly StateWrite[]): void {
  for (const [key, before] of writes.toReversed()) {
    if (before === undefined) shared.delete(key);
    else shared.set(key, before);
  }
}

/** Takes the writes of a branch out of the shared values; the branches beside it may have written since. */
function undoWrites(state: RunState, scope: Scope, writes: readonly StateWrite[]): void {
  const around = workflowScope(state, scope);
  const fields = fileOf(state.plan, around.file).state;
  for (const [key, before, after] of writes.toReversed()) {
    const current = around.state.get(key);
    if (current === undefined) continue;
    const merge = fields[key]?.merge ?? 'replace';
    const value = unmergeValue(merge, { current, before, after });
    if (value === undefined) around.state.delete(key);
    else around.state.set(key, value);
  }
  const undone = new Set(writes);
  for (const branch of scopeAndAncestors(state, scope)) {
    if (branch.kind === 'workflow') break;
    const latest = branch.visitLog.at(-1);
    // a branch around it must not undo them a second time
    if (latest !== undefined) latest.state = latest.state.filter((write) => !undone.has(write));
  }
}
