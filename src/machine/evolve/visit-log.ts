/** Visit log of a scope, and rewinding it. */
import type { JsonObject, JsonValue } from '../../errors/support/safe-json.ts';
import type { LazyMap } from '../state/lazy-collections.ts';
import { unmergeValue } from '../state/merge-state.ts';
import { fileOf, scopeAndAncestors, workflowScope } from '../state/plan-lookup.ts';
import type { FinishedNodes, RunState, Scope, StateWrite, VisitEntry } from '../state/state.ts';

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

/** Records that the node of the latest visit completed. */
export function noteFinished({ visitLog }: Scope): void {
  const latest = visitLog.at(-1);
  if (latest !== undefined) latest.isFinished = true;
}

/** Called before a scope is dropped: the visit that it ran in keeps the names of what completed in it. */
export function keepFinished(around: Scope, dropped: Scope): void {
  const latest = around.visitLog.at(-1);
  if (latest === undefined) return;
  latest.finishedInside ??= new Map();
  addFinished(latest.finishedInside, dropped, dropped.visitLog);
}

/** Adds the nodes that completed in these visits of the scope. */
export function addFinished(
  finished: FinishedNodes,
  { file }: Scope,
  visits: readonly VisitEntry[],
): void {
  for (const { node, isFinished, finishedInside } of visits) {
    if (isFinished === true) namesIn(finished, file).add(node);
    for (const [called, names] of finishedInside ?? [])
      for (const name of names) namesIn(finished, called).add(name);
  }
}

function namesIn(finished: FinishedNodes, file: string): Set<string> {
  const names = finished.get(file) ?? new Set();
  finished.set(file, names);
  return names;
}

/** The visits of a scope before it last entered the node. */
export function visitsBefore({ visitLog }: Scope, node: string): readonly VisitEntry[] {
  return visitLog.slice(
    0,
    visitLog.findLastIndex((entry) => entry.node === node),
  );
}

/** Whether the node is in the history of the scope. A rewind takes it out, though its visits stay counted. */
export function hasVisited({ visitLog }: Scope, node: string): boolean {
  return visitLog.some((entry) => entry.node === node);
}

/** Undoes everything since the scope last entered the node. */
export function rewindTo(state: RunState, scope: Scope, node: string): void {
  while (scope.visitLog.length > 0) {
    const entry = scope.visitLog.pop();
    if (entry === undefined) break;
    restoreBefore(scope, entry);
    undoState(state, scope, entry.state);
    if (entry.node === node) break;
  }
}

/** Called when the current visit begins anew: undoes what its earlier attempts wrote into the shared state. */
export function undoAttempts(state: RunState, scope: Scope): void {
  const latest = scope.visitLog.at(-1);
  if (latest === undefined || latest.state.length === 0) return;
  const written = latest.state;
  latest.state = [];
  undoState(state, scope, written);
}

function undoState(state: RunState, scope: Scope, writes: readonly StateWrite[]): void {
  if (scope.kind === 'workflow') restoreShared(scope.state, writes);
  else undoWrites(state, scope, writes);
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
