/**
 * Supervisor: a model chooses the next node, sees its result, and is called again until it says that
 * the work is done. Each round is a branch, so a managed node uses its own routes first; a failure that
 * they do not handle is a result like any other.
 */
import { isPlainObject, type JsonObject, type JsonValue } from '../../errors/support/safe-json.ts';
import { SCHEMA_CORRECTIONS } from '../../workflow/plan/plan-limits.ts';
import type { SupervisorPlan } from '../../workflow/plan/node-plan.ts';
import { readReply } from '../conversation/model-reply.ts';
import { completeNode, type Decision } from './complete-node.ts';
import { startAttempt } from './start-attempt.ts';
import { afterFailure, askModel, beginConversation, awaitReply } from './model-call.ts';
import { nodeFailed, failureAt } from './failure-reports.ts';
import { DONE } from '../../workflow/plan/route-plan.ts';
import { decisionSchema } from '../conversation/model-request.ts';
import { visitOf } from '../state/plan-lookup.ts';
import { branchId, newBranch } from '../state/scopes.ts';
import type { RunState, Scope, Visit } from '../state/state.ts';
import type { Conversation } from '../conversation/conversation.ts';
import { nextOf } from '../conversation/supervisor-rounds.ts';

/** Throws `validation.template`. */
export function decideSupervisor(state: RunState, scope: Scope, node: SupervisorPlan): Decision {
  const visit = visitOf(scope);
  const { conversation } = visit;
  if (conversation === undefined) return beginConversation(state, scope, node);
  if (conversation.failure !== undefined)
    return afterFailure(state, scope, conversation, conversation.failure);
  if (conversation.reply === undefined) return awaitReply(state, scope, conversation);
  const reading = readReply(conversation.reply.text, decisionSchema(node));
  switch (reading.type) {
    case 'raised':
      return { events: [nodeFailed(visit, failureAt(state, scope, visit.node, reading.failure))] };
    case 'wrong':
      if (conversation.corrections.schema < SCHEMA_CORRECTIONS)
        return askModel(state, scope, conversation);
      return { events: [nodeFailed(visit, routingFailed(state, scope, reading.problem))] };
    case 'output':
      return followDecision(state, scope, node, { conversation, decision: reading.output });
  }
}

function followDecision(
  state: RunState,
  scope: Scope,
  node: SupervisorPlan,
  { conversation, decision }: { readonly conversation: Conversation; readonly decision: JsonValue },
): Decision {
  const visit = visitOf(scope);
  const next = nextOf(decision);
  if (next === DONE)
    return {
      events: completeNode(state, scope, supervisorOutput(state, visit, conversation, decision)),
    };
  const round = conversation.rounds.length;
  if (round > node.maxRounds) {
    const error = failureAt(state, scope, visit.node, {
      kind: 'limit.turns',
      message: `${visit.node} has used all of its ${node.maxRounds} rounds`,
      details: { limit: node.maxRounds, spent: node.maxRounds },
    });
    return { events: [nodeFailed(visit, error)] };
  }
  const branch = state.scopes.get(branchId(visit.path, String(round)));
  if (branch === undefined) {
    const fresh = newBranch(state, scope, visit, round - 1);
    return { events: startAttempt(state, fresh, next, 0) };
  }
  return branch.result === undefined ? { events: [] } : askModel(state, scope, conversation);
}

function supervisorOutput(
  state: RunState,
  visit: Visit,
  conversation: Conversation,
  decision: JsonValue,
): JsonObject {
  const outputs: Record<string, JsonValue> = {};
  for (const [index, node] of conversation.rounds.entries()) {
    const result = state.scopes.get(branchId(visit.path, String(index + 1)))?.result;
    if (result !== undefined && result.error === undefined) outputs[node] = result.output ?? null;
  }
  const reason = isPlainObject(decision) ? (decision['reason'] ?? null) : null;
  return {
    rounds: conversation.rounds.length,
    last: conversation.rounds.at(-1) ?? null,
    outputs,
    reason,
  };
}

function routingFailed(
  state: RunState,
  scope: Scope,
  problem: string,
): ReturnType<typeof failureAt> {
  const { node } = visitOf(scope);
  return failureAt(state, scope, node, {
    kind: 'supervisor.routing',
    message: `${node} did not name the next node: ${problem}`,
  });
}
