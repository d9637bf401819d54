/**
 * A supervisor: a model says which node is next, sees what came of it, and is asked again until it
 * says that the work is done. Each round is a branch, so that a managed node has its own routes first;
 * what fails past them is a result like any other.
 */
import { isPlainObject, type JsonObject, type JsonValue } from '../errors/json.ts';
import { SCHEMA_CORRECTIONS } from '../workflow/limits.ts';
import type { SupervisorPlan } from '../workflow/node-model.ts';
import { readAnswer } from './answer.ts';
import { completion, type Decision } from './completion.ts';
import { beginTry } from './decide-begin.ts';
import { afterFailure, askModel, beginTalk, unanswered } from './decide-model.ts';
import { failed, failureAt } from './failure.ts';
import { decisionSchema, DONE } from './model-request.ts';
import { visitOf } from './plan-lookup.ts';
import { branchId, newBranch } from './scopes.ts';
import type { RunState, Scope, Visit } from './state.ts';
import type { Talk } from './talk.ts';
import { nextOf } from './rounds.ts';

/** Throws `validation.template`. */
export function decideSupervisor(state: RunState, scope: Scope, node: SupervisorPlan): Decision {
  const visit = visitOf(scope);
  const { talk } = visit;
  if (talk === undefined) return beginTalk(state, scope, node);
  if (talk.failure !== undefined) return afterFailure(state, scope, talk, talk.failure);
  if (talk.answer === undefined) return unanswered(state, scope, talk);
  const reading = readAnswer(talk.answer.text, decisionSchema(node));
  switch (reading.type) {
    case 'raised':
      return { events: [failed(visit, failureAt(state, scope, visit.node, reading.failure))] };
    case 'wrong':
      if (talk.corrections.schema < SCHEMA_CORRECTIONS) return askModel(state, scope, talk);
      return { events: [failed(visit, lost(state, scope, reading.problem))] };
    case 'output':
      return follow(state, scope, node, { talk, decision: reading.output });
  }
}

function follow(
  state: RunState,
  scope: Scope,
  node: SupervisorPlan,
  { talk, decision }: { readonly talk: Talk; readonly decision: JsonValue },
): Decision {
  const visit = visitOf(scope);
  const next = nextOf(decision);
  if (next === DONE)
    return { events: completion(state, scope, conclusion(state, visit, talk, decision)) };
  const round = talk.rounds.length;
  if (round > node.maxRounds) {
    const error = failureAt(state, scope, visit.node, {
      kind: 'limit.turns',
      message: `${visit.node} has used its ${node.maxRounds} rounds`,
      details: { limit: node.maxRounds, spent: node.maxRounds },
    });
    return { events: [failed(visit, error)] };
  }
  const branch = state.scopes.get(branchId(visit.path, String(round)));
  if (branch === undefined) {
    const fresh = newBranch(state, scope, visit, round - 1);
    return { events: beginTry(state, fresh, next, 0) };
  }
  return branch.result === undefined ? { events: [] } : askModel(state, scope, talk);
}

function conclusion(state: RunState, visit: Visit, talk: Talk, decision: JsonValue): JsonObject {
  const outputs: Record<string, JsonValue> = {};
  for (const [index, node] of talk.rounds.entries()) {
    const result = state.scopes.get(branchId(visit.path, String(index + 1)))?.result;
    if (result !== undefined && result.error === undefined) outputs[node] = result.output ?? null;
  }
  const reason = isPlainObject(decision) ? (decision['reason'] ?? null) : null;
  return {
    rounds: talk.rounds.length,
    last: talk.rounds.at(-1) ?? null,
    outputs,
    reason,
  };
}

function lost(state: RunState, scope: Scope, problem: string): ReturnType<typeof failureAt> {
  const { node } = visitOf(scope);
  return failureAt(state, scope, node, {
    kind: 'supervisor.routing',
    message: `${node} does not say which node is next: ${problem}`,
  });
}
