/** Applies the events of a node's attempts: it starts, completes, fails, or is retried. */
import { rebuild } from '../../errors/report/build.ts';
import type { JsonObject } from '../../errors/support/safe-json.ts';
import { canonicalJson } from '../../workflow/plan/stable-hash.ts';
import { startAttemptClock } from '../policy/deadlines.ts';
import { continueConversation } from '../conversation/continue-conversation.ts';
import { OUTCOME_UNKNOWN, settleUnknownOutcomes } from '../policy/unknown-outcome.ts';
import type { EventBody, Members } from '../state/events.ts';
import { fileOf, nodeOf, visitOf, workflowScope, workflowsAround } from '../state/plan-lookup.ts';
import { checkedResult, dropUsedResult } from '../state/kept-results.ts';
import { continueInside, reopenRounds, resumeAtRoutes } from './reopen.ts';
import { branchId, closeGates, dropInside, enterNode, freezeInside } from '../state/scopes.ts';
import { groupResult, isGroup, partialResult, resultOf } from './node-results.ts';
import type { RunState, Scope, Visit } from '../state/state.ts';
import { noteFinished, recordStateWrites, undoAttempts } from './visit-log.ts';

export function applyStarted(
  state: RunState,
  scope: Scope,
  event: Extract<EventBody, { type: 'node:started' }>,
): void {
  if (scope.visit?.node !== event.node) enterNode(scope, event.node);
  const visit = visitOf(scope);
  visit.startedSeq = state.seq;
  if (visit.checked?.type === 'node') {
    scope.starts++;
    visit.attempt = event.attempt;
    return resumeAtRoutes(scope, visit, visit.checked);
  }
  const isContinued = visit.conversation !== undefined;
  const isKept = !isContinued && hasMembers(visit, event.members) && continueInside(state, visit);
  if (!isContinued && !isKept) {
    dropInside(state, visit);
    undoAttempts(state, scope);
  }
  scope.starts++;
  visit.attempt = event.attempt;
  visit.startedAtMs = state.nowMs;
  visit.error = undefined;
  visit.input = undefined;
  visit.recorded = visit.checked?.type === 'refused' ? visit.checked : undefined;
  visit.checked = undefined;
  visit.isBudgetRefused = false;
  visit.isApproved = false;
  visit.failedCalls = [];
  visit.turnedAway = undefined;
  startAttemptClock(state, scope, nodeOf(fileOf(state.plan, scope.file), event.node));
  if (isContinued) return resumeConversation(state, scope, visit);
  if (isKept) return;
  visit.members = undefined;
  visit.phase = { type: 'working' };
  if (event.members !== undefined) beginGroup(state, scope, visit, event.members);
}

/** A group continues with the members that it has begun with. */
function hasMembers({ members }: Visit, wanted: Members | undefined): boolean {
  if (members === undefined || wanted === undefined) return members === wanted;
  const [begun, asked] = [members.items ?? members.keys, wanted.items ?? wanted.keys];
  return canonicalJson(begun) === canonicalJson(asked);
}

/** Continues with all messages and results so far; a stopped round of a supervisor resumes too. */
function resumeConversation(state: RunState, scope: Scope, visit: Visit): void {
  continueConversation(state, scope);
  reopenRounds(state, visit);
  visit.phase = { type: 'conversation' };
}

function beginGroup(state: RunState, scope: Scope, visit: Visit, members: Members): void {
  for (const [index, key] of members.keys.entries())
    state.branches.set(branchId(visit.path, key), { group: scope.id, index });
  visit.members = { ...members, opened: 0, succeeded: 0, failed: 0, firstFailed: undefined };
  visit.phase = { type: 'inside' };
}

export function applyCompleted(
  state: RunState,
  scope: Scope,
  event: Extract<EventBody, { type: 'node:completed' }>,
): void {
  const visit = visitOf(scope);
  if (visit.phase.type === 'result') dropUsedResult(state, visit.phase.effect.key);
  dropInside(state, visit);
  visit.output = event.output;
  visit.error = undefined;
  visit.deadlineMs = undefined;
  visit.input = undefined;
  visit.phase = { type: 'succeeded' };
  // a success clears the error of an earlier attempt
  const result = isGroup(visit) ? groupResult(event.output) : resultOf(state, scope, event);
  scope.nodeResults.set(event.node, result);
  noteFinished(scope);
  if (event.state !== undefined) writeShared(state, scope, event.state, event.wrote);
}

function writeShared(
  state: RunState,
  scope: Scope,
  merged: JsonObject,
  wrote: JsonObject | undefined,
): void {
  const shared = workflowScope(state, scope).state;
  recordStateWrites(state, scope, merged, wrote);
  for (const [key, value] of Object.entries(merged)) shared.set(key, value);
}

export function applyFailed(
  state: RunState,
  scope: Scope,
  event: Extract<EventBody, { type: 'node:failed' }>,
): void {
  if (scope.visit?.node !== event.node) enterNode(scope, event.node);
  const visit = visitOf(scope);
  visit.output = event.output ?? visit.output;
  visit.checked = checkedResult(visit, scope.nodeResults.get(event.node));
  // a route that runs the node again executes its effect
  if (visit.checked?.type === 'effect') state.keptResults.delete(visit.checked.key);
  visit.routesTried = 0;
  visit.deadlineMs = undefined;
  if (visit.conversation !== undefined) visit.conversation.failedWith = event.error;
  closeGates(state, scope);
  freezeInside(state, visit);
  visit.attempts.push({
    number: visit.attempt + 1,
    kind: event.error.kind,
    message: event.error.message,
    at: new Date(state.nowMs).toISOString(),
  });
  // routes and callers see every attempt
  const { attempts } = visit;
  visit.error = attempts.length < 2 ? event.error : rebuild(event.error, { attempts });
  visit.phase = { type: 'failed' };
  const partial = partialResult(visit, event.output);
  scope.nodeResults.set(event.node, { ...partial, error: visit.error });
}

export function applyRetrying(
  state: RunState,
  scope: Scope,
  event: Extract<EventBody, { type: 'node:retrying' }>,
): void {
  const visit = visitOf(scope);
  // a retry runs the node again, even one that has completed
  visit.checked = undefined;
  // only a route that names this kind retries it
  if (event.error.kind === OUTCOME_UNKNOWN) settleUnknownOutcomes(state, visit);
  visit.attempt = event.attempt;
  // a retry by a route starts anew: the conversation, the group, the sub-workflow
  dropInside(state, visit);
  visit.conversation = undefined;
  visit.phase = { type: 'waiting', untilMs: state.nowMs + event.delayMs, why: 'backoff' };
  for (const around of workflowsAround(state, scope)) around.retries++;
}
