/** Calls a model: chooses it from the chain, keeps the budgets, and decides what follows a failure. */
import { isPlainObject, type JsonObject } from '../../errors/support/safe-json.ts';
import type { ErrorReport, ReportDraft } from '../../errors/report/report.ts';
import { canonicalJson } from '../../workflow/plan/stable-hash.ts';
import { auditWarning, checkBudgets, hasMoneyBudget, overBudget } from '../policy/budget.ts';
import { incapableModels, type IncapableModel } from '../policy/model-capability.ts';
import { chooseModel, isTransient, newChain } from '../policy/model-chain.ts';
import type { Decision } from './complete-node.ts';
import { cooldownUntilMs } from '../policy/cooldown.ts';
import { modelRequest, requestedEvent } from './effect-request.ts';
import { failIfTooLate } from './end-run.ts';
import type { EventBody } from '../state/events.ts';
import { beginningOf } from '../evolve/conversation.ts';
import { nodeFailed, failureAt } from './failure-reports.ts';
import {
  chainOf,
  promptOf,
  schemaOf,
  conversationNode,
  type ConversationPlan,
} from '../conversation/model-request.ts';
import { judgeMark } from '../conversation/output-judge.ts';
import { visitOf } from '../state/plan-lookup.ts';
import { estimateOf, isPriced } from '../policy/pricing.ts';
import { failBeyondBound } from '../policy/request-bound.ts';
import type { RunState, Scope } from '../state/state.ts';
import {
  violatesSchema,
  newConversation,
  type Prompt,
  type Conversation,
  type ConversationFailure,
} from '../conversation/conversation.ts';

/** The first request of a conversation. Throws `validation.template` and `provider.not_configured`. */
export function beginConversation(state: RunState, scope: Scope, node: ConversationPlan): Decision {
  const chain = newChain(chainOf(state, scope, node));
  const fresh = newConversation(promptOf(state, scope, node), chain, beginningOf(state, scope));
  return askModel(state, scope, fresh);
}

/** Waits for the running call; or repeats a call that was lost in a crash. */
export function awaitReply(state: RunState, scope: Scope, conversation: Conversation): Decision {
  return visitOf(scope).pending.size > 0 ? { events: [] } : askModel(state, scope, conversation);
}

/** Calls the next healthy model, or waits until there is one. Throws `validation.template`. */
export function askModel(state: RunState, scope: Scope, current: Conversation): Decision {
  const conversation = withCurrentPrompt(state, scope, current);
  const incapable = incapableModels(state, scope, conversation);
  const able = conversation.chain.filter(
    (entry) => !incapable.some(({ model }) => model === entry.model),
  );
  const choice = chooseModel(able, state.nowMs, (model) => cooldownUntilMs(state, model));
  switch (choice.type) {
    case 'ask': {
      const asked = requestWithinLimits(state, scope, conversation, choice.model);
      const warnings = [
        ...skippedModelWarnings(state, scope, incapable),
        ...unpricedWarning(state, scope, choice.model),
      ];
      return { ...asked, events: [...warnings, ...asked.events] };
    }
    case 'wait': {
      const late = failIfTooLate(state, scope, choice.untilMs, conversation.failure?.error);
      if (late !== undefined) return { events: late };
      return {
        events: [],
        isHeldBack: true,
        wakeAtMs: choice.untilMs === Infinity ? undefined : choice.untilMs,
      };
    }
    case 'spent':
      return {
        events: [nodeFailed(visitOf(scope), noModelLeft(state, scope, conversation, incapable))],
      };
  }
}

/** An attempt that continues a conversation uses the current prompt. */
function withCurrentPrompt(
  state: RunState,
  scope: Scope,
  conversation: Conversation,
): Conversation {
  if (!conversation.isReworded) return conversation;
  return { ...conversation, prompt: promptOf(state, scope, conversationNode(state, scope)) };
}

function isSamePrompt(before: Prompt | undefined, now: Prompt): boolean {
  return before === now || canonicalJson(before ?? null) === canonicalJson(now);
}

/** Given once, with the first request of a conversation. */
function skippedModelWarnings(
  state: RunState,
  scope: Scope,
  incapable: readonly IncapableModel[],
): readonly EventBody[] {
  if (visitOf(scope).conversation !== undefined) return [];
  return incapable.map((each) => ({
    type: 'error:suppressed',
    error: capabilityMissing(state, scope, [each]),
    reason: `${each.model} was skipped`,
  }));
}

