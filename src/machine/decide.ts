/**
 * What should happen now. Pure: no clock, no I/O, no randomness, no promises; it reads the state and
 * says which events come next, or when to ask again.
 *
 * Invariants, cited by the tests:
 * I1  A decision is for one scope that is ready; a scope that is not would have nothing to say. Only
 *     the last word of a cancelled run is for the run as a whole.
 * I2  Every event that a decision makes is one that `evolve` can take in the same state.
 * I3  An ended run decides nothing; cancelled beats failed beats completed.
 * I4  A scope that is asked twice without an event in between gives the same answer, and to ask it
 *     changes nothing.
 * I5  What a decision rests on is in the log: asking again after a crash decides the same.
 */
import { rebuild } from '../errors/build.ts';
import type { ErrorReport } from '../errors/report.ts';
import { isOverdue, workflowDeadlineMs } from './clocks.ts';
import { decideFailure, decideSuccess } from './decide-route.ts';
import { completion, type Decision } from './completion.ts';
import { beginTry } from './decide-begin.ts';
import { afterAnswer, afterExpiry, decideAsking } from './decide-gate.ts';
import { decideWork } from './decide-work.ts';
import { withDoubts } from './doubt.ts';
import { failRun, outOfTime, tryTimedOut } from './endings.ts';
import { evaluateObject } from './evaluate.ts';
import type { EventBody } from './events.ts';
import { crossedAt, failed, failureAt, isTurnedAway, thrownAt } from './failure.ts';
import { decideGroup } from './group.ts';
import { namesIn } from './names.ts';
import type { NodePlan } from '../workflow/node-model.ts';
import { fileOf, nodeOf, visitOf } from './plan-lookup.ts';
import {
  ROOT_SCOPE,
  type Phase,
  type RunState,
  type Scope,
  type ScopeResult,
  type Visit,
} from './state.ts';
import { toolsOf } from './agent-tools.ts';
import { effectRequest, requestedEvent } from './effect-request.ts';
import { isTalking } from './model-request.ts';
import { approvalOfNode } from './guard-asks.ts';
import { endingOf, isOver, type Ending } from './stopping.ts';
import { retryDelayMs } from './tool-retry.ts';

export interface DecisionFor extends Decision {
  readonly scope: string;
}

/** For the scope that has waited longest; undefined when nothing can be decided now. */
export function decide(state: RunState): DecisionFor | undefined {
  if (state.status !== 'running') return undefined;
  if (state.cancelledBy !== undefined) return decideCancelled(state, state.cancelledBy);
  const [id] = state.ready;
  if (id === undefined) return undefined;
  const scope = state.scopes.get(id);
  if (scope === undefined || scope.isFrozen) return { scope: id, events: [] };
  const decided = state.endings.get(id);
  if (decided !== undefined) return afterStopping(state, id, decided);
  // its end is decided by another
  if (scope.stoppedFor !== undefined) return { scope: id, events: [] };
  const { events, wakeAtMs, work, isHeldBack = false } = decideScope(state, scope);
  const ending = endingOf(state, events);
  if (ending !== undefined) return { scope: id, events: [], ending };
  return { scope: id, events: said(state, events), wakeAtMs, work, isHeldBack };
}

/** It is said when all that it stops has ended. */
function afterStopping(state: RunState, id: string, ending: Ending): DecisionFor {
  if (!isOver(state, ending)) return { scope: id, events: [] };
  return { scope: id, events: said(state, ending.events), isEnded: true };
}

function said(state: RunState, events: readonly EventBody[]): readonly EventBody[] {
  return state.doubts.size === 0 ? events : events.map((event) => withDoubts(state, event));
}

/** The last word, so what is being stopped reports first. */
function decideCancelled(state: RunState, by: string): DecisionFor | undefined {
  if (state.effects.size > 0) return undefined;
  return { scope: ROOT_SCOPE, events: [{ type: 'run:cancelled', by }] };
}

