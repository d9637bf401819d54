/** Applies the events of model calls, tool calls and approvals to a conversation. */
import { isPlainObject, type JsonValue } from '../../errors/support/safe-json.ts';
import type { ErrorReport } from '../../errors/report/report.ts';
import {
  attemptsPerEntry,
  isTakenOver as isTakenOverBy,
  RESTARTED_AS,
} from '../../workflow/plan/attempt-bound.ts';
import type { NodePlan } from '../../workflow/plan/node-plan.ts';
import { isTurnedAway } from '../decide/failure-reports.ts';
import { toolsOf } from '../conversation/agent-tools.ts';
import { newChain, noteReply, noteFailure } from '../policy/model-chain.ts';
import { resumeAttemptClock, stopAttemptClock } from '../policy/deadlines.ts';
import { noteCooldown, settleCooldown } from '../policy/cooldown.ts';
import { toolKey } from '../decide/effect-request.ts';
import type { EventBody } from '../state/events.ts';
import { noteFinishedCall, matchFinishedCall } from '../conversation/finished-calls.ts';
import type { ModelReply } from '../conversation/model-message.ts';
import { chainOf, requestName, schemaOf, conversationNode } from '../conversation/model-request.ts';
import { DONE } from '../../workflow/plan/route-plan.ts';
import { readReply } from '../conversation/model-reply.ts';
import { nextOf, roundResult } from '../conversation/supervisor-rounds.ts';
import { branchId } from '../state/scopes.ts';
import { fileOf, nodeOf, visitOf } from '../state/plan-lookup.ts';
import { guardWantsApproval } from '../policy/tool-approval.ts';
import { isApproval, noteGrant } from '../policy/approval-grants.ts';
import { ASK_PERSON, WRITE_STATE } from '../../workflow/plan/built-in-tools.ts';
import { judgeConversation } from '../conversation/judge-conversation.ts';
import { rejectedConversation } from '../conversation/output-judge.ts';
import { retryDelayMs } from '../policy/tool-retry.ts';
import type { RunState, Scope } from '../state/state.ts';
import {
  hasInvalidCall,
  violatesSchema,
  isApprovalOf,
  newConversation,
  nextMessages,
  REFUSAL_KINDS,
  callHash,
  shownToModel,
  type OpenCall,
  type Conversation,
} from '../conversation/conversation.ts';

type EffectEvent = Extract<EventBody, { type: `effect:${string}` }>;
type Requested = Extract<EventBody, { type: 'effect:requested' }>;
type Succeeded = Extract<EventBody, { type: 'effect:succeeded' }>;
type Failed = Extract<EventBody, { type: 'effect:failed' }>;

export function conversationEffect(state: RunState, scope: Scope, event: EffectEvent): void {
  const visit = visitOf(scope);
  visit.phase = { type: 'conversation' };
  if (event.effect.type === 'model') modelEvent(state, scope, event);
  else if (visit.conversation !== undefined) toolEvent(state, scope, visit.conversation, event);
  updateClock(state, scope, event);
}

/** An agent's clock runs during its calls; a supervisor's also while the nodes it chose run. */
function updateClock(state: RunState, scope: Scope, event: EffectEvent): void {
  const visit = visitOf(scope);
  if (event.type === 'effect:requested') return resumeAttemptClock(state, scope);
  const { type } = nodeOf(fileOf(state.plan, scope.file), visit.node);
  const isIdle = type === 'agent' || event.type === 'effect:failed';
  if (isIdle && visit.pending.size === 0) stopAttemptClock(state, scope);
}

function modelEvent(state: RunState, scope: Scope, event: EffectEvent): void {
  const visit = visitOf(scope);
  switch (event.type) {
    case 'effect:requested':
      modelRequested(state, scope, event);
      return;
    case 'effect:succeeded':
      if (visit.conversation !== undefined) modelReplied(state, scope, visit.conversation, event);
      return;
    case 'effect:failed':
      if (visit.conversation !== undefined) modelFailed(state, scope, visit.conversation, event);
      return;
  }
}

function modelRequested(state: RunState, scope: Scope, event: Requested): void {
  const visit = visitOf(scope);
  // a call that was lost and is repeated goes to whom it went before
  if (visit.conversation?.asking?.key !== event.effect.key)
    turnToJudge(state, scope, event.judges === true);
  const node = conversationNode(state, scope);
  visit.conversation ??= newConversation(
    event.prompt ?? { text: '' },
    newChain(chainOf(state, scope, node)),
    beginningOf(state, scope),
  );
  const { conversation } = visit;
  conversation.prompt = event.prompt ?? conversation.prompt;
  conversation.isReworded = false;
  const name = requestName(visit.path, event.effect.target);
  // a call that was lost in a crash and is repeated counts as the same request
  const { key, target: model } = event.effect;
  const isAgain = conversation.asking?.key === key && conversation.asking.model === model;
  if (!isAgain) state.modelRequests.set(name, (state.modelRequests.get(name) ?? 0) + 1);
  conversation.asking = { key, model };
  conversation.failure = undefined;
  if (conversation.reply !== undefined) {
    const schema = schemaOf(state, node);
    if (hasInvalidCall(conversation)) conversation.corrections.tools++;
    if (violatesSchema(conversation.reply, schema, node.type === 'agent'))
      conversation.corrections.schema++;
    const round = node.type === 'supervisor' ? roundResult(state, visit, conversation) : undefined;
    conversation.messages.push(...nextMessages(conversation, schema, round));
    conversation.reply = undefined;
    conversation.calls = [];
  }
}

