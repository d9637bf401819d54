/**
 * Decides what happens next. Pure: no clock, no I/O, no randomness, no promises; it reads the state
 * and returns the next events, or when to decide again.
 *
 * Invariants, cited by the tests:
 * I1  A decision is for one ready scope; a scope that is not ready would decide nothing. Only the end
 *     of a cancelled run is decided for the run as a whole.
 * I2  `evolve` can apply every event of a decision in the state it was made for.
 * I3  An ended run decides nothing; cancelled beats failed beats completed.
 * I4  Deciding twice without an event in between gives the same decision, and deciding changes
 *     nothing.
 * I5  Everything that a decision depends on is in the log: after a crash it is the same.
 */
import type { ErrorReport, ReportDraft } from '../../errors/report/report.ts';
import { isOverdue, workflowDeadlineMs } from '../policy/deadlines.ts';
import { decideFailure, decideSuccess } from './choose-route.ts';
import { completeNode, type Decision } from './complete-node.ts';
import { startAttempt } from './start-attempt.ts';
import { afterAnswer, afterExpiry, decideAsking } from './gate.ts';
import { runNode } from './run-node.ts';
import { withUnknownOutcomes } from '../policy/unknown-outcome.ts';
import { failRun, workflowTimedOut, attemptTimedOut } from './end-run.ts';
import type { EventBody } from '../state/events.ts';
import { crossedAt, nodeFailed, failureAt } from './failure-reports.ts';
import { evaluateOutput } from './file-output.ts';
import { decideGroup } from './group.ts';
import type { NodePlan } from '../../workflow/plan/node-plan.ts';
import { fileOf, nodeOf, visitOf, workflowScope } from '../state/plan-lookup.ts';
import {
  ROOT_SCOPE,
  type RunState,
  type Scope,
  type ScopeResult,
  type Visit,
} from '../state/state.ts';
import type { Phase } from '../state/visit-phase.ts';
import { toolsOf } from '../conversation/agent-tools.ts';
import { effectRequest, requestedEvent } from './effect-request.ts';
import { hasConversation } from '../conversation/model-request.ts';
import { approvalOfNode } from '../policy/tool-approval.ts';
import { endingOf, haveAllStopped, type Ending } from './stop-effects.ts';
import { retryDelayMs } from '../policy/tool-retry.ts';

export interface DecisionFor extends Decision {
  readonly scope: string;
}

/**
 * Decides for the scope that has waited longest, unless it would complete a workflow that another may
 * still fail. Undefined when nothing can be decided now.
 */
export function decide(state: RunState): DecisionFor | undefined {
  if (state.status !== 'running') return undefined;
  if (state.cancelledBy !== undefined) return decideCancelled(state, state.cancelledBy);
  const id = nextReady(state);
  if (id === undefined) return undefined;
  const scope = state.scopes.get(id);
  if (scope === undefined || scope.isFrozen) return { scope: id, events: [] };
  const decided = state.endings.get(id);
  if (decided !== undefined) return afterStopping(state, id, decided);
  // another scope has decided its end
  if (scope.stoppedFor !== undefined) return { scope: id, events: [] };
  const { events, wakeAtMs, input, isHeldBack = false } = decideScope(state, scope);
  const ending = endingOf(state, events);
  if (ending !== undefined) return { scope: id, events: [], ending };
  return { scope: id, events: nameUnknownOutcomes(state, events), wakeAtMs, input, isHeldBack };
}

/**
 * A successful termination is decided last in its workflow: a failed one in the same step wins, in any
 * order. Nothing new starts meanwhile.
 */
function nextReady(state: RunState): string | undefined {
  const { first } = state.ready;
  const scope = first === undefined ? undefined : state.scopes.get(first);
  if (scope?.visit?.phase.type !== 'succeeded' || !isTermination(state, scope)) return first;
  const whole = workflowScope(state, scope);
  for (const id of state.ready) {
    const other = state.scopes.get(id);
    if (other === undefined || other.isFrozen || other.stoppedFor !== undefined) continue;
    if (continuesByItself(state, other) && workflowScope(state, other) === whole) return id;
  }
  return first;
}

