/** Visit log of a scope, and rewinding it. */
import type { JsonObject, JsonValue } from '../../errors/support/safe-json.ts';
import type { LazyMap } from '../state/lazy-collections.ts';
import { mergedValue, valueBetween } from '../state/merge-state.ts';
import { fileOf, scopeAndAncestors, workflowScope } from '../state/plan-lookup.ts';
import type { FinishedNodes, RunState, Scope, VisitEntry } from '../state/state.ts';

/** Called before the scope enters a node. */
export function recordVisit(scope: Scope, node: string): void {
  scope.visitLog.push({
    node,
    result: scope.nodeResults.get(node),
    last: scope.last,
    failing: scope.failing,
    state: [],
    wroteAt: [],
  });
}

/**
 * Called before a visit replaces these shared values. The workflow keeps the values from before its
 * visit. Branches write side by side, so the writes of each are kept too, as long as one of them
 * can be rewound alone.
 */
export function recordStateWrites(
  state: RunState,
  scope: Scope,
  merged: JsonObject,
  wrote: JsonObject = {},
): void {
  const around = workflowScope(state, scope);
  const latest = around.visitLog.at(-1);
  if (latest === undefined) return;
  const fields = fileOf(state.plan, around.file).state;
  for (const [key, after] of Object.entries(merged)) {
    const before = around.state.get(key);
    if (!latest.state.some(([known]) => known === key)) latest.state.push([key, before]);
    if (scope.kind === 'workflow') continue;
    const value = wrote[key] ?? valueBetween(fields[key], before, after);
    latest.writes ??= [];
    latest.writes.push([state.seq, key, value]);
  }
  for (const branch of scopeAndAncestors(state, scope)) {
    if (branch.kind === 'workflow') break;
    branch.visitLog.at(-1)?.wroteAt.push(state.seq);
  }
}

/** Records that the node of the latest visit completed. */
export function noteFinished({ kind, visitLog }: Scope): void {
  const latest = visitLog.at(-1);
  if (latest === undefined) return;
  latest.isFinished = true;
  // its branches are gone
  if (kind === 'workflow') delete latest.writes;
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
    if (isFinished === true) nodeNamesIn(finished, file).add(node);
    for (const [called, names] of finishedInside ?? [])
      for (const name of names) nodeNamesIn(finished, called).add(name);
  }
}

function nodeNamesIn(finished: FinishedNodes, file: string): Set<string> {
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
  const undone = scope.visitLog.splice(visitsBefore(scope, node).length);
  for (const entry of undone.toReversed()) {
    restoreBefore(scope, entry);
    undoState(state, scope, entry);
  }
}

/** Called when the current visit begins anew: undoes what its earlier attempts wrote into the shared state. */
export function undoAttempts(state: RunState, scope: Scope): void {
  const latest = scope.visitLog.at(-1);
  if (latest === undefined) return;
  undoState(state, scope, latest);
  latest.state = [];
  latest.wroteAt = [];
  delete latest.writes;
}

function undoState(state: RunState, scope: Scope, entry: VisitEntry): void {
  if (scope.kind === 'workflow') restoreShared(scope.state, entry.state);
  else undoWrites(state, scope, new Set(entry.wroteAt));
}

function restoreBefore(scope: Scope, entry: VisitEntry): void {
  if (entry.result === undefined) scope.nodeResults.delete(entry.node);
  else scope.nodeResults.set(entry.node, entry.result);
  scope.last = entry.last;
  scope.failing = entry.failing;
}

function restoreShared(shared: LazyMap<string, JsonValue>, before: VisitEntry['state']): void {
  for (const [key, value] of before) {
    if (value === undefined) shared.delete(key);
    else shared.set(key, value);
  }
}

/** Merges anew what the other branches wrote. */
function undoWrites(state: RunState, scope: Scope, undone: ReadonlySet<number>): void {
  const around = workflowScope(state, scope);
  const latest = around.visitLog.at(-1);
  if (latest?.writes === undefined) return;
  const fields = fileOf(state.plan, around.file).state;
  const changed = new Set(latest.writes.filter(([seq]) => undone.has(seq)).map(([, key]) => key));
  latest.writes = latest.writes.filter(([seq]) => !undone.has(seq));
  for (const key of changed) {
    const left = latest.writes.filter(([, written]) => written === key).map(([, , value]) => value);
    const before = latest.state.find(([known]) => known === key)?.[1];
    const value = left.reduce<JsonValue | undefined>(
      (sum, written) => mergedValue(fields[key], sum, written),
      before,
    );
    if (value === undefined) around.state.delete(key);
    else around.state.set(key, value);
  }
}