/** The agent's conversation is within the judge's, until the agent is asked again. */
function turnToJudge(state: RunState, scope: Scope, isForJudge: boolean): void {
  const visit = visitOf(scope);
  const { conversation } = visit;
  if (conversation === undefined || isForJudge === (conversation.judging !== undefined)) return;
  const node = conversationNode(state, scope);
  if (!isForJudge) visit.conversation = rejectedConversation(conversation);
  else if (node.type === 'agent') visit.conversation = judgeConversation(state, scope, node);
}

function modelReplied(
  state: RunState,
  scope: Scope,
  conversation: Conversation,
  event: Succeeded,
): void {
  // the output of a model effect
  const reply = event.output as unknown as ModelReply;
  settleCooldown(state, event.effect.target);
  conversation.asking = undefined;
  conversation.turns++;
  conversation.reply = reply;
  conversation.failedCalls = [];
  noteReply(conversation.chain);
  const { text, toolCalls, turn } = reply;
  conversation.messages.push({
    role: 'assistant',
    text,
    toolCalls,
    ...(turn === undefined ? {} : { turn }),
  });
  openRound(state, scope, conversation);
  conversation.calls = toolCalls.map((call): OpenCall => {
    const name = callHash(call);
    const nth = conversation.called.get(name) ?? 0;
    conversation.called.set(name, nth + 1);
    const { ordinal, known } = matchFinishedCall(state, scope, conversation, { call, nth });
    return {
      call,
      key: toolKey(state, scope, call, ordinal),
      ordinal,
      known,
      gate: undefined,
      decided: undefined,
      guardAsks: undefined,
      isBegun: false,
      failures: 0,
      again: undefined,
      result: undefined,
    };
  });
}

/** Registers the branch of the node that a supervisor has chosen. */
function openRound(state: RunState, scope: Scope, conversation: Conversation): void {
  const visit = visitOf(scope);
  const node = nodeOf(fileOf(state.plan, scope.file), visit.node);
  if (node.type !== 'supervisor') return;
  const reading = readReply(conversation.reply?.text ?? '', schemaOf(state, node));
  const next = reading.type === 'output' ? nextOf(reading.output) : DONE;
  if (next === DONE) return;
  conversation.corrections.schema = 0;
  conversation.rounds.push(next);
  const key = String(conversation.rounds.length);
  const before = visit.members ?? {
    opened: 0,
    succeeded: 0,
    failed: 0,
    firstFailed: undefined,
    keys: [],
  };
  visit.members = { ...before, keys: [...before.keys, key] };
  state.branches.set(branchId(visit.path, key), {
    group: scope.id,
    index: conversation.rounds.length - 1,
  });
}

/** The call was not made, so the next one has the same number. */
function uncountModelRequest({ modelRequests }: RunState, path: string, model: string): void {
  const name = requestName(path, model);
  modelRequests.set(name, Math.max(0, (modelRequests.get(name) ?? 0) - 1));
}

function modelFailed(
  state: RunState,
  scope: Scope,
  conversation: Conversation,
  event: Failed,
): void {
  const visit = visitOf(scope);
  const { error, effect, output } = event;
  conversation.asking = undefined;
  const isKeptBack = isTurnedAway(event);
  if (isKeptBack) uncountModelRequest(state, visit.path, effect.target);
  else noteAttempt(state, conversation, error, effect.target);
  const plan = fileOf(state.plan, scope.file);
  const node = nodeOf(plan, visit.node);
  const isTakenOver = isTakenOverBy(plan, node, error.kind);
  const canGoOn = noteFailure(conversation.chain, effect.target, restartable(node, error), {
    nowMs: state.nowMs,
    isTurnedAway: isKeptBack,
    isTakenOver,
    maxAttempts: attemptsPerEntry(plan, node, effect.target),
    words: [state.run, visit.path, visit.number, visit.attempt],
  });
  const entry = conversation.chain.find(({ model }) => model === effect.target);
  noteCooldown(state, effect.target, error, entry?.isSpent === false ? entry.pausedUntilMs : 0);
  const partial = output === undefined ? {} : { partial: output };
  conversation.failure = { error, ...partial, canGoOn, isTakenOver };
}

/** `target`: the model, because calls of one conversation may go to several. */
export function noteAttempt(
  { nowMs }: RunState,
  { failedCalls }: Pick<Conversation, 'failedCalls'>,
  { kind, message }: ErrorReport,
  target?: string,
): void {
  const at = new Date(nowMs).toISOString();
  const asked = target === undefined ? {} : { target };
  failedCalls.push({ number: failedCalls.length + 1, kind, message, at, ...asked });
}

