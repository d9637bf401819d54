/**
 * What an event means: the fold that makes a run's state. Pure in that the same events give the same
 * state; the state is its own and is changed in place, and only what the event touches is looked at.
 */
import type { JsonValue } from '../errors/json.ts';
import type { EventBody } from './events.ts';
import { fileOf, nodeOf, scopeIdOf, scopeOf, visitOf, workflowScope } from './plan-lookup.ts';
import { reopen } from './reopen.ts';
import { routePosition } from './route-position.ts';
import { setTimer } from './timers.ts';
import { dropInside, endScope, enter, newBranch, newWorkflowScope } from './scopes.ts';
import { ROOT_SCOPE, type RunState, type Scope, type Slot, type Visit } from './state.ts';

export function evolve(state: RunState, event: EventBody, atMs: number): void {
  state.seq++;
  state.nowMs = atMs;
  switch (event.type) {
    case 'run:started':
      startClock(state);
      open(
        state,
        newWorkflowScope(state, { id: ROOT_SCOPE, file: '', parent: undefined }, event.input),
      );
      return;
    case 'run:paused':
      stopClock(state);
      state.status = 'paused';
      state.waiting = event.waiting;
      return;
    case 'run:resumed':
      goOnWithClock(state);
      state.status = 'running';
      state.waiting = undefined;
      state.error = undefined;
      reopen(state);
      return;
    case 'run:completed':
      state.status = 'completed';
      state.output = event.output;
      return;
    case 'run:failed':
      stopClock(state);
      state.status = 'failed';
      state.error = event.error;
      return;
    case 'run:cancelled':
      state.status = 'cancelled';
      return;
    case 'breaker:changed':
    case 'budget:warning':
    case 'budget:paused':
    case 'error:suppressed':
    case 'node:skipped':
    case 'child:ended':
      return;
    default:
      inNode(state, event);
  }
}

function startClock(state: RunState): void {
  const { timeoutMs } = state.plan.limits;
  if (timeoutMs !== undefined) setDeadline(state, state.nowMs + timeoutMs);
}

function stopClock(state: RunState): void {
  state.stoppedAtMs = state.nowMs;
}

function goOnWithClock(state: RunState): void {
  const stoodMs = state.stoppedAtMs === undefined ? 0 : state.nowMs - state.stoppedAtMs;
  state.stoppedAtMs = undefined;
  if (state.deadlineMs !== undefined) setDeadline(state, state.deadlineMs + stoodMs);
}

function setDeadline(state: RunState, atMs: number): void {
  state.deadlineMs = atMs;
  setTimer(state.timers, atMs, ROOT_SCOPE);
}

type NodeEvent = Extract<EventBody, { path: string }>;

function inNode(
  state: RunState,
  event: Exclude<NodeEvent, { type: 'node:skipped' | 'child:ended' }>,
): void {
  const scope = scopeFor(state, event);
  switch (event.type) {
    case 'node:started':
      started(state, scope, event);
      break;
    case 'node:completed':
      completed(state, scope, event);
      break;
    case 'node:failed':
      failed(scope, event, state.nowMs);
      break;
    case 'node:retrying':
      retrying(state, scope, event);
      break;
    case 'route:taken':
      routed(state, scope, event);
      return;
    case 'effect:requested':
    case 'effect:succeeded':
    case 'effect:failed':
      effect(state, scope, event);
      break;
    case 'gate:opened':
    case 'gate:answered':
    case 'gate:expired':
      gate(state, scope, event);
      break;
    case 'child:started':
      childStarted(state, scope, event);
      return;
  }
  state.ready.add(scope.id);
}

function effect(
  state: RunState,
  scope: Scope,
  event: Extract<EventBody, { type: `effect:${string}` }>,
): void {
  const { key } = event.effect;
  const visit = visitOf(scope);
  if (event.type === 'effect:requested') {
    state.effects.set(key, { scope: scope.id, effect: event.effect, attempt: event.attempt });
    visit.phase = { at: 'effect', key };
  } else {
    state.effects.delete(key);
    visit.phase = { at: 'result', result: event };
  }
}

function gate(
  state: RunState,
  scope: Scope,
  event: Extract<EventBody, { type: `gate:${string}` }>,
): void {
  const visit = visitOf(scope);
  if (event.type !== 'gate:opened') {
    state.gates.delete(event.gate);
    visit.phase =
      event.type === 'gate:answered' ? { at: 'answered', value: event.value } : { at: 'expired' };
    return;
  }
  const { deadline, options } = event;
  const deadlineMs = deadline === undefined ? undefined : Date.parse(deadline);
  state.gates.set(event.gate, { scope: scope.id, options, deadlineMs });
  visit.phase = { at: 'asking', gate: event.gate };
}

function childStarted(
  state: RunState,
  scope: Scope,
  event: Extract<EventBody, { type: 'child:started' }>,
): void {
  const visit = visitOf(scope);
  const node = nodeOf(fileOf(state.plan, scope.file), visit.node);
  visit.phase = { at: 'inside' };
  if (node.type !== 'workflow') return;
  const place = { id: visit.path, file: node.workflow, parent: scope.id };
  open(state, newWorkflowScope(state, place, event.input));
}

