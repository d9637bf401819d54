/**
 * The effect of one model call: one request, read as a stream, checked when it has ended. It retries
 * nothing, runs no tool, and accepts no reply without a good end; `model-failure.ts` has the table of failures.
 */
import { isPlainObject } from '../../errors/support/safe-json.ts';
import { redactBrokenOff } from '../../errors/redaction/broken-off.ts';
import type { ReportDraft } from '../../errors/report/report.ts';
import type {
  ModelReply,
  ToolCall,
  ModelCall,
  ModelProgress,
  PartialReply,
} from '../../machine/conversation/model-message.ts';
import { DEFAULT_TIMEOUTS, type ModelTimeouts } from '../../machine/policy/model-timeouts.ts';
import { REFRESHABLE } from '../../machine/policy/model-chain.ts';
import { omitUndefined } from '../../workflow/plan/omit-undefined.ts';
import { MACHINE_CLOCK } from '../clock.ts';
import {
  cancelledBefore,
  neverRejecting,
  type Effect,
  type EffectContext,
  type EffectFailure,
  type EffectResult,
  type Suppressed,
} from '../effect-port.ts';
import { MAX_RESULT_CHARS, toOutput } from '../../machine/state/stored-output.ts';
import { createFindCredential, type Credential, type FindCredential } from './credentials.ts';
import { endFailure, factsOf, stopped, thrownFailure, type CallFailure } from './model-failure.ts';
import { newWireRecord } from '../../providers/wire/wire-events.ts';
import { usedByFailure, writtenIn } from './usage/failure-usage.ts';
import {
  modelRefOf,
  createFindModel,
  settingsFor,
  type FindModel,
  type FoundModel,
} from './find-model.ts';
import { readStream } from './stream/read-stream.ts';
import { newStreamState, type StreamState } from './stream/stream-state.ts';
import { createLoadPackage } from './load-package.ts';
import type { ModelEffectOptions } from './model-host.ts';
import { prepareCall, type PreparedCall } from './prompt.ts';
import type { ModelRequest } from './model-effect-request.ts';
import type { ModelWarning } from './language-model.ts';
import type { Turn } from './stream/provider-turn.ts';
import type { ModelRef } from '../../providers/own-findings.ts';
import { NOTHING_USED, usedByReply } from '../../providers/pricing/counted-usage.ts';
import { estimateUsage } from './usage/estimate-usage.ts';
import { CallTimeouts } from './call-timeouts.ts';

export function createModelEffect(options: ModelEffectOptions): Effect<ModelRequest> {
  const find = createFindModel(options, options.loadPackage ?? createLoadPackage());
  const findCredential = createFindCredential(options);
  return neverRejecting((request, context) => {
    const timeouts = { ...DEFAULT_TIMEOUTS, ...options.timeouts, ...request.timeouts };
    return callOnce({ request, context, timeouts, find, findCredential });
  });
}

interface Attempt {
  readonly request: ModelRequest;
  readonly context: EffectContext;
  readonly timeouts: ModelTimeouts;
  readonly find: FindModel;
  readonly findCredential: FindCredential;
}

async function callOnce(attempt: Attempt): Promise<EffectResult> {
  const { request, context, timeouts, findCredential } = attempt;
  const { call, settings, directory } = request;
  if (context.signal.aborted) return cancelledBefore(context.cancelled ?? 'cancelled.call');
  const modelRef = modelRefOf(call.model);
  const callContext: CallContext = { call, modelRef, context };
  const watch = new CallTimeouts(context.clock ?? MACHINE_CLOCK, timeouts, context.signal);
  if (request.timeoutMs !== undefined) watch.within(request.timeoutMs);
  try {
    const credential = findCredential(modelRef, settingsFor(settings, modelRef), directory);
    if (credential === undefined) return await sendCall(attempt, callContext, watch);
    return await callWithKey(attempt, callContext, { watch, credential });
  } finally {
    watch.close();
  }
}

