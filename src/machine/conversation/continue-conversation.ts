/**
 * Continues a conversation in a new attempt, after a resume, a park or a person's answer: all messages
 * and results stay, the models get fresh schedules, and the cause of the failure is decided again.
 */
import type { ErrorReport } from '../../errors/report/report.ts';
import type { JsonObject, JsonValue } from '../../errors/support/safe-json.ts';
import { judgeCall, toolsOf } from './agent-tools.ts';
import type { ModelMessage } from './model-message.ts';
import { raiseDraft, readReply } from './model-reply.ts';
import { hasPassed, readVerdict } from './output-judge.ts';
import { newChain } from '../policy/model-chain.ts';
import { DONE } from '../../workflow/plan/route-plan.ts';
import { hasConversation, modelsOf, schemaOf } from './model-request.ts';
import { fileOf, nodeOf, visitOf } from '../state/plan-lookup.ts';
import { nextOf } from './supervisor-rounds.ts';
import type { RunState, Scope } from '../state/state.ts';
import {
  isToolMissing,
  REFUSAL_KINDS,
  callHash,
  shownToModel,
  type OpenCall,
  type Conversation,
} from './conversation.ts';

export function continueConversation(state: RunState, scope: Scope): void {
  const visit = visitOf(scope);
  const node = nodeOf(fileOf(state.plan, scope.file), visit.node);
  const isJudged = node.type === 'agent' && node.validator !== undefined;
  const verdict = isJudged ? verdictOf(visit.conversation) : undefined;
  if (verdict !== undefined && !hasPassed(verdict)) return continueRejected(state, scope);
  const conversation = (visit.conversation = afterJudging(visit.conversation));
  if (conversation === undefined || !hasConversation(node)) return;
  refresh(state, scope, conversation);
  for (const open of conversation.calls)
    reopenCall(conversation, open, visit.pending.has(open.key));
  if (node.type === 'agent') answerFatalCall(conversation, node, toolsOf(state, scope));
  const schema = schemaOf(state, node);
  const isFinal = isFinalReply(conversation, schema, node.type === 'agent');
  // a final reply without a verdict is judged, not requested again
  if (isFinal && (!isJudged || verdict !== undefined)) dropLastReply(conversation);
  if (conversation.failedWith !== undefined) dropWrongReplies(conversation, schema);
  conversation.failedWith = undefined;
}

/**
 * Drops the replies that were sent back for their form, up to the one that failed the node. They
 * had no effects, and a person who has corrected the prompt or the schema wants the model asked
 * with that alone.
 */
function dropWrongReplies(conversation: Conversation, schema: JsonObject | undefined): void {
  const { messages } = conversation;
  const isWrong = (message: ModelMessage | undefined): boolean =>
    message?.role === 'assistant' &&
    message.toolCalls.length === 0 &&
    readReply(message.text, schema).type === 'wrong';
  if (conversation.reply === undefined || !isWrong(messages.at(-1))) return;
  dropLastReply(conversation);
  while (messages.at(-1)?.role === 'user' && isWrong(messages.at(-2))) {
    messages.splice(-2);
    conversation.turns--;
  }
}

/** Fresh schedules and corrections; the prompt is evaluated again. */
function refresh(state: RunState, scope: Scope, conversation: Conversation): void {
  const node = nodeOf(fileOf(state.plan, scope.file), visitOf(scope).node);
  const chain = hasConversation(node) ? newChain(modelsOf(state, scope, node)) : [];
  if (chain.length > 0) conversation.chain.splice(0, Infinity, ...chain);
  Object.assign(conversation.corrections, {
    schema: 0,
    tools: 0,
  } satisfies Conversation['corrections']);
  conversation.failure = undefined;
  conversation.failedCalls = [];
  conversation.isReworded = true;
}

/** The verdict of the judge that the conversation has come to. */
function verdictOf(conversation: Conversation | undefined): JsonValue | undefined {
  return conversation?.judging === undefined ? undefined : readVerdict(conversation);
}

/**
 * Keeps the verdict, which is in the log, and decides again what follows from it. It does not use
 * up one of the rejections that are left.
 */
function continueRejected(state: RunState, scope: Scope): void {
  const visit = visitOf(scope);
  const { conversation } = visit;
  if (conversation?.judging === undefined) return;
  const of = { ...conversation.judging.of, rejections: -1 };
  refresh(state, scope, of);
  visit.conversation = {
    ...conversation,
    failure: undefined,
    failedWith: undefined,
    judging: { ...conversation.judging, of },
  };
}

/** Repeats a judgement that failed, with the full number of rejections. */
function afterJudging(conversation: Conversation | undefined): Conversation | undefined {
  if (conversation?.judging === undefined) return conversation;
  const { of } = conversation.judging;
  return { ...of, rejections: 0, isRejected: false, failedWith: conversation.failedWith };
}

/**
 * Reopens a call that was stopped or whose tool was missing. A call that was refused too often is
 * decided again, by the current file.
 */
function reopenCall({ refused }: Conversation, open: OpenCall, isPending: boolean): void {
  if (open.result === undefined) {
    if (!isPending) open.isBegun = false;
    return;
  }
  if (isToolMissing(open)) {
    open.result = undefined;
    open.isBegun = false;
    open.failures = 0;
    return;
  }
  const name = callHash(open.call);
  const isFatal = REFUSAL_KINDS.has(open.result.error?.kind ?? '') && (refused.get(name) ?? 0) > 1;
  if (!isFatal) return;
  refused.delete(name);
  open.result = undefined;
  open.isBegun = false;
  open.decided = undefined;
}

/**
 * Shows the model the failure as the result of a call that failed the node and would fail it again.
 */
function answerFatalCall(
  conversation: Conversation,
  node: Parameters<typeof judgeCall>[0],
  tools: Parameters<typeof judgeCall>[1],
): void {
  const { failedWith: error } = conversation;
  if (error === undefined) return;
  const open = conversation.calls.find(({ call, result, isBegun }) => {
    if (result !== undefined || isBegun) return false;
    const decision = judgeCall(node, tools, call);
    if (decision.type === 'raise') return raiseDraft(decision.value).kind === error.kind;
    const isWrite = decision.type === 'write' && !node.writes.includes(decision.key);
    return isWrite && error.kind === 'agent.permission_denied';
  });
  if (open !== undefined) open.result = failedResult(error);
}

function failedResult(error: ErrorReport): OpenCall['result'] {
  return { value: shownToModel(error), error };
}

/** Whether the last reply was accepted as final, and the node failed after it. */
function isFinalReply(
  { reply }: Conversation,
  schema: JsonObject | undefined,
  isAgent: boolean,
): boolean {
  if (reply === undefined) return false;
  if (isAgent && reply.toolCalls.length > 0) return false;
  const reading = readReply(reply.text, schema);
  if (reading.type === 'wrong') return false;
  return isAgent || reading.type === 'raised' || nextOf(reading.output) === DONE;
}

/** Drops the reply, so that the model is asked for it again. */
function dropLastReply(conversation: Conversation): void {
  conversation.reply = undefined;
  conversation.calls = [];
  conversation.turns--;
  conversation.messages.pop();
}