/** Given once too: a money budget cannot include a model without a price. */
function unpricedWarning(state: RunState, scope: Scope, model: string): readonly EventBody[] {
  if (visitOf(scope).conversation !== undefined || isPriced(state, scope, model)) return [];
  if (!hasMoneyBudget(state, scope)) return [];
  const error = failureAt(state, scope, visitOf(scope).node, {
    kind: 'provider.not_configured',
    message: `No price is known for ${model}, so its calls do not count towards the budget`,
    outcome: 'not_started',
    action: {
      kind: 'fix_file',
      detail: `Set the price of ${model} under \`workflow.cost.pricing\`, or set \`budget_tokens\`.`,
    },
  });
  const reason = 'calls without a known price do not count towards the budget';
  return [{ type: 'error:suppressed', error, reason, isWarning: true }];
}

function capabilityMissing(
  state: RunState,
  scope: Scope,
  incapable: readonly IncapableModel[],
): ErrorReport {
  const { node } = visitOf(scope);
  return failureAt(state, scope, node, {
    kind: 'provider.capability_missing',
    message: incapable.map(({ model, why }) => `${model} ${why}`).join('; '),
    details: { models: Object.fromEntries(incapable.map(({ model, why }) => [model, why])) },
  });
}

/** Every model of the chain has failed, or cannot handle the request. */
function noModelLeft(
  state: RunState,
  scope: Scope,
  conversation: Conversation,
  incapable: readonly IncapableModel[],
): ErrorReport {
  const { failure } = conversation;
  if (failure === undefined) return capabilityMissing(state, scope, incapable);
  const { node } = visitOf(scope);
  return failureAt(state, scope, node, finalFailure(node, conversation, failure));
}

/** Requests the call when the request bound and every budget allow it. */
function requestWithinLimits(
  state: RunState,
  scope: Scope,
  conversation: Conversation,
  model: string,
): Decision {
  const visit = visitOf(scope);
  const beyond = failBeyondBound(state, scope, conversation.failure?.error);
  if (beyond !== undefined) return { events: beyond };
  const { ref, work: input } = modelRequest(state, scope, conversation, model);
  const reserves =
    input.type === 'model' ? estimateOf(state, scope, input.call) : { usdMicros: 0, tokens: 0 };
  const check = checkBudgets(state, scope, reserves);
  if (check.type === 'held') return { events: [], isHeldBack: true };
  const warnings: EventBody[] = [];
  if (check.type === 'over') {
    const events = overBudget(state, scope, {
      ...check.excess,
      cause: conversation.failure?.error,
    });
    if (events !== undefined) return { events };
    warnings.push(auditWarning(check.excess));
  }
  const request: EventBody = {
    ...requestedEvent(state, visit, ref),
    reserves,
    ...(isSentBack(state, scope, conversation) ? { isCorrection: true } : {}),
    ...judgeMark(conversation),
    ...(isJustRejected(conversation) ? { isRejected: true } : {}),
    ...(input.type === 'model' && input.refreshesKey === true ? { refreshesKey: true } : {}),
    ...(isSamePrompt(visit.conversation?.prompt, conversation.prompt)
      ? {}
      : { prompt: conversation.prompt }),
  };
  return { events: [...warnings, request] };
}

/** The words of the judge are its latest message: nothing was asked since. */
function isJustRejected({ judging, isRejected, messages, reply }: Conversation): boolean {
  const isAsked = reply === undefined && messages.at(-1)?.role === 'user';
  return judging === undefined && isRejected === true && isAsked;
}

function isSentBack(state: RunState, scope: Scope, { reply }: Conversation): boolean {
  if (reply === undefined) return false;
  const node = conversationNode(state, scope);
  return violatesSchema(reply, schemaOf(state, node), node.type === 'agent');
}

/** Calls the next model, waits, or fails the node. */
export function afterFailure(
  state: RunState,
  scope: Scope,
  conversation: Conversation,
  failure: ConversationFailure,
): Decision {
  const visit = visitOf(scope);
  if (failure.canGoOn) return askModel(state, scope, conversation);
  const draft = finalFailure(visit.node, conversation, failure);
  const event = nodeFailed(visit, failureAt(state, scope, visit.node, draft));
  const output = failure.partial === undefined ? {} : { output: partialOutput(failure) };
  return { events: [{ ...event, ...output }] };
}

/** The output of a broken stream: what had arrived of it. */
export function partialOutput({ partial }: ConversationFailure): JsonObject {
  const text = isPlainObject(partial) ? partial['text'] : undefined;
  return { result: text ?? '', partial: true };
}

function finalFailure(
  node: string,
  { failedCalls }: Conversation,
  { error, isTakenOver }: ConversationFailure,
): ReportDraft {
  const isSpent = isTransient(error) && !isTakenOver;
  if (!isSpent) return failedCalls.length < 2 ? error : { ...error, attempts: failedCalls };
  return {
    kind: 'provider.exhausted',
    message: `No model of ${node} replied in ${failedCalls.length} attempts; the last failure: ${error.message}`,
    cause: error,
    attempts: failedCalls,
  };
}