function decideScope(state: RunState, scope: Scope): Decision {
  if (state.nowMs >= (workflowDeadlineMs(state, scope) ?? Infinity))
    return { events: outOfTime(state, scope) };
  if (scope.result !== undefined && scope.parent === undefined)
    return { events: ending(state, scope, scope.result) };
  const visit = visitOf(scope);
  const node = nodeOf(fileOf(state.plan, scope.file), visit.node);
  if (isOverdue(state, scope) && isTimedHere(node))
    return { events: tryTimedOut(state, scope, node) };
  const { phase } = visit;
  switch (phase.at) {
    case 'entering':
      return { events: beginTry(state, scope, visit.node, visit.attempt) };
    case 'working':
    case 'talking':
      return decideWork(state, scope);
    case 'result':
      return afterEffect(state, scope, phase);
    case 'waiting':
      return state.nowMs < phase.untilMs
        ? { events: [], wakeAtMs: phase.untilMs }
        : { events: beginTry(state, scope, visit.node, visit.attempt) };
    case 'inside':
      return { events: decideInside(state, scope) };
    case 'asking':
      return decideAsking(state, scope, phase.gate);
    case 'answered':
      return { events: afterAnswer(state, scope, phase.value) };
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

/** Effects keep their own time, because what they started has to be stopped by them. */
function isTimedHere(node: NodePlan): boolean {
  const { type } = node;
  if (isTalking(node)) return true;
  return type === 'workflow' || type === 'parallel' || type === 'for_each' || type === 'wait';
}

function ending(state: RunState, scope: Scope, result: ScopeResult): readonly EventBody[] {
  if (result.error !== undefined) return failRun(result.error);
  const output = outputOf(state, scope, result);
  return output.error === undefined
    ? [{ type: 'run:completed', output: output.output ?? null }]
    : failRun(output.error);
}

/** The file's own output, else what its last node gave. */
function outputOf(state: RunState, scope: Scope, result: ScopeResult): ScopeResult {
  const plan = fileOf(state.plan, scope.file);
  const endedByTermination = nodeOf(plan, visitOf(scope).node).type === 'terminate';
  if (plan.output === undefined || (endedByTermination && result.output !== null)) return result;
  try {
    return { output: evaluateObject(plan.output, namesIn(state, scope)) };
  } catch (thrown) {
    return { error: thrownAt(state, scope, visitOf(scope).node, thrown) };
  }
}

/** The effect is back: an answer, a failure, or a failure that the tool itself wants tried again. */
function afterEffect(
  state: RunState,
  scope: Scope,
  { result, atMs }: Extract<Phase, { at: 'result' }>,
): Decision {
  const visit = visitOf(scope);
  if (result.error === undefined)
    return { events: completion(state, scope, result.output ?? null, { errors: result.errors }) };
  const approval = approvalOfNode(state, scope, result.error);
  if (approval !== undefined) return { events: [approval] };
  const again = toolRetry(state, scope, result.error, atMs);
  if (again !== undefined) return again;
  const error = failureAt(state, scope, visit.node, withTries(visit, result.error));
  const partial = result.output === undefined ? {} : { output: result.output };
  return {
    events: [{ ...failed(visit, error), ...partial }],
  };
}

function withTries(visit: Visit, error: ErrorReport): ErrorReport {
  const attempts = visit.tries.filter((each) => !isTurnedAway(each));
  return attempts.length < 2 ? error : rebuild(error, { attempts });
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
    made: visit.tries.length,
    words: [state.run, visit.path, request.ref.key],
  });
  if (delayMs === undefined) return undefined;
  if (state.nowMs < failedAtMs + delayMs) return { events: [], wakeAtMs: failedAtMs + delayMs };
  return { events: [requestedEvent(visit, request.ref)] };
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
    return [ended, ...completion(state, scope, result.output ?? null)];
  return [
    ended,
    { type: 'node:failed', ...where, error: crossedAt(state, scope, visit.node, result.error) },
  ];
}