/** The first event of a member opens its branch. */
function scopeFor(state: RunState, event: { readonly path: string; readonly node: string }): Scope {
  const id = scopeIdOf(event.path, event.node);
  const known = state.scopes.get(id);
  if (known !== undefined) return known;
  const bracket = id.lastIndexOf('[');
  const group = [...state.scopes.values()].find(
    ({ visit }) => visit?.path === id.slice(0, bracket),
  );
  if (group?.visit === undefined) return scopeOf(state, id);
  const branch = newBranch(state, group, group.visit, id.slice(bracket + 1, -1));
  state.scopes.set(id, branch);
  if (group.visit.members !== undefined) group.visit.members.opened++;
  return branch;
}

function open(state: RunState, scope: Scope): void {
  state.scopes.set(scope.id, scope);
  state.ready.add(scope.id);
}

function started(
  state: RunState,
  scope: Scope,
  event: Extract<EventBody, { type: 'node:started' }>,
): void {
  if (scope.visit?.node !== event.node) enter(scope, event.node);
  const visit = visitOf(scope);
  dropInside(state, visit);
  if (event.attempt > 0) state.retries++;
  scope.starts++;
  visit.attempt = event.attempt;
  visit.startedAtMs = state.nowMs;
  visit.error = undefined;
  visit.members =
    event.members === undefined
      ? undefined
      : { ...event.members, opened: 0, succeeded: 0, failed: 0, firstFailed: undefined };
  visit.phase = { at: event.members === undefined ? 'working' : 'inside' };
}

function completed(
  state: RunState,
  scope: Scope,
  event: Extract<EventBody, { type: 'node:completed' }>,
): void {
  const visit = visitOf(scope);
  const isGroup = visit.members !== undefined;
  dropInside(state, visit);
  visit.output = event.output;
  visit.error = undefined;
  visit.phase = { at: 'succeeded' };
  // a later success clears the error of an earlier try
  scope.slots.set(event.node, isGroup ? groupSlot(event.output) : { output: event.output });
  scope.last = event.node;
  const shared = workflowScope(state, scope).state;
  for (const [key, value] of Object.entries(event.state ?? {})) shared.set(key, value);
}

function failed(
  scope: Scope,
  event: Extract<EventBody, { type: 'node:failed' }>,
  nowMs: number,
): void {
  if (scope.visit?.node !== event.node) enter(scope, event.node);
  const visit = visitOf(scope);
  visit.error = event.error;
  visit.output = event.output ?? visit.output;
  visit.routesTried = 0;
  visit.attempts.push({
    number: visit.attempt + 1,
    kind: event.error.kind,
    message: event.error.message,
    at: new Date(nowMs).toISOString(),
  });
  visit.phase = { at: 'failed' };
  const partial = partialSlot(visit, event.output);
  scope.slots.set(event.node, { ...partial, error: event.error });
  scope.last = event.node;
}

function retrying(
  state: RunState,
  scope: Scope,
  event: Extract<EventBody, { type: 'node:retrying' }>,
): void {
  const visit = visitOf(scope);
  visit.attempt = event.attempt;
  visit.phase = { at: 'waiting', untilMs: state.nowMs + event.delayMs, why: 'backoff' };
}

function routed(
  state: RunState,
  scope: Scope,
  event: Extract<EventBody, { type: 'route:taken' }>,
): void {
  const visit = visitOf(scope);
  if (event.rule !== undefined) count(visit, `${event.bucket}:${event.rule}`);
  switch (event.move) {
    case 'to':
      goTo(state, scope, visit, event);
      return;
    case 'retry':
    case 'halt':
      return;
    case 'ask':
      visit.routesTried = routePosition(fileOf(state.plan, scope.file), visit.node, event) + 1;
      return;
    case 'park':
      visit.attempt++;
      visit.phase =
        event.until === undefined
          ? { at: 'parked' }
          : { at: 'waiting', untilMs: Date.parse(event.until), why: 'park' };
      state.ready.add(scope.id);
      return;
    case 'propagate':
      end(state, scope, visit);
      return;
  }
}

function goTo(
  state: RunState,
  scope: Scope,
  visit: Visit,
  event: Extract<EventBody, { type: 'route:taken' }>,
): void {
  if (event.bucket !== 'success' && visit.error !== undefined)
    scope.failing = { node: visit.node, error: visit.error, output: visit.output ?? null };
  const isEnd = event.to === undefined || event.to === '$end';
  if (isEnd) {
    visit.error = undefined;
    end(state, scope, visit);
    return;
  }
  dropInside(state, visit);
  enter(scope, event.to ?? '');
  state.ready.add(scope.id);
}

/** A termination ends its whole workflow, from inside a group too. */
function end(state: RunState, scope: Scope, visit: Visit): void {
  const node = nodeOf(fileOf(state.plan, scope.file), visit.node);
  const ending = node.type === 'terminate' ? workflowScope(state, scope) : scope;
  if (ending !== scope && ending.visit !== undefined) dropInside(state, ending.visit);
  endScope(state, ending, {
    ...(visit.output === undefined ? {} : { output: visit.output }),
    ...(visit.error === undefined ? {} : { error: visit.error }),
  });
}

function partialSlot(visit: Visit, output: JsonValue | undefined): Slot {
  if (output === undefined) return {};
  return visit.members === undefined ? { output } : groupSlot(output);
}

function groupSlot(output: JsonValue): Slot {
  const { outputs = null, errors = null } = output as { outputs?: JsonValue; errors?: JsonValue };
  return { outputs, errors, output };
}

function count(visit: Visit, route: string): void {
  visit.used.set(route, (visit.used.get(route) ?? 0) + 1);
}
