/** Asking a model: which one, within which budget, and what a failure of it leads to. */
import { rebuild } from '../errors/build.ts';
import type { ErrorReport, ReportDraft } from '../errors/report.ts';
import { readAnswer } from './answer.ts';
import { auditWarning, checkBudgets, overBudget } from './budget.ts';
import { choose, isTransient, newChain } from './chain.ts';
import type { Decision } from './completion.ts';
import { restOf } from './cooldown.ts';
import { modelRequest } from './effect-request.ts';
import { lateFor } from './endings.ts';
import type { EventBody } from './events.ts';
import { failureAt } from './failure.ts';
import { chainOf, promptOf, schemaOf, type TalkingPlan } from './model-request.ts';
import { fileOf, nodeOf, visitOf } from './plan-lookup.ts';
import { estimateOf } from './pricing.ts';
import type { RunState, Scope, Visit } from './state.ts';
import { newTalk, type Talk, type TalkFailure } from './talk.ts';

/** The first request of a conversation. Throws `validation.template` and `provider.not_configured`. */
export function beginTalk(state: RunState, scope: Scope, node: TalkingPlan): Decision {
  const fresh = newTalk(promptOf(state, scope, node), newChain(chainOf(state, scope, node)));
  return askModel(state, scope, fresh);
}

/** The next healthy model, or a wait until there is one. */
export function askModel(state: RunState, scope: Scope, talk: Talk): Decision {
  const choice = choose(talk.chain, state.nowMs, (model) => restOf(state, model));
  switch (choice.type) {
    case 'ask':
      return askWithin(state, scope, talk, choice.model);
    case 'wait': {
      const late = lateFor(state, scope, choice.untilMs, talk.failure?.error);
      if (late !== undefined) return { events: late };
      state.heldBack.add(scope.id);
      return choice.untilMs === Infinity
        ? { events: [] }
        : { events: [], wakeAtMs: choice.untilMs };
    }
    case 'spent':
      return { events: [] };
  }
}

/** Within every budget, or not at all. */
function askWithin(state: RunState, scope: Scope, talk: Talk, model: string): Decision {
  const visit = visitOf(scope);
  const { ref, work } = modelRequest(state, scope, talk, model);
  const reserves =
    work.type === 'model' ? estimateOf(state, scope, work.call) : { usdMicros: 0, tokens: 0 };
  const verdict = checkBudgets(state, scope, reserves);
  if (verdict.type === 'held') {
    state.heldBack.add(scope.id);
    return { events: [] };
  }
  const warnings: EventBody[] = [];
  if (verdict.type === 'over') {
    const events = overBudget(state, scope, verdict.excess);
    if (events !== undefined) return { events };
    warnings.push(auditWarning(verdict.excess));
  }
  const request: EventBody = {
    type: 'effect:requested',
    node: visit.node,
    path: visit.path,
    effect: ref,
    attempt: visit.asked.get(ref.key) ?? 0,
    reserves,
    ...(isSentBack(state, scope, talk) ? { isCorrection: true } : {}),
    ...(visit.talk === undefined ? { prompt: talk.prompt } : {}),
  };
  return { events: [...warnings, request] };
}

function isSentBack(state: RunState, scope: Scope, { answer }: Talk): boolean {
  if (answer === undefined || answer.toolCalls.length > 0) return false;
  // only agents and supervisors talk
  const node = nodeOf(fileOf(state.plan, scope.file), visitOf(scope).node) as TalkingPlan;
  return readAnswer(answer.text, schemaOf(node)).type === 'wrong';
}

/** The chain goes on, waits, or has nothing left. */
export function afterFailure(state: RunState, scope: Scope, failure: TalkFailure): Decision {
  const visit = visitOf(scope);
  const talk = talkOf(visit);
  const { error } = failure;
  if (failure.canGoOn) return askModel(state, scope, talk);
  const attempts = talk.tries.length < 2 ? {} : { attempts: talk.tries };
  const isSpent = isTransient(error) && !failure.isTakenOver;
  const draft: ReportDraft = isSpent
    ? {
        kind: 'provider.exhausted',
        message: `No model of ${visit.node} answered in ${talk.tries.length} attempts; the last failure: ${error.message}`,
        cause: error,
        attempts: talk.tries,
      }
    : rebuild(error, attempts);
  return { events: [failed(visit, failureAt(state, scope, visit.node, draft))] };
}

export function failed(visit: Visit, error: ErrorReport): EventBody {
  return { type: 'node:failed', node: visit.node, path: visit.path, error };
}

function talkOf(visit: Visit): Talk {
  // asked only of a visit that talks
  return visit.talk as Talk;
}
