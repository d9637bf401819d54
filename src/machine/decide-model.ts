/** Asking a model: which one, within which budget, and what a failure of it leads to. */
import { rebuild } from '../errors/build.ts';
import { isPlainObject, type JsonObject } from '../errors/json.ts';
import type { ErrorReport, ReportDraft } from '../errors/report.ts';
import { canonicalJson } from '../workflow/hash.ts';
import { auditWarning, checkBudgets, hasMoneyBudget, overBudget } from './budget.ts';
import { unableModels, type Unable } from './capability.ts';
import { choose, isTransient, newChain } from './chain.ts';
import type { Decision } from './completion.ts';
import { restOf } from './cooldown.ts';
import { modelRequest, requestedEvent } from './effect-request.ts';
import { lateFor } from './endings.ts';
import type { EventBody } from './events.ts';
import { beginningOf } from './evolve-talk.ts';
import { failed, failureAt } from './failure.ts';
import { chainOf, promptOf, schemaOf, talkingNode, type TalkingPlan } from './model-request.ts';
import { visitOf } from './plan-lookup.ts';
import { estimateOf, isPriced } from './pricing.ts';
import { beyondBound } from './request-bound.ts';
import type { RunState, Scope } from './state.ts';
import { isOffForm, newTalk, type Prompt, type Talk, type TalkFailure } from './talk.ts';

/** The first request of a conversation. Throws `validation.template` and `provider.not_configured`. */
export function beginTalk(state: RunState, scope: Scope, node: TalkingPlan): Decision {
  const chain = newChain(chainOf(state, scope, node));
  const fresh = newTalk(promptOf(state, scope, node), chain, beginningOf(state, scope));
  return askModel(state, scope, fresh);
}

/** A call is under way; or it was lost, and is made again like any other. */
export function unanswered(state: RunState, scope: Scope, talk: Talk): Decision {
  return visitOf(scope).pending.size > 0 ? { events: [] } : askModel(state, scope, talk);
}

/** The next healthy model, or a wait until there is one. Throws `validation.template`. */
export function askModel(state: RunState, scope: Scope, given: Talk): Decision {
  const talk = worded(state, scope, given);
  const unable = unableModels(state, scope, talk);
  const able = talk.chain.filter((entry) => !unable.some(({ model }) => model === entry.model));
  const choice = choose(able, state.nowMs, (model) => restOf(state, model));
  switch (choice.type) {
    case 'ask': {
      const asked = askWithin(state, scope, talk, choice.model);
      const told = [...passedOver(state, scope, unable), ...uncounted(state, scope, choice.model)];
      return { ...asked, events: [...told, ...asked.events] };
    }
    case 'wait': {
      const late = lateFor(state, scope, choice.untilMs, talk.failure?.error);
      if (late !== undefined) return { events: late };
      return {
        events: [],
        isHeldBack: true,
        wakeAtMs: choice.untilMs === Infinity ? undefined : choice.untilMs,
      };
    }
    case 'spent':
      return { events: [failed(visitOf(scope), nothingLeft(state, scope, talk, unable))] };
  }
}

/** A try that goes on with a conversation asks with the words that hold now. */
function worded(state: RunState, scope: Scope, talk: Talk): Talk {
  if (!talk.isReworded) return talk;
  return { ...talk, prompt: promptOf(state, scope, talkingNode(state, scope)) };
}

function isSame(before: Prompt | undefined, now: Prompt): boolean {
  return before === now || canonicalJson(before ?? null) === canonicalJson(now);
}

/** Told once, with the first request of a conversation. */
function passedOver(
  state: RunState,
  scope: Scope,
  unable: readonly Unable[],
): readonly EventBody[] {
  if (visitOf(scope).talk !== undefined) return [];
  return unable.map((each) => ({
    type: 'error:suppressed',
    error: incapable(state, scope, [each]),
    reason: `${each.model} was passed over`,
  }));
}

