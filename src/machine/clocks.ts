/**
 * The time that runs and nodes may take. A run's clock and a child's run through crashes, backoffs
 * and waits, and stand still while the run rests. A node's clock is per try, and also stands still
 * while people inside it are asked.
 */
import type { NodePlan } from '../workflow/node-model.ts';
import { outwards } from './plan-lookup.ts';
import type { RunState, Scope } from './state.ts';
import { setTimer } from './timers.ts';

/** Of the whole workflow that a scope runs. */
export function startWorkflowClock(
  state: RunState,
  scope: Scope,
  timeoutMs: number | undefined,
): void {
  if (timeoutMs === undefined) return;
  scope.deadlineMs = state.nowMs + timeoutMs;
  setTimer(state.timers, scope.deadlineMs, scope.id);
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
    if (scope.deadlineMs !== undefined) {
      scope.deadlineMs += stoodMs;
      setTimer(state.timers, scope.deadlineMs, scope.id);
    }
    if (scope.held.count === 0) prolongTry(state, scope, stoodMs);
  }
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