/** Its next decision requests no effect and waits for nothing. */
function continuesByItself(state: RunState, scope: Scope): boolean {
  switch (scope.visit?.phase.type) {
    case 'failed':
    case 'result':
    case 'answered':
    case 'expired':
      return true;
    case 'succeeded':
      return !isTermination(state, scope);
    case 'entering':
    case 'working':
      return isTermination(state, scope) || nodeIn(state, scope).type === 'set';
    default:
      return false;
  }
}

function isTermination(state: RunState, scope: Scope): boolean {
  return nodeIn(state, scope).type === 'terminate';
}

function nodeIn(state: RunState, scope: Scope): NodePlan {
  return nodeOf(fileOf(state.plan, scope.file), visitOf(scope).node);
}

/** Emits a delayed end once all effects that it stops have ended. */
function afterStopping(state: RunState, id: string, ending: Ending): DecisionFor {
  if (!haveAllStopped(state, ending)) return { scope: id, events: [] };
  return { scope: id, events: nameUnknownOutcomes(state, ending.events), isEnded: true };
}

function nameUnknownOutcomes(state: RunState, events: readonly EventBody[]): readonly EventBody[] {
  return state.unknownOutcomes.size === 0
    ? events
    : events.map((event) => withUnknownOutcomes(state, event));
}

/** Comes last: the effects that are being stopped end first. */
function decideCancelled(state: RunState, by: string): DecisionFor | undefined {
  if (state.effects.size > 0) return undefined;
  const { cancelReason: reason } = state;
  const end: EventBody = { type: 'run:cancelled', by, ...(reason === undefined ? {} : { reason }) };
  return { scope: ROOT_SCOPE, events: [end] };
}

function decideScope(state: RunState, scope: Scope): Decision {
  if (state.nowMs >= (workflowDeadlineMs(state, scope) ?? Infinity))
    return { events: workflowTimedOut(state, scope) };
  // an ended scope decides nothing, whatever wakes it: its node may be gone from the file
  if (scope.result !== undefined)
    return { events: scope.parent === undefined ? runEnd(state, scope, scope.result) : [] };
  const visit = visitOf(scope);
  const node = nodeOf(fileOf(state.plan, scope.file), visit.node);
  if (isOverdue(state, scope) && isTimedHere(node))
    return { events: attemptTimedOut(state, scope, node) };
  const struck = interfereWith(state, scope, visit);
  if (struck !== undefined) return struck;
  const { phase } = visit;
  switch (phase.type) {
    case 'entering':
      return { events: startAttempt(state, scope, visit.node, visit.attempt) };
    case 'working':
    case 'conversation':
      return runNode(state, scope);
    case 'result':
      return afterEffect(state, scope, phase);
    case 'waiting':
      return state.nowMs < phase.untilMs
        ? { events: [], wakeAtMs: phase.untilMs }
        : { events: startAttempt(state, scope, visit.node, visit.attempt) };
    case 'inside':
      return { events: decideInside(state, scope) };
    case 'asking':
      return decideAsking(state, scope, phase.gate);
    case 'answered':
      return { events: afterAnswer(state, scope, phase) };
    case 'expired':
      return { events: afterExpiry(state, scope) };
    case 'succeeded':
      return { events: decideSuccess(state, scope) };
    case 'failed':
      return { events: decideFailure(state, scope) };
    case 'effect':
    case 'parked':
    case 'cancelled':
    case 'ended':
      return { events: [] };
  }
}

const BEGUN: ReadonlySet<Visit['phase']['type']> = new Set(['working', 'conversation', 'inside']);

/** In a rehearsal: the attempt fails or stalls before it does anything. */
function interfereWith(state: RunState, scope: Scope, visit: Visit): Decision | undefined {
  const { phase, path, number, attempt, deadlineMs } = visit;
  if (state.interference === undefined) return undefined;
  // an attempt that continues a conversation, a group or a sub-workflow begins in the middle of it
  if (!BEGUN.has(phase.type)) return undefined;
  const at = { node: visit.node, path, visit: number, attempt };
  const struck = state.interference.begins(at);
  if (struck === undefined) return undefined;
  if (struck.type === 'stalls') return { events: [], wakeAtMs: deadlineMs };
  const error = failureAt(state, scope, visit.node, struck.failure);
  const output = struck.output === undefined ? {} : { output: struck.output };
  return { events: [{ ...nodeFailed(visit, error), ...output }] };
}