/** Told once, too: a budget of money cannot hold what has no price. */
function uncounted(state: RunState, scope: Scope, model: string): readonly EventBody[] {
  if (visitOf(scope).talk !== undefined || isPriced(state, scope, model)) return [];
  if (!hasMoneyBudget(state, scope)) return [];
  const error = failureAt(state, scope, visitOf(scope).node, {
    kind: 'provider.not_configured',
    message: `${model} has no price, so this call does not count towards the budget`,
    outcome: 'not_started',
    action: {
      kind: 'fix_file',
      detail: `Give the price of ${model} under \`workflow.cost.pricing\`, or set \`budget_tokens\`.`,
    },
  });
  const reason = 'this call does not count towards the budget';
  return [{ type: 'error:suppressed', error, reason, isWarning: true }];
}

function incapable(state: RunState, scope: Scope, unable: readonly Unable[]): ErrorReport {
  const { node } = visitOf(scope);
  return failureAt(state, scope, node, {
    kind: 'provider.capability_missing',
    message: unable.map(({ model, why }) => `${model} ${why}`).join('; '),
    details: { models: Object.fromEntries(unable.map(({ model, why }) => [model, why])) },
  });
}

/** Every entry has failed, or cannot do what is asked. */
function nothingLeft(
  state: RunState,
  scope: Scope,
  talk: Talk,
  unable: readonly Unable[],
): ErrorReport {
  const { failure } = talk;
  if (failure === undefined) return incapable(state, scope, unable);
  const { node } = visitOf(scope);
  return failureAt(state, scope, node, lastWord(node, talk, failure));
}

/** Within every budget, or not at all. */
function askWithin(state: RunState, scope: Scope, talk: Talk, model: string): Decision {
  const visit = visitOf(scope);
  const beyond = beyondBound(state, scope, talk.failure?.error);
  if (beyond !== undefined) return { events: beyond };
  const { ref, work } = modelRequest(state, scope, talk, model);
  const reserves =
    work.type === 'model' ? estimateOf(state, scope, work.call) : { usdMicros: 0, tokens: 0 };
  const verdict = checkBudgets(state, scope, reserves);
  if (verdict.type === 'held') return { events: [], isHeldBack: true };
  const warnings: EventBody[] = [];
  if (verdict.type === 'over') {
    const events = overBudget(state, scope, {
      ...verdict.excess,
      cause: talk.failure?.error,
    });
    if (events !== undefined) return { events };
    warnings.push(auditWarning(verdict.excess));
  }
  const request: EventBody = {
    ...requestedEvent(visit, ref),
    reserves,
    ...(isSentBack(state, scope, talk) ? { isCorrection: true } : {}),
    ...(work.type === 'model' && work.refreshesKey === true ? { refreshesKey: true } : {}),
    ...(isSame(visit.talk?.prompt, talk.prompt) ? {} : { prompt: talk.prompt }),
  };
  return { events: [...warnings, request] };
}

function isSentBack(state: RunState, scope: Scope, { answer }: Talk): boolean {
  if (answer === undefined) return false;
  const node = talkingNode(state, scope);
  return isOffForm(answer, schemaOf(node), node.type === 'agent');
}

/** The chain goes on, waits, or has nothing left. */
export function afterFailure(
  state: RunState,
  scope: Scope,
  talk: Talk,
  failure: TalkFailure,
): Decision {
  const visit = visitOf(scope);
  if (failure.canGoOn) return askModel(state, scope, talk);
  const draft = lastWord(visit.node, talk, failure);
  const event = failed(visit, failureAt(state, scope, visit.node, draft));
  const output = failure.partial === undefined ? {} : { output: partialOutput(failure) };
  return { events: [{ ...event, ...output }] };
}

/** What had arrived of a stream that broke: for whoever handles the failure, or for good. */
export function partialOutput({ partial }: TalkFailure): JsonObject {
  const text = isPlainObject(partial) ? partial['text'] : undefined;
  return { result: text ?? '', partial: true };
}

function lastWord(node: string, { tries }: Talk, { error, isTakenOver }: TalkFailure): ReportDraft {
  const isSpent = isTransient(error) && !isTakenOver;
  if (!isSpent) return rebuild(error, tries.length < 2 ? {} : { attempts: tries });
  return {
    kind: 'provider.exhausted',
    message: `No model of ${node} answered in ${tries.length} attempts; the last failure: ${error.message}`,
    cause: error,
    attempts: tries,
  };
}
