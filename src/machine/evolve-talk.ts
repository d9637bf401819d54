/** What the events of an agent's effects and approvals mean to its conversation. */
import { isPlainObject, type JsonValue } from '../errors/json.ts';
import type { ErrorReport } from '../errors/report.ts';
import {
  attemptsPerEntry,
  isTakenOver as isTakenOverBy,
  RESTARTED_AS,
} from '../workflow/attempts.ts';
import type { NodePlan } from '../workflow/node-model.ts';
import { isTurnedAway } from './failure.ts';
import { toolsOf } from './agent-tools.ts';
import { newChain, noteAnswer, noteFailure } from './chain.ts';
import { goOnWithTryClock, stopTryClock } from './clocks.ts';
import { noteCooldown, settleCooldown } from './cooldown.ts';
import { toolKey } from './effect-request.ts';
import type { EventBody } from './events.ts';
import { noteFinishedCall, placeOfCall } from './finished-calls.ts';
import type { ModelAnswer } from './model-call.ts';
import { chainOf, DONE, requestName, schemaOf, talkingNode } from './model-request.ts';
import { readAnswer } from './answer.ts';
import { nextOf, roundResult } from './rounds.ts';
import { branchId } from './scopes.ts';
import { fileOf, nodeOf, visitOf } from './plan-lookup.ts';
import { guardWants } from './guard-asks.ts';
import { isApproval, noteGrant } from './grants.ts';
import { WRITE_STATE } from './tool-names.ts';
import { retryDelayMs } from './tool-retry.ts';
import type { RunState, Scope } from './state.ts';
import {
  hasBadCall,
  isOffForm,
  isApprovalOf,
  newTalk,
  nextMessages,
  REFUSALS,
  sameCall,
  toldToModel,
  type OpenCall,
  type Talk,
} from './talk.ts';

type EffectEvent = Extract<EventBody, { type: `effect:${string}` }>;
type Requested = Extract<EventBody, { type: 'effect:requested' }>;
type Succeeded = Extract<EventBody, { type: 'effect:succeeded' }>;
type Failed = Extract<EventBody, { type: 'effect:failed' }>;

export function talkEffect(state: RunState, scope: Scope, event: EffectEvent): void {
  const visit = visitOf(scope);
  visit.phase = { at: 'talking' };
  if (event.effect.type === 'model') modelEvent(state, scope, event);
  else if (visit.talk !== undefined) toolEvent(state, scope, visit.talk, event);
  keepTime(state, scope, event);
}

/** The clock of an agent runs while a call is under way; a supervisor's while its nodes run, too. */
function keepTime(state: RunState, scope: Scope, event: EffectEvent): void {
  const visit = visitOf(scope);
  if (event.type === 'effect:requested') return goOnWithTryClock(state, scope);
  const { type } = nodeOf(fileOf(state.plan, scope.file), visit.node);
  const isIdle = type === 'agent' || event.type === 'effect:failed';
  if (isIdle && visit.pending.size === 0) stopTryClock(state, scope);
}

function modelEvent(state: RunState, scope: Scope, event: EffectEvent): void {
  const visit = visitOf(scope);
  switch (event.type) {
    case 'effect:requested':
      modelRequested(state, scope, event);
      return;
    case 'effect:succeeded':
      if (visit.talk !== undefined) modelAnswered(state, scope, visit.talk, event);
      return;
    case 'effect:failed':
      if (visit.talk !== undefined) modelFailed(state, scope, visit.talk, event);
      return;
  }
}

function modelRequested(state: RunState, scope: Scope, event: Requested): void {
  const visit = visitOf(scope);
  const node = talkingNode(state, scope);
  visit.talk ??= newTalk(
    event.prompt ?? { text: '' },
    newChain(chainOf(state, scope, node)),
    beginningOf(state, scope),
  );
  const { talk } = visit;
  talk.prompt = event.prompt ?? talk.prompt;
  talk.isReworded = false;
  const name = requestName(visit.path, event.effect.target);
  // a call that was lost with its process is the same request when it is made again
  const { key, target: model } = event.effect;
  const isAgain = talk.asking?.key === key && talk.asking.model === model;
  if (!isAgain) state.modelRequests.set(name, (state.modelRequests.get(name) ?? 0) + 1);
  talk.asking = { key, model };
  talk.failure = undefined;
  if (talk.answer !== undefined) {
    const schema = schemaOf(node);
    if (hasBadCall(talk)) talk.corrections.tools++;
    if (isOffForm(talk.answer, schema, node.type === 'agent')) talk.corrections.schema++;
    const round = node.type === 'supervisor' ? roundResult(state, visit, talk) : undefined;
    talk.messages.push(...nextMessages(talk, schema, round));
    talk.answer = undefined;
    talk.calls = [];
  }
}