/** A single effect enforces its own time limit, because only it can stop what it started. */
function isTimedHere(node: NodePlan): boolean {
  const { type } = node;
  if (hasConversation(node)) return true;
  return type === 'workflow' || type === 'parallel' || type === 'for_each' || type === 'wait';
}

function runEnd(state: RunState, scope: Scope, result: ScopeResult): readonly EventBody[] {
  if (result.error !== undefined) return failRun(result.error);
  const output = outputOf(state, scope, result);
  return output.error === undefined
    ? [{ type: 'run:completed', output: output.output ?? null }]
    : failRun(output.error);
}

/** The output of the termination that ended the file; else the declared one, or that of its last node. */
function outputOf(state: RunState, scope: Scope, result: ScopeResult): ScopeResult {
  const { output } = fileOf(state.plan, scope.file);
  const isGiven = result.isTerminated === true && result.output !== null;
  return output === undefined || isGiven
    ? result
    : evaluateOutput(state, scope, output, result.over);
}

/** After an effect: completes or fails the node, asks for approval, or repeats the call. */
function afterEffect(
  state: RunState,
  scope: Scope,
  { result, atMs }: Extract<Phase, { type: 'result' }>,
): Decision {
  const visit = visitOf(scope);
  if (result.error === undefined)
    return { events: completeNode(state, scope, result.output ?? null, { errors: result.errors }) };
  const approval = approvalOfNode(state, scope, result);
  if (approval !== undefined) return { events: [approval] };
  const again = toolRetry(state, scope, result.error, atMs);
  if (again !== undefined) return again;
  const error = failureAt(state, scope, visit.node, withFailedCalls(visit, result.error));
  const partial = result.output === undefined ? {} : { output: result.output };
  return {
    events: [{ ...nodeFailed(visit, error), ...partial }],
  };
}

function withFailedCalls({ failedCalls: attempts }: Visit, error: ErrorReport): ReportDraft {
  return attempts.length < 2 ? error : { ...error, attempts };
}

function toolRetry(
  state: RunState,
  scope: Scope,
  error: ErrorReport,
  failedAtMs: number,
): Decision | undefined {
  const visit = visitOf(scope);
  const request = effectRequest(state, scope);
  if (request === undefined || request.work.type === 'script') return undefined;
  const delayMs = retryDelayMs(toolsOf(state, scope)[request.ref.target], {
    error,
    // refusals by the breaker count too, or a refused tool would be called again without end
    made: visit.failedCalls.length + (visit.turnedAway ?? 0),
    words: [state.run, visit.path, request.ref.key],
  });
  if (delayMs === undefined) return undefined;
  if (state.nowMs < failedAtMs + delayMs) return { events: [], wakeAtMs: failedAtMs + delayMs };
  return { events: [requestedEvent(state, visit, request.ref)] };
}

function decideInside(state: RunState, scope: Scope): readonly EventBody[] {
  const visit = visitOf(scope);
  const node = nodeOf(fileOf(state.plan, scope.file), visit.node);
  if (node.type === 'parallel' || node.type === 'for_each') return decideGroup(state, scope, node);
  const child = state.scopes.get(visit.path);
  if (child?.result === undefined) return [];
  const result =
    child.result.error === undefined ? outputOf(state, child, child.result) : child.result;
  const where = { node: visit.node, path: visit.path };
  const status = result.error === undefined ? 'completed' : 'failed';
  const ended: EventBody = {
    type: 'child:ended',
    ...where,
    workflow: fileOf(state.plan, child.file).name,
    status,
  };
  if (result.error === undefined)
    return [ended, ...completeNode(state, scope, result.output ?? null)];
  return [
    ended,
    { type: 'node:failed', ...where, error: crossedAt(state, scope, visit.node, result.error) },
  ];
}
