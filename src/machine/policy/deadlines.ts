/**
 * Deadlines of runs and nodes. The clock of a run or a child counts crashes, backoffs and waits, and
 * stops while the run is paused or has ended. The clock of a node is per attempt; it also stops while
 * a person is asked inside it, and while no process runs the run.
 */
import type { NodePlan } from '../../workflow/plan/node-plan.ts';
import { fileOf, findFile, nodeOf, scopeAndAncestors } from '../state/plan-lookup.ts';
import type { RunState, Scope } from '../state/state.ts';
import { keepTimers, setTimer } from '../state/timer-heap.ts';

/** Starts the clock of the whole workflow that a scope runs. */
export function startWorkflowClock(state: RunState, scope: Scope): void {
  scope.clockFromMs = state.nowMs;
  setWorkflowTimer(state, scope);
}

/**
 * Deadline of a workflow, by the limit that its file has now. A changed file may no longer call a
 * workflow that has ended.
 */
export function workflowDeadlineMs(
  { plan }: RunState,
  { kind, file, clockFromMs, result }: Scope,
): number | undefined {
  if (kind !== 'workflow') return undefined;
  const found = result === undefined ? fileOf(plan, file) : findFile(plan, file);
  const timeoutMs = found?.limits.timeoutMs;
  return timeoutMs === undefined ? undefined : clockFromMs + timeoutMs;
}

/** Starts the clock of a new attempt. */
export function startAttemptClock(
  state: RunState,
  scope: Scope,
  { timeoutMs, type }: NodePlan,
): void {
  if (scope.visit === undefined) return;
  scope.visit.leftMs = undefined;
  scope.visit.deadlineMs = timeoutMs === undefined ? undefined : state.nowMs + timeoutMs;
  // an agent's clock starts with its first call, however long that call has to wait
  if (type === 'agent') stopAttemptClock(state, scope);
  armAttempt(state, scope);
}

/** Stops while nothing runs: waits for a schedule, a cooldown, a budget or a person do not count. */
export function stopAttemptClock(state: RunState, { visit, held }: Scope): void {
  if (visit?.deadlineMs === undefined) return;
  const leftMs = visit.deadlineMs - (held.count > 0 ? held.sinceMs : state.nowMs);
  // an attempt past its deadline stays so
  if (leftMs <= 0) return;
  visit.leftMs = leftMs;
  visit.deadlineMs = undefined;
}

export function resumeAttemptClock(state: RunState, scope: Scope): void {
  const { visit } = scope;
  if (visit?.leftMs === undefined) return;
  visit.deadlineMs = state.nowMs + visit.leftMs;
  visit.leftMs = undefined;
  armAttempt(state, scope);
}

export function stopClocks(state: RunState): void {
  state.stoppedAtMs = state.nowMs;
}

export function resumeClocks(state: RunState): void {
  const stoodMs = state.stoppedAtMs === undefined ? 0 : state.nowMs - state.stoppedAtMs;
  state.stoppedAtMs = undefined;
  if (stoodMs === 0) return;
  for (const scope of state.scopes.values()) {
    scope.clockFromMs += stoodMs;
    if (scope.held.count === 0) extendAttempt(state, scope, stoodMs);
  }
}

/**
 * Excludes the time in which no process ran the run. A repeated effect gets the whole time of its
 * node.
 */
export function excludeIdleTime(state: RunState, idleMs: number): void {
  for (const scope of state.scopes.values()) {
    const { visit } = scope;
    if (visit?.phase.type === 'effect')
      startAttemptClock(state, scope, nodeOf(fileOf(state.plan, scope.file), visit.node));
    else if (scope.held.count === 0) extendAttempt(state, scope, idleMs);
  }
}

/** Sets the timers of all workflows again, because their files may have new limits. */
export function setWorkflowTimers(state: RunState): void {
  for (const scope of state.scopes.values()) setWorkflowTimer(state, scope);
}

function setWorkflowTimer(state: RunState, scope: Scope): void {
  const deadlineMs = workflowDeadlineMs(state, scope);
  if (deadlineMs !== undefined) setTimer(state.timers, deadlineMs, scope.id);
}

/** Timers that are kept before stale ones are dropped. */
const MAX_TIMERS = 128;
/** The timers that a scope can wait for: of its attempt, of its wait, of its workflow. */
const TIMERS_OF_SCOPE = 3;

/**
 * Drops timers that nothing waits for any more: attempts end long before their time limits, and a
 * loop makes thousands. Due timers stay, and so do the few of a short run.
 */
export function dropStaleTimers(state: RunState): void {
  const { timers, scopes, nowMs } = state;
  if (timers.heap.length <= MAX_TIMERS + 2 * TIMERS_OF_SCOPE * scopes.size) return;
  keepTimers(timers, ({ atMs, scope: id }) => {
    if (atMs <= nowMs) return true;
    const scope = scopes.get(id);
    if (scope === undefined) return false;
    const { deadlineMs, wakeAtMs } = scope.visit ?? {};
    return [deadlineMs, wakeAtMs, workflowDeadlineMs(state, scope)].includes(atMs);
  });
}

/** Stops the clocks of the scope and all enclosing ones while a person is asked in it. */
export function holdAttempts(state: RunState, scope: Scope): void {
  for (const around of scopeAndAncestors(state, scope)) {
    if (around.held.count === 0) around.held.sinceMs = state.nowMs;
    around.held.count++;
  }
}

export function releaseAttempts(state: RunState, scope: Scope): void {
  for (const around of scopeAndAncestors(state, scope)) {
    if (around.held.count === 0) continue;
    around.held.count--;
    if (around.held.count === 0) extendAttempt(state, around, state.nowMs - around.held.sinceMs);
  }
}

/** Whether the current attempt is past its deadline. */
export function isOverdue(state: RunState, { visit, held }: Scope): boolean {
  return visit?.deadlineMs !== undefined && held.count === 0 && state.nowMs >= visit.deadlineMs;
}

function extendAttempt(state: RunState, scope: Scope, byMs: number): void {
  if (scope.visit?.deadlineMs === undefined) return;
  scope.visit.deadlineMs += byMs;
  armAttempt(state, scope);
}

function armAttempt(state: RunState, { id, visit }: Scope): void {
  if (visit?.deadlineMs !== undefined) setTimer(state.timers, visit.deadlineMs, id);
}
