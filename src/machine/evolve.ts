/**
 * What an event means: the fold that makes a run's state. Pure in that the same events give the same
 * state; the state is its own and is changed in place, and only what the event touches is looked at.
 */
import { rebuild } from '../errors/build.ts';
import type { JsonObject } from '../errors/json.ts';
import { matchesKind } from '../errors/kinds.ts';
import {
  armWorkflows,
  goOnWithClocks,
  goOnWithTryClock,
  holdTries,
  leaveOutInterruption,
  releaseTries,
  startTryClock,
  startWorkflowClock,
  stopClocks,
  stopTryClock,
} from './clocks.ts';
import { continueTalk } from './continue-talk.ts';
import { beginProbe } from './cooldown.ts';
import { inDoubtOf } from './doubt-details.ts';
import { DOUBT, leavesDoubt, placeOf, settleByAnswer, settleDoubts } from './doubt.ts';
import { settleWork, unsettleWork } from './effect-work.ts';
import type { EventBody, Members, Resumed } from './events.ts';
import { routed } from './evolve-route.ts';
import { noteTry, talkEffect, talkGate } from './evolve-talk.ts';
import { isApproval } from './grants.ts';
import { isTalking } from './model-request.ts';
import {
  fileOf,
  nodeOf,
  scopeIdOf,
  scopeOf,
  visitOf,
  workflowScope,
  workflowsAround,
} from './plan-lookup.ts';
import { reopen, reopenRounds } from './reopen.ts';
import {
  branchId,
  closeGates,
  dropInside,
  enter,
  freezeInside,
  newBranch,
  newWorkflowScope,
} from './scopes.ts';
import { beginLeg, noteRequest, takeBackUnmade } from './request-bound.ts';
import { raiseBudget, reserve, settle } from './spending.ts';
import { groupSlot, isGroup, partialSlot, slotOf } from './slots.ts';
import { ROOT_SCOPE, type OpenGate, type RunState, type Scope, type Visit } from './state.ts';
import { rewordTalks, takeOverText } from './take-over-text.ts';
import { noteReplaced } from './trail.ts';

export function evolve(state: RunState, event: EventBody, atMs: number): void {
  state.seq++;
  state.nowMs = atMs;
  switch (event.type) {
    case 'run:started':
      state.hasPeople = event.gates ?? true;
      beginLeg(state, event);
      openWorkflow(state, { id: ROOT_SCOPE, file: '', parent: undefined }, event.input);
      return;
    case 'run:paused':
      stopClocks(state);
      state.status = 'paused';
      state.waiting = event.waiting;
      return;
    case 'run:resumed':
      resumed(state, event);
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
      inNode(state, event);
  }
}

function noteWarned(state: RunState, id: string): void {
  const holder = state.scopes.get(id);
  if (holder !== undefined) holder.isWarned = true;
}

function resumed(state: RunState, event: Resumed): void {
  const before = state.status;
  goOnWithClocks(state);
  beginLeg(state, event);
  state.status = 'running';
  state.waiting = undefined;
  state.error = undefined;
  state.output = undefined;
  const planBefore = state.plan;
  state.plan = event.plan ?? planBefore;
  if (event.plan !== undefined) takeOverText(state, planBefore);
  if (event.idleMs !== undefined) leaveOutInterruption(state, event.idleMs);
  armWorkflows(state);
  if (event.plan !== undefined || event.input !== undefined) {
    unsettleWork(state);
    rewordTalks(state);
  }
  state.hasPeople = event.gates ?? true;
  if (event.input !== undefined) Object.assign(scopeOf(state, ROOT_SCOPE).input, event.input);
  reopen(state, before, event);
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
      failed(state, scope, event);
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
  // whoever waits for what is being stopped here looks again
  if (scope.stoppedFor !== undefined) state.ready.add(scope.stoppedFor);
}

type EffectEvent = Extract<EventBody, { type: `effect:${string}` }>;

function effect(state: RunState, scope: Scope, event: EffectEvent): void {
  keepBooks(state, scope, event);
  const isStopped = event.type === 'effect:failed' && matchesKind(event.error.kind, 'cancelled.*');
  if (isStopped) stopped(state, scope, event);
  else if (isTalking(nodeOf(fileOf(state.plan, scope.file), visitOf(scope).node)))
    talkEffect(state, scope, event);
  else nodeEffect(state, scope, event);
}