/** A refused key can be refreshed; the failure says so to the machine. */
async function callWithKey(
  attempt: Attempt,
  callContext: CallContext,
  { watch, credential }: { readonly watch: CallTimeouts; readonly credential: Credential },
): Promise<EffectResult> {
  const isRefresh = attempt.request.refreshesKey === true;
  const { signal } = watch;
  let key: string | undefined;
  try {
    const abandoned = watch.abandoned.then(() => undefined);
    key = await Promise.race([credential.key({ isRefresh, signal }), abandoned]);
  } catch (thrown) {
    if (watch.stop === undefined) return notStarted(thrown, callContext);
  }
  if (key === undefined || watch.stop !== undefined) return notCalled(watch, callContext);
  // from here on the provider or a tool may echo it
  callContext.context.redactor.learn?.(key);
  const result = await sendCall(attempt, callContext, watch, key);
  if (result.ok || result.failure.kind !== 'provider.auth') return result;
  credential.refuse(key);
  const { failure } = result;
  const details = isPlainObject(failure.details) ? failure.details : {};
  return { ...result, failure: { ...failure, details: { ...details, [REFRESHABLE]: true } } };
}

/** The key took too long, or the call was cancelled. */
function notCalled({ stop }: CallTimeouts, callContext: CallContext): EffectFailure {
  const ended = stop === undefined || stop.by === 'failure' ? { by: 'caller' as const } : stop;
  const { failure } = stopped(ended, newStreamState(), callContext);
  return { ok: false, failure: { ...failure, outcome: 'not_started' }, ...NOTHING_USED };
}

async function sendCall(
  { request, find }: Attempt,
  callContext: CallContext,
  watch: CallTimeouts,
  apiKey?: string,
): Promise<EffectResult> {
  const { settings, directory } = request;
  const { call, modelRef, context } = callContext;
  let found: FoundModel;
  let prepared: PreparedCall;
  try {
    found = find({ name: call.model, modelRef, ...omitUndefined({ settings, directory, apiKey }) });
    prepared = prepareCall(call, found);
  } catch (thrown) {
    return notStarted(thrown, callContext);
  }
  const state = newStreamState({ tools: call.tools, modelId: found.model.modelId });
  const observeFirst = firstChunkOf(context);
  const ended = readStream(
    // some providers send counts only in raw events, and their packages keep only the last finish reason
    (takeRaw) => {
      const { model, takeEventsOf } = found;
      takeEventsOf?.(watch.signal, takeRaw);
      const includeRawChunks = takeEventsOf === undefined;
      return model.open({ ...prepared, abortSignal: watch.signal, includeRawChunks });
    },
    {
      state,
      watch,
      modelRef,
      onDelta: (type, delta) => {
        observeFirst();
        reportProgress(context, { type, attempt: context.attempt, delta });
      },
    },
  );
  await Promise.race([ended, watch.abandoned]);
  watch.close();
  observeId(state, context);
  return resultFrom(state, watch, callContext);
}

/** Ids are short; a gateway may write anything there. */
const MAX_ID_CHARS = 200;

function observeId({ finish }: StreamState, { observe, redactor }: EffectContext): void {
  const id = finish?.response.id ?? '';
  if (observe === undefined || id === '') return;
  // cut after redaction, or half of a secret could remain
  observe({ responseId: redactor.text(id).slice(0, MAX_ID_CHARS).toWellFormed() });
}

/** Reports once how long the first text took, if somebody traces. */
function firstChunkOf({ observe, clock = MACHINE_CLOCK }: EffectContext): () => void {
  if (observe === undefined) return () => undefined;
  const startedMs = clock.now();
  let isSaid = false;
  return () => {
    if (!isSaid) observe({ timeToFirstChunkMs: clock.now() - startedMs });
    isSaid = true;
  };
}

/** A listener that throws must not fail the call. */
function reportProgress({ progress }: EffectContext, event: ModelProgress): void {
  try {
    progress?.({ ...event });
  } catch {
    // listeners report their own failures
  }
}

interface CallContext {
  readonly call: ModelCall;
  readonly modelRef: ModelRef;
  readonly context: EffectContext;
}

function resultFrom(
  state: StreamState,
  { stop }: CallTimeouts,
  callContext: CallContext,
): EffectResult {
  const { finish, error, unusable } = state;
  if (unusable !== undefined)
    return failed({ failure: notKept(unusable, callContext.modelRef) }, state, callContext);
  // an error that was received came before any stop
  if (error !== undefined)
    return failed(thrownFailure(error.thrown, state, callContext), state, callContext);
  if (finish === undefined && stop !== undefined && stop.by !== 'failure') {
    return failed(stopped(stop, state, callContext), state, callContext);
  }
  const last = callContext.call.messages.at(-1);
  const bad = endFailure(finish, state, {
    ...callContext,
    ...(last === undefined ? {} : { last }),
  });
  return bad === undefined ? answered(state, callContext) : failed(bad, state, callContext);
}

