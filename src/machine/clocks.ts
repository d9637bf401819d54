/**
 * The time that runs and nodes may take. A run's clock and a child's run through crashes, backoffs
 * and waits, and stand still while the run is paused or has ended. A node's clock is per try; it also
 * stands still while people inside it are asked, and while no process runs the run.
 */
import type { NodePlan } from '../workflow/node-model.ts';
import { fileOf, nodeOf, outwards } from './plan-lookup.ts';
import type { RunState, Scope } from './state.ts';
import { setTimer } from './timers.ts';

/** Starts the clock of the whole workflow that a scope runs. */
export function startWorkflowClock(state: RunState, scope: Scope): void {
  scope.clockFromMs = state.nowMs;
  armWorkflow(state, scope);
}

/** When a workflow has used its time, by the limit that its file has now. */
export function workflowDeadlineMs(
  { plan }: RunState,
  { kind, file, clockFromMs }: Scope,
): number | undefined {
  const timeoutMs = kind === 'workflow' ? fileOf(plan, file).limits.timeoutMs : undefined;
  return timeoutMs === undefined ? undefined : clockFromMs + timeoutMs;
}

/** Of the try that has just begun. */
export function startTryClock(state: RunState, scope: Scope, { timeoutMs, type }: NodePlan): void {
  if (scope.visit === undefined) return;
  scope.visit.leftMs = undefined;
  scope.visit.deadlineMs = timeoutMs === undefined ? undefined : state.nowMs + timeoutMs;
  // an agent has used no time before its first call goes out, however long that is held back
  if (type === 'agent') stopTryClock(state, scope);
  armTry(state, scope);
}

/** Nothing is under way: a wait for a schedule, a cooldown, a budget or a person is left out. */
export function stopTryClock(state: RunState, { visit, held }: Scope): void {
  if (visit?.deadlineMs === undefined) return;
  const leftMs = visit.deadlineMs - (held.count > 0 ? held.sinceMs : state.nowMs);
  // time that is used up stays used up
  if (leftMs <= 0) return;
  visit.leftMs = leftMs;
  visit.deadlineMs = undefined;
}

export function goOnWithTryClock(state: RunState, scope: Scope): void {
  const { visit } = scope;
  if (visit?.leftMs === undefined) return;
  visit.deadlineMs = state.nowMs + visit.leftMs;
  visit.leftMs = undefined;
  armTry(state, scope);
}

export function stopClocks(state: RunState): void {
  state.stoppedAtMs = state.nowMs;
}

export function goOnWithClocks(state: RunState): void {
  const stoodMs = state.stoppedAtMs === undefined ? 0 : state.nowMs - state.stoppedAtMs;
  state.stoppedAtMs = undefined;
  if (stoodMs === 0) return;
  for (const scope of state.scopes.values()) {
    scope.clockFromMs += stoodMs;
    if (scope.held.count === 0) prolongTry(state, scope, stoodMs);
  }
}

/**
 * No process ran the run for that long: no try has used this time, and an effect that is asked again
 * has the whole time of its node.
 */
export function leaveOutInterruption(state: RunState, idleMs: number): void {
  for (const scope of state.scopes.values()) {
    const { visit } = scope;
    if (visit?.phase.at === 'effect')
      startTryClock(state, scope, nodeOf(fileOf(state.plan, scope.file), visit.node));
    else if (scope.held.count === 0) prolongTry(state, scope, idleMs);
  }
}

/** Sets the alarms of all workflows anew: their files may have another limit now. */
export function armWorkflows(state: RunState): void {
  for (const scope of state.scopes.values()) armWorkflow(state, scope);
}

function armWorkflow(state: RunState, scope: Scope): void {
  const deadlineMs = workflowDeadlineMs(state, scope);
  if (deadlineMs !== undefined) setTimer(state.timers, deadlineMs, scope.id);
}

/** Someone is asked in this scope: whatever waits for it waits with it. */
export function holdTries(state: RunState, scope: Scope): void {
  for (const around of outwards(state, scope)) {
    if (around.held.count === 0) around.held.sinceMs = state.nowMs;
    around.held.count++;
  }
}

export function releaseTries(state: RunState, scope: Scope): void {
  for (const around of outwards(state, scope)) {
    if (around.held.count === 0) continue;
    around.held.count--;
    if (around.held.count === 0) prolongTry(state, around, state.nowMs - around.held.sinceMs);
  }
}

/** Whether the present try has used its time. */
export function isOverdue(state: RunState, { visit, held }: Scope): boolean {
  return visit?.deadlineMs !== undefined && held.count === 0 && state.nowMs >= visit.deadlineMs;
}

function prolongTry(state: RunState, scope: Scope, byMs: number): void {
  if (scope.visit?.deadlineMs === undefined) return;
  scope.visit.deadlineMs += byMs;
  armTry(state, scope);
}

function armTry(state: RunState, { id, visit }: Scope): void {
  if (visit?.deadlineMs !== undefined) setTimer(state.timers, visit.deadlineMs, id);
}