/** What is under way, what it may cost, and what may have happened: the same for every effect. */
function keepBooks(state: RunState, scope: Scope, event: EffectEvent): void {
  const { node, path } = event;
  const { key, type, target } = event.effect;
  const visit = visitOf(scope);
  state.kept.delete(key);
  if (event.type === 'effect:requested') {
    state.effects.set(key, { scope: scope.id, effect: event.effect, attempt: event.attempt });
    visit.asked.set(key, event.attempt + 1);
    visit.pending.add(key);
    state.doubts.delete(key);
    reserve(state, scope, event);
    if (type === 'model') {
      beginProbe(state, target, key);
      noteRequest(state);
    }
    return;
  }
  if (type === 'model' && event.type === 'effect:failed') takeBackUnmade(state, event.error);
  settle(state, scope, event);
  if (event.type === 'effect:failed' && leavesDoubt(event.error, event.effect))
    state.doubts.set(key, {
      node,
      path,
      effect: event.effect,
      place: placeOf(state, scope),
      arguments: inDoubtOf(event.error)?.arguments,
    });
  state.effects.delete(key);
  visit.pending.delete(key);
}

function stopped(state: RunState, scope: Scope, { effect: { type } }: EffectEvent): void {
  const visit = visitOf(scope);
  // nobody has answered the model's call, so the conversation is where it was
  const isTalk = type === 'model' && visit.talk !== undefined;
  visit.phase = isTalk ? { at: 'talking' } : { at: 'cancelled' };
  if (isTalk) stopTryClock(state, scope);
}

/** Of an effect that is its node's own. */
function nodeEffect(state: RunState, scope: Scope, event: EffectEvent): void {
  const visit = visitOf(scope);
  if (event.type === 'effect:requested') {
    goOnWithTryClock(state, scope);
    settleWork(state, scope);
    visit.phase = { at: 'effect' };
    return;
  }
  if (event.type === 'effect:failed') noteTry(state, visit, event.error);
  // what a tool's own retry waits for is left out
  stopTryClock(state, scope);
  visit.phase = { at: 'result', result: event, atMs: state.nowMs, effect: event.effect };
}

function gate(
  state: RunState,
  scope: Scope,
  event: Extract<EventBody, { type: `gate:${string}` }>,
): void {
  const visit = visitOf(scope);
  if (event.type !== 'gate:opened') {
    const open = state.gates.get(event.gate);
    // another answer was there before it, or what had asked is gone
    if (open === undefined) return;
    state.gates.delete(event.gate);
    releaseTries(state, scope);
    if (open.budget !== undefined) return budgetAnswered(state, visit, open, event);
    if (talkGate(state, scope, event)) return;
    if (event.type === 'gate:answered') settleByAnswer(state, visit, event.value);
    visit.isApproved = event.type === 'gate:answered' && isApproval(event.value);
    visit.phase =
      event.type === 'gate:answered' ? { at: 'answered', value: event.value } : { at: 'expired' };
    return;
  }
  const { deadline, options, promptFor } = event;
  const deadlineMs = deadline === undefined ? undefined : Date.parse(deadline);
  state.gates.set(event.gate, {
    scope: scope.id,
    options,
    ...(promptFor === undefined ? {} : { promptFor }),
    deadlineMs,
    budget: event.budget,
  });
  if (event.budget !== undefined) visit.phase = { at: 'talking' };
  else if (!talkGate(state, scope, event)) visit.phase = { at: 'asking', gate: event.gate };
  holdTries(state, scope);
}

function budgetAnswered(
  state: RunState,
  visit: Visit,
  gate: OpenGate,
  event: Extract<EventBody, { type: 'gate:answered' | 'gate:expired' }>,
): void {
  const isRefused = event.type === 'gate:expired' || event.value === 'abort';
  if (isRefused) visit.isBudgetRefused = true;
  else raiseBudget(state, gate, event.value);
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
  openWorkflow(state, { id: visit.path, file: node.workflow, parent: scope.id }, event.input);
}

function openWorkflow(
  state: RunState,
  place: Pick<Scope, 'id' | 'file' | 'parent'>,
  input: Scope['input'],
): void {
  const scope = newWorkflowScope(state, place, { ...input });
  state.scopes.set(scope.id, scope);
  state.ready.add(scope.id);
  startWorkflowClock(state, scope);
}

/** The first event of a member opens its branch. */
function scopeFor(state: RunState, event: { readonly path: string; readonly node: string }): Scope {
  const id = scopeIdOf(event.path, event.node);
  const known = state.scopes.get(id);
  if (known !== undefined) return known;
  const place = state.branches.get(id);
  const group = place === undefined ? undefined : state.scopes.get(place.group);
  if (place === undefined || group?.visit === undefined) return scopeOf(state, id);
  const branch = newBranch(state, group, group.visit, place.index);
  state.scopes.set(id, branch);
  if (group.visit.members !== undefined) group.visit.members.opened++;
  return branch;
}