function modelAnswered(state: RunState, scope: Scope, talk: Talk, event: Succeeded): void {
  // what a model effect gives
  const answer = event.output as unknown as ModelAnswer;
  settleCooldown(state, event.effect.target);
  talk.asking = undefined;
  talk.turns++;
  talk.answer = answer;
  talk.tries = [];
  noteAnswer(talk.chain);
  const { text, toolCalls, turn } = answer;
  talk.messages.push({
    role: 'assistant',
    text,
    toolCalls,
    ...(turn === undefined ? {} : { turn }),
  });
  openRound(state, scope, talk);
  talk.calls = toolCalls.map((call): OpenCall => {
    const name = sameCall(call);
    const nth = talk.called.get(name) ?? 0;
    talk.called.set(name, nth + 1);
    const { ordinal, known } = placeOfCall(state, scope, talk, { call, nth });
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

/** A supervisor has chosen a node: its branch may come. */
function openRound(state: RunState, scope: Scope, talk: Talk): void {
  const visit = visitOf(scope);
  const node = nodeOf(fileOf(state.plan, scope.file), visit.node);
  if (node.type !== 'supervisor') return;
  const reading = readAnswer(talk.answer?.text ?? '', schemaOf(node));
  const next = reading.type === 'output' ? nextOf(reading.output) : DONE;
  if (next === DONE) return;
  talk.corrections.schema = 0;
  talk.rounds.push(next);
  const key = String(talk.rounds.length);
  const before = visit.members ?? {
    opened: 0,
    succeeded: 0,
    failed: 0,
    firstFailed: undefined,
    keys: [],
  };
  visit.members = { ...before, keys: [...before.keys, key] };
  state.branches.set(branchId(visit.path, key), { group: scope.id, index: talk.rounds.length - 1 });
}

/** Nobody was asked, so the next call is still the one with this number. */
function takeBackRequest({ modelRequests }: RunState, path: string, model: string): void {
  const name = requestName(path, model);
  modelRequests.set(name, Math.max(0, (modelRequests.get(name) ?? 0) - 1));
}

function modelFailed(state: RunState, scope: Scope, talk: Talk, event: Failed): void {
  const visit = visitOf(scope);
  const { error, effect, output } = event;
  talk.asking = undefined;
  if (isTurnedAway(error)) takeBackRequest(state, visit.path, effect.target);
  else noteTry(state, talk, error, effect.target);
  const plan = fileOf(state.plan, scope.file);
  const node = nodeOf(plan, visit.node);
  const isTakenOver = isTakenOverBy(plan, node, error.kind);
  const canGoOn = noteFailure(talk.chain, effect.target, restartable(node, error), {
    nowMs: state.nowMs,
    isTakenOver,
    maxAttempts: attemptsPerEntry(plan, node, effect.target),
    words: [state.run, visit.path, visit.number, visit.attempt],
  });
  const entry = talk.chain.find(({ model }) => model === effect.target);
  noteCooldown(state, effect.target, error, entry?.isSpent === false ? entry.restUntilMs : 0);
  const partial = output === undefined ? {} : { partial: output };
  talk.failure = { error, ...partial, canGoOn, isTakenOver };
}

/** `target`: where tries of one conversation go to several models. */
export function noteTry(
  { nowMs }: RunState,
  { tries }: Pick<Talk, 'tries'>,
  { kind, message }: ErrorReport,
  target?: string,
): void {
  const at = new Date(nowMs).toISOString();
  const asked = target === undefined ? {} : { target };
  tries.push({ number: tries.length + 1, kind, message, at, ...asked });
}

/** A stream that broke may be begun anew where its node says so. */
function restartable(node: NodePlan, error: ErrorReport): ErrorReport {
  const isRestart = node.type === 'agent' && node.onPartial === 'restart';
  if (!isRestart || error.kind !== 'provider.stream_interrupted') return error;
  return { ...error, kind: RESTARTED_AS, category: 'transient', retryable: true };
}

function toolEvent(state: RunState, scope: Scope, talk: Talk, event: EffectEvent): void {
  const open = talk.calls.find(({ key }) => key === event.effect.key);
  if (open === undefined) return;
  switch (event.type) {
    case 'effect:requested':
      open.isBegun = true;
      open.again = undefined;
      return;
    case 'effect:succeeded':
      open.result = { value: withErrors(event) };
      noteFinishedCall(state, scope, open, event);
      // what the model called so: a tool of that name is called by another
      if (open.call.name === WRITE_STATE) noteWrite(talk, open.call.arguments);
      return;
    case 'effect:failed':
      toolFailed(state, scope, { talk, open, event });
      return;
  }
}

function toolFailed(
  state: RunState,
  scope: Scope,
  { talk, open, event }: { readonly talk: Talk; readonly open: OpenCall; readonly event: Failed },
): void {
  const visit = visitOf(scope);
  const delayMs = retryDelayMs(toolsOf(state, scope)[event.effect.target], {
    error: event.error,
    made: ++open.failures,
    words: [state.run, visit.path, open.key],
  });
  if (delayMs !== undefined) {
    open.isBegun = false;
    open.again = { atMs: state.nowMs + delayMs, error: event.error };
    return;
  }
  // an agent that is not yet decided about is asked about, where there is someone to ask
  if (guardWants(event.error) && open.decided === undefined && state.hasPeople) {
    open.isBegun = false;
    open.guardAsks = event.error.message;
    return;
  }
  open.result = { value: withPart(event), error: event.error };
  if (!REFUSALS.has(event.error.kind)) return;
  const name = sameCall(open.call);
  talk.refused.set(name, (talk.refused.get(name) ?? 0) + 1);
}

/** A part of a result and why the rest is missing, side by side. */
function withErrors({ output, errors }: Succeeded): JsonValue {
  if (errors === undefined) return output;
  return { result: output, errors: errors.map((error) => toldToModel(error)['error'] ?? null) };
}

/** What a call that failed has got done all the same. */
function withPart({ error, output }: Failed): JsonValue {
  const told = toldToModel(error);
  const isPart = output !== undefined && error.outcome === 'partial';
  return isPart ? { ...told, partial: output } : told;
}

function noteWrite(talk: Talk, given: JsonValue | undefined): void {
  if (!isPlainObject(given) || typeof given['key'] !== 'string') return;
  talk.writes.push([given['key'], given['value'] ?? null]);
}

/** When a conversation begins here, and which it is of those whose calls people are asked about. */
export function beginningOf(state: RunState, scope: Scope): Pick<Talk, 'sinceSeq' | 'series'> {
  const before = state.approvals.get(visitOf(scope).path);
  return { sinceSeq: state.seq, series: before === undefined ? undefined : before + 1 };
}

/** The call that a gate of this conversation is about; false for a gate of the node itself. */
export function talkGate(
  state: RunState,
  scope: Scope,
  event: Extract<EventBody, { type: `gate:${string}` }>,
): boolean {
  const { talk } = visitOf(scope);
  const open = talk?.calls.find((_, index) => isApprovalOf(event.gate, talk, index));
  if (talk === undefined || open === undefined) return false;
  if (event.type === 'gate:opened') {
    open.gate = event.gate;
    state.approvals.set(event.path, talk.series ?? 1);
    return true;
  }
  open.gate = undefined;
  const isApproved = event.type === 'gate:answered' && isApproval(event.value);
  open.decided = isApproved ? 'approve' : 'deny';
  if (event.type === 'gate:answered') noteGrant(state, scope, toolAt(event), event);
  return true;
}

/** `a/pay#1.2` and `a/pay#2:1.2` are about `pay`; the name of a tool may hold anything but what follows it. */
function toolAt({ gate, path }: { readonly gate: string; readonly path: string }): string {
  return gate.slice(path.length + 1, gate.lastIndexOf('#'));
}