/** Treats a broken stream as transient where the node says `on_partial: restart`. */
function restartable(node: NodePlan, error: ErrorReport): ErrorReport {
  const isRestart = node.type === 'agent' && node.onPartial === 'restart';
  if (!isRestart || error.kind !== 'provider.stream_interrupted') return error;
  return { ...error, kind: RESTARTED_AS, category: 'transient', retryable: true };
}

function toolEvent(
  state: RunState,
  scope: Scope,
  conversation: Conversation,
  event: EffectEvent,
): void {
  const open = conversation.calls.find(({ key }) => key === event.effect.key);
  if (open === undefined) return;
  switch (event.type) {
    case 'effect:requested':
      open.isBegun = true;
      open.again = undefined;
      return;
    case 'effect:succeeded':
      open.result = { value: withErrors(event) };
      noteFinishedCall(state, scope, open, event);
      // the name that the model used: a file's own tool of this name has another wire name
      if (open.call.name === WRITE_STATE) noteWrite(conversation, open.call.arguments);
      return;
    case 'effect:failed':
      toolFailed(state, scope, { conversation, open, event });
      return;
  }
}

function toolFailed(
  state: RunState,
  scope: Scope,
  {
    conversation,
    open,
    event,
  }: { readonly conversation: Conversation; readonly open: OpenCall; readonly event: Failed },
): void {
  const visit = visitOf(scope);
  const delayMs =
    event.replayed === true
      ? undefined
      : retryDelayMs(toolsOf(state, scope)[event.effect.target], {
          error: event.error,
          made: ++open.failures,
          words: [state.run, visit.path, open.key],
        });
  if (delayMs !== undefined) {
    open.isBegun = false;
    open.again = { atMs: state.nowMs + delayMs, error: event.error };
    return;
  }
  // a person decides about a call that a guard wants approved, unless one already has
  if (guardWantsApproval(event) && open.decided === undefined && state.hasPeople) {
    open.isBegun = false;
    open.guardAsks = event.error.message;
    return;
  }
  open.result = { value: withPartialOutput(event), error: event.error };
  noteFinishedCall(state, scope, open, event);
  if (!REFUSAL_KINDS.has(event.error.kind)) return;
  const name = callHash(open.call);
  conversation.refused.set(name, (conversation.refused.get(name) ?? 0) + 1);
}

/** A partial result, with the errors that explain what is missing. */
function withErrors({ output, errors }: Succeeded): JsonValue {
  if (errors === undefined) return output;
  return { result: output, errors: errors.map((error) => shownToModel(error)['error'] ?? null) };
}

/** The failure as the model sees it, with the partial output if there is one. */
function withPartialOutput({ error, output }: Failed): JsonValue {
  const shown = shownToModel(error);
  const isPart = output !== undefined && error.outcome === 'partial';
  return isPart ? { ...shown, partial: output } : shown;
}

function noteWrite(conversation: Conversation, args: JsonValue | undefined): void {
  if (!isPlainObject(args) || typeof args['key'] !== 'string') return;
  conversation.writes.push([args['key'], args['value'] ?? null]);
}

/** Start of a new conversation, and its number among those at this path that asked for approvals. */
export function beginningOf(
  state: RunState,
  scope: Scope,
): Pick<Conversation, 'sinceSeq' | 'series'> {
  const before = state.approvals.get(visitOf(scope).path);
  return { sinceSeq: state.seq, series: before === undefined ? undefined : before + 1 };
}

/** Applies a gate event to the call it is about; false when the gate belongs to the node itself. */
export function conversationGate(
  state: RunState,
  scope: Scope,
  event: Extract<EventBody, { type: `gate:${string}` }>,
): boolean {
  const { conversation } = visitOf(scope);
  const open = conversation?.calls.find((_, index) =>
    isApprovalOf(event.gate, conversation, index),
  );
  if (conversation === undefined || open === undefined) return false;
  if (event.type === 'gate:opened') {
    open.gate = event.gate;
    state.approvals.set(event.path, conversation.series ?? 1);
    return true;
  }
  open.gate = undefined;
  if (open.call.name === ASK_PERSON) {
    open.replied = event.type === 'gate:answered' ? replyIn(event.value) : null;
    return true;
  }
  const isApproved = event.type === 'gate:answered' && isApproval(event.value);
  open.decided = isApproved ? 'approve' : 'deny';
  if (event.type === 'gate:answered') noteGrant(state, scope, toolAt(event), event);
  return true;
}

/** Null when the person declined to answer. */
function replyIn(value: JsonValue): string | null {
  const text = isPlainObject(value) ? value['additional_input'] : undefined;
  return typeof text === 'string' ? text : null;
}

/** The tool of a gate: `a/pay#1.2` and `a/pay#2:1.2` are about `pay`. A tool name contains no `#`. */
function toolAt({ gate, path }: { readonly gate: string; readonly path: string }): string {
  return gate.slice(path.length + 1, gate.lastIndexOf('#'));
}