function started(
  state: RunState,
  scope: Scope,
  event: Extract<EventBody, { type: 'node:started' }>,
): void {
  if (scope.visit?.node !== event.node) enter(scope, event.node);
  const visit = visitOf(scope);
  const goesOn = visit.talk !== undefined;
  if (!goesOn) dropInside(state, visit);
  scope.starts++;
  visit.attempt = event.attempt;
  visit.startedAtMs = state.nowMs;
  visit.error = undefined;
  visit.work = undefined;
  visit.isBudgetRefused = false;
  visit.isApproved = false;
  visit.tries = [];
  startTryClock(state, scope, nodeOf(fileOf(state.plan, scope.file), event.node));
  if (goesOn) return goOnTalking(state, scope, visit);
  visit.members = undefined;
  visit.phase = { at: 'working' };
  if (event.members !== undefined) beginGroup(state, scope, visit, event.members);
}

/** With all that was said and done; of a supervisor the round that was stopped goes on, too. */
function goOnTalking(state: RunState, scope: Scope, visit: Visit): void {
  continueTalk(state, scope);
  reopenRounds(state, visit);
  visit.phase = { at: 'talking' };
}

function beginGroup(state: RunState, scope: Scope, visit: Visit, members: Members): void {
  for (const [index, key] of members.keys.entries())
    state.branches.set(branchId(visit.path, key), { group: scope.id, index });
  visit.members = { ...members, opened: 0, succeeded: 0, failed: 0, firstFailed: undefined };
  visit.phase = { at: 'inside' };
}

function completed(
  state: RunState,
  scope: Scope,
  event: Extract<EventBody, { type: 'node:completed' }>,
): void {
  const visit = visitOf(scope);
  // used by now; what runs it again does so as it is written
  if (visit.phase.at === 'result') state.kept.delete(visit.phase.effect.key);
  dropInside(state, visit);
  visit.output = event.output;
  visit.error = undefined;
  visit.deadlineMs = undefined;
  visit.work = undefined;
  visit.phase = { at: 'succeeded' };
  // a later success clears the error of an earlier try
  const slot = isGroup(visit) ? groupSlot(event.output) : slotOf(state, scope, event);
  scope.slots.set(event.node, slot);
  scope.last = event.node;
  noteFinished(state, scope.file, event.node);
  if (event.state !== undefined) writeShared(state, scope, event.state);
}

function writeShared(state: RunState, scope: Scope, written: JsonObject): void {
  const shared = workflowScope(state, scope).state;
  noteReplaced(scope, shared, Object.keys(written));
  for (const [key, value] of Object.entries(written)) shared.set(key, value);
}

function noteFinished({ finished }: RunState, file: string, node: string): void {
  const known = finished.get(file);
  if (known === undefined) finished.set(file, new Set([node]));
  else known.add(node);
}

function failed(
  state: RunState,
  scope: Scope,
  event: Extract<EventBody, { type: 'node:failed' }>,
): void {
  if (scope.visit?.node !== event.node) enter(scope, event.node);
  const visit = visitOf(scope);
  visit.output = event.output ?? visit.output;
  visit.routesTried = 0;
  visit.deadlineMs = undefined;
  if (visit.talk !== undefined) visit.talk.failedWith = event.error;
  closeGates(state, scope);
  freezeInside(state, visit);
  visit.attempts.push({
    number: visit.attempt + 1,
    kind: event.error.kind,
    message: event.error.message,
    at: new Date(state.nowMs).toISOString(),
  });
  // whoever handles it sees every try
  const { attempts } = visit;
  visit.error = attempts.length < 2 ? event.error : rebuild(event.error, { attempts });
  visit.phase = { at: 'failed' };
  const partial = partialSlot(visit, event.output);
  scope.slots.set(event.node, { ...partial, error: visit.error });
  scope.last = event.node;
}

function retrying(
  state: RunState,
  scope: Scope,
  event: Extract<EventBody, { type: 'node:retrying' }>,
): void {
  const visit = visitOf(scope);
  // only a route that names it takes it
  if (event.error.kind === DOUBT) settleDoubts(state, visit);
  visit.attempt = event.attempt;
  // a try that a route asks for begins anew
  if (visit.talk !== undefined) dropInside(state, visit);
  visit.talk = undefined;
  visit.phase = { at: 'waiting', untilMs: state.nowMs + event.delayMs, why: 'backoff' };
  for (const around of workflowsAround(state, scope)) around.retries++;
}
