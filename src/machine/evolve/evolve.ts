/**
 * Evolves a run's state by one event: the same events always give the same state. It changes the
 * state in place and touches only what the event is about, so that a long log folds fast.
 */
import { LazyMap } from '../state/lazy-collections.ts';
import {
  setWorkflowTimers,
  resumeClocks,
  excludeIdleTime,
  startWorkflowClock,
  stopClocks,
} from '../policy/deadlines.ts';
import { settlePendingInput } from '../decide/effect-request.ts';
import { unsettleInput } from '../decide/effect-input.ts';
import type { EventBody, Resumed } from '../state/events.ts';
import { applyRoute } from './route.ts';
import { fileOf, nodeOf, scopeIdOf, scopeOf, visitOf } from '../state/plan-lookup.ts';
import { dropRewound, reopenRun } from './reopen.ts';
import { newBranch, newWorkflowScope } from '../state/scopes.ts';
import { beginLeg } from '../policy/request-bound.ts';
import { ROOT_SCOPE, type RunState, type Scope } from '../state/state.ts';
import { rewordConversations, adoptPlan } from './adopt-plan.ts';
import { applyEffect } from './effect.ts';
import { applyGate } from './gate.ts';
import { applyCompleted, applyFailed, applyRetrying, applyStarted } from './node.ts';

export function evolve(state: RunState, event: EventBody, atMs: number): void {
  state.seq++;
  state.nowMs = atMs;
  switch (event.type) {
    case 'run:started':
      state.hasPeople = event.gates ?? true;
      if (event.answers !== undefined)
        state.prepared = { answers: event.answers, openings: new LazyMap() };
      beginLeg(state, event);
      countLeg(state, event);
      noteModules(state, event);
      openWorkflow(state, { id: ROOT_SCOPE, file: '', parent: undefined }, event.input);
      return;
    case 'run:paused':
      stopClocks(state);
      state.status = 'paused';
      state.waiting = event.waiting;
      return;
    case 'run:resumed':
      applyResumed(state, event);
      return;
    case 'run:completed':
      stopClocks(state);
      state.status = 'completed';
      state.output = event.output;
      return;
    case 'run:failed':
      stopClocks(state);
      state.status = 'failed';
      state.error = event.error;
      state.output = event.output;
      return;
    case 'run:cancelled':
      state.status = 'cancelled';
      state.waiting = undefined;
      return;
    case 'budget:warning':
      noteWarned(state, event.holder);
      return;
    case 'breaker:changed':
    case 'budget:paused':
    case 'error:suppressed':
    case 'node:skipped':
    case 'child:ended':
      return;
    default:
      applyNodeEvent(state, event);
  }
}

/** Only for traces; a leg without a context keeps that of the leg before. */
function countLeg(state: RunState, { traceparent }: { readonly traceparent?: string }): void {
  const { count = 0, first, last } = state.legs ?? {};
  state.legs = {
    count: count + 1,
    first: first ?? traceparent,
    previous: last,
    last: traceparent ?? last,
  };
}

function noteModules(state: RunState, { modules }: Pick<Resumed, 'modules'>): void {
  if (modules !== undefined) state.modules = modules;
}

function noteWarned(state: RunState, id: string): void {
  const holder = state.scopes.get(id);
  if (holder !== undefined) holder.isWarned = true;
}

function applyResumed(state: RunState, event: Resumed): void {
  const before = state.status;
  resumeClocks(state);
  beginLeg(state, event);
  countLeg(state, event);
  noteModules(state, event);
  state.status = 'running';
  state.waiting = undefined;
  state.error = undefined;
  state.output = undefined;
  // before the plan changes, because the new one may lack the files that are running inside
  if (event.from !== undefined) dropRewound(state, event.from);
  const planBefore = state.plan;
  const isOther = event.plan !== undefined || event.input !== undefined;
  if (isOther) settlePendingInput(state);
  state.plan = event.plan ?? planBefore;
  if (event.plan !== undefined) adoptPlan(state, planBefore);
  if (event.idleMs !== undefined) excludeIdleTime(state, event.idleMs);
  setWorkflowTimers(state);
  if (isOther) {
    unsettleInput(state);
    rewordConversations(state);
  }
  state.hasPeople = event.gates ?? true;
  if (event.input !== undefined) Object.assign(scopeOf(state, ROOT_SCOPE).input, event.input);
  reopenRun(state, before, event);
}

type NodeEvent = Extract<EventBody, { path: string }>;

function applyNodeEvent(
  state: RunState,
  event: Exclude<NodeEvent, { type: 'node:skipped' | 'child:ended' }>,
): void {
  const scope = scopeFor(state, event);
  switch (event.type) {
    case 'node:started':
      applyStarted(state, scope, event);
      break;
    case 'node:completed':
      applyCompleted(state, scope, event);
      break;
    case 'node:failed':
      applyFailed(state, scope, event);
      break;
    case 'node:retrying':
      applyRetrying(state, scope, event);
      break;
    case 'route:taken':
      applyRoute(state, scope, event);
      return;
    case 'effect:requested':
    case 'effect:succeeded':
    case 'effect:failed':
      applyEffect(state, scope, event);
      break;
    case 'gate:opened':
    case 'gate:answered':
    case 'gate:expired':
      applyGate(state, scope, event);
      break;
    case 'child:started':
      applyChildStarted(state, scope, event);
      return;
  }
  state.ready.add(scope.id);
  // the scope that waits for this one to stop decides again
  if (scope.stoppedFor !== undefined) state.ready.add(scope.stoppedFor);
}

function applyChildStarted(
  state: RunState,
  scope: Scope,
  event: Extract<EventBody, { type: 'child:started' }>,
): void {
  const visit = visitOf(scope);
  const node = nodeOf(fileOf(state.plan, scope.file), visit.node);
  visit.phase = { type: 'inside' };
  if (node.type !== 'workflow') return;
  openWorkflow(state, { id: visit.path, file: node.workflow, parent: scope.id }, event.input);
}

function openWorkflow(
  state: RunState,
  location: Pick<Scope, 'id' | 'file' | 'parent'>,
  input: Scope['input'],
): void {
  const scope = newWorkflowScope(state, location, { ...input });
  state.scopes.set(scope.id, scope);
  state.ready.add(scope.id);
  startWorkflowClock(state, scope);
}

/** The first event of a member opens its branch. */
function scopeFor(state: RunState, event: { readonly path: string; readonly node: string }): Scope {
  const id = scopeIdOf(event.path, event.node);
  const known = state.scopes.get(id);
  if (known !== undefined) return known;
  const location = state.branches.get(id);
  const group = location === undefined ? undefined : state.scopes.get(location.group);
  if (location === undefined || group?.visit === undefined) return scopeOf(state, id);
  const branch = newBranch(state, group, group.visit, location.index);
  state.scopes.set(id, branch);
  if (group.visit.members !== undefined) group.visit.members.opened++;
  return branch;
}