function answered(state: StreamState, callContext: CallContext): EffectResult {
  const { call, modelRef, context } = callContext;
  const { text, toolCalls, reasoning, finish, turnToSend: turn } = state;
  const by = finish?.response.modelId;
  const answer: ModelReply = {
    text,
    toolCalls: toolCalls.map((each) => withoutExcess(each, context)),
    ...(reasoning === '' ? {} : { reasoning }),
    ...(turn?.type === 'kept' ? { turn: turn.turn } : {}),
    ...(by === undefined || by === '' || by === modelRef.model
      ? {}
      : { answeredBy: `${modelRef.provider}/${by}` }),
  };
  const output = toOutput(answer, context.redactor);
  if (!output.ok) return failed({ failure: notKept(output, modelRef) }, state, callContext);
  return {
    ok: true,
    output: output.value,
    ...usedByReply(finish?.usage, state.counted, estimateUsage(call, writtenIn(state))),
    ...suppressedOf(state, modelRef, turn),
  };
}

/** A longer text does not help the model to correct its call. */
const MAX_UNPARSABLE_CHARS = 2_000;

function withoutExcess(toolCall: ToolCall, { redactor }: EffectContext): ToolCall {
  const { unparsable } = toolCall;
  if (unparsable === undefined) return toolCall;
  // cut after redaction, or half of a secret could remain
  const kept = redactor.values(unparsable).slice(0, MAX_UNPARSABLE_CHARS).toWellFormed();
  return { ...toolCall, unparsable: kept };
}

function failed(
  callFailure: CallFailure,
  state: StreamState,
  callContext: CallContext,
): EffectFailure {
  const { failure, thrown } = callFailure;
  const { call, modelRef, context } = callContext;
  // cut after redaction, or half of a secret could remain
  const whole = redactBrokenOff(state.text, context.redactor);
  const text = whole.slice(0, MAX_RESULT_CHARS).toWellFormed();
  const partial: PartialReply = { text };
  return {
    ok: false,
    failure,
    ...(state.text === '' ? {} : { output: { ...partial } }),
    ...usedByFailure(callFailure, state, call),
    ...suppressedOf(state, modelRef),
    ...(thrown === undefined ? {} : { thrown }),
  };
}

function notStarted(
  thrown: unknown,
  callContext: { readonly modelRef: ModelRef; readonly context: EffectContext },
): EffectFailure {
  const nothing = { isBegun: false, isDelivered: false, wire: newWireRecord() };
  const { failure } = thrownFailure(thrown, nothing, callContext);
  return { ok: false, failure: { ...failure, outcome: 'not_started' }, thrown, ...NOTHING_USED };
}

/** Warnings of the model about parts of the request that it left out. */
function suppressedOf(
  { warnings }: StreamState,
  modelRef: ModelRef,
  turn?: Turn,
): { readonly suppressed?: readonly Suppressed[] } {
  const unsupported = (message: string, reason: string): Suppressed => ({
    failure: { kind: 'provider.unsupported', message, provider: factsOf(modelRef) },
    reason,
  });
  const suppressed = warnings.map((warning) =>
    unsupported(
      `${modelRef.model} was called without a requested feature: ${warningText(warning)}`,
      'the call was made without it',
    ),
  );
  if (turn?.type === 'too_long')
    suppressed.push(
      unsupported(
        `The reasoning of ${modelRef.model} is too long to be stored: ${turn.chars} characters`,
        'the conversation continues without it',
      ),
    );
  return suppressed.length === 0 ? {} : { suppressed };
}

function warningText({ feature, setting, details, message }: ModelWarning): string {
  const what = feature ?? setting;
  const why = details ?? message;
  // of any type: the model is an application's own
  const texts: readonly unknown[] = [what, why];
  return texts.filter((text) => typeof text === 'string' && text !== '').join(': ') || 'no details';
}

/** Arguments of a tool may be nested too deeply to be stored. */
function notKept(
  { pointer, problem }: { readonly pointer: string; readonly problem: string },
  modelRef: ModelRef,
): ReportDraft {
  return {
    kind: 'agent.output_invalid',
    message: `The reply of ${modelRef.model} cannot be stored: ${pointer} ${problem}`,
    details: { pointer },
    provider: factsOf(modelRef),
  };
}
