/**
 * The failure of one call. Errors of the provider or the SDK go through extract and classify, as
 * everywhere; only failures of our own limits are made here.
 *
 * | event                              | kind                          | outcome            |
 * |------------------------------------|-------------------------------|--------------------|
 * | no key, no package, no address     | `provider.not_configured`     | not_started        |
 * | the SDK or the provider refused    | as classified                 | as classified      |
 * | a whole document, no stream        | `provider.unsupported`        | failed             |
 * | it stopped for length, or reports an incomplete reply | `provider.truncated` | failed       |
 * | longer than our limit              | `provider.truncated`          | partial            |
 * | a tool finish without calls, two calls with one id, or arguments that are not text | `provider.unknown` | failed |
 * | an unknown finish reason           | `provider.unknown`           | failed             |
 * | a bad finish reason, then a good one | as for the bad one          | as for the bad one |
 * | pieces that are not in the whole, or of two replies | `provider.stream_interrupted` | partial |
 * | an error inside the reply          | as classified                 | as classified      |
 * | another event that cannot be read  | `provider.stream_interrupted` | partial            |
 * | filtered or refused                | `provider.content_filter`     | failed             |
 * | no end marker, or cut              | `provider.stream_interrupted` | partial            |
 * | the same before any content        | `provider.network`            | unknown            |
 * | nothing within a limit             | `provider.timeout`            | unknown, or partial after content |
 * | its client gave it up, unasked     | `provider.timeout`            | the same           |
 * | the node's time is over            | `limit.node_timeout`          | partial            |
 * | our signal                         | `cancelled.*`                 | partial            |
 */
import { isInstance, isPlainObject, readProperty } from '../../errors/support/safe-json.ts';
import { outcomeOf } from '../../errors/report/build.ts';
import { carriedReport } from '../../errors/thrown/cause-reports.ts';
import { durationWords } from '../../errors/render/report-words.ts';
import type { ReportDraft, Stamp } from '../../errors/report/report.ts';
import { providerNamed } from '../../providers/known-providers.ts';
import {
  brokenBeforeContent,
  notInTime,
  unlessGivenUp,
  type ModelRef,
} from '../../providers/own-findings.ts';
import { draftFromFailure, draftFromProvider } from '../../providers/report-from.ts';
import type { ModelMessage } from '../../machine/conversation/model-message.ts';
import { MACHINE_CLOCK } from '../clock.ts';
import type { EffectContext } from '../effect-port.ts';
import { failureFrom, OwnFailure } from '../thrown-failure.ts';
import { failureWithoutEvents } from './stream/response-without-events.ts';
import { isGoodFinishReason } from '../../providers/finish-reasons.ts';
import type { StreamState } from './stream/stream-state.ts';
import type { Finish } from './stream/finish.ts';
import { hasTwinsAmong } from '../../providers/wire/distinct-calls.ts';
import type { CallStop } from './call-timeouts.ts';
import { badSignIn, INTERRUPTED } from '../../providers/wire/bad-sign.ts';
import { MALFORMED, settledBy } from '../../providers/wire/settle-failure.ts';

export interface CallFailure {
  readonly failure: ReportDraft;
  readonly thrown?: unknown;
}

export function thrownFailure(
  thrown: unknown,
  state: Pick<StreamState, 'isBegun' | 'isDelivered' | 'wire'>,
  { modelRef, context }: { readonly modelRef: ModelRef; readonly context: EffectContext },
): CallFailure {
  const reply = failureWithoutEvents(thrown) ?? thrown;
  const options = { ...optionsFor(modelRef, context), delivered: state.isDelivered };
  const seen = { isBegun: state.isBegun, isDelivered: state.isDelivered };
  const draft: typeof draftFromProvider = (link, how) =>
    unlessGivenUp(draftFromProvider(link, how), modelRef, { stamp: stampFor(context), ...seen });
  const read = (link: unknown): ReportDraft => failureFrom(link, options, draft);
  const failure = settledBy(state.wire, read(reply), read);
  if (isCutBeforeContent(failure, state))
    return { failure: brokenBeforeContent(modelRef, stampFor(context)), thrown };
  // a registered model was called, whatever it says about its own request
  const isModels = carriedReport(reply) !== undefined && !isOwn(reply);
  const isBegun = isModels && outcomeOf(failure) === 'not_started';
  if (isBegun) return { failure: { ...failure, outcome: 'failed' }, thrown };
  const isHalf = state.isDelivered && failure.kind === 'provider.unknown';
  const isLeft = isHalf && outcomeOf(failure) === 'failed';
  return { failure: isLeft ? { ...failure, outcome: 'partial' } : failure, thrown };
}

/** The SDK may wrap what our `fetch` threw. */
function isOwn(thrown: unknown): boolean {
  return [thrown, readProperty(thrown, 'cause')].some((each) => isInstance(each, OwnFailure));
}

/** Undefined for a reply that ended well. */
export function endFailure(
  finish: Finish | undefined,
  state: StreamState,
  { modelRef, context, last }: { modelRef: ModelRef; context: EffectContext; last?: ModelMessage },
): CallFailure | undefined {
  const link = finish === undefined ? INTERRUPTED : badEndIn(finish, state, modelRef);
  if (link === undefined) {
    return isEmpty(state, last) ? { failure: emptyReply(modelRef, context) } : undefined;
  }
  const options = { ...optionsFor(modelRef, context), delivered: state.isDelivered };
  const read = (each: unknown): ReportDraft => failureFrom(each, options, draftFromProvider);
  const failure = settledBy(state.wire, read(link), read);
  if (isCutBeforeContent(failure, state))
    return { failure: brokenBeforeContent(modelRef, stampFor(context)) };
  return { failure };
}

/** Undefined where every end of the reply is good. */
function badEndIn(
  finish: Finish,
  state: StreamState,
  modelRef: ModelRef,
): ReturnType<typeof extractorInput> {
  for (const each of [...state.ending.earlier, finish]) {
    const link = extractorInput(each, state, modelRef);
    if (link !== undefined) return link;
  }
  return undefined;
}

/** A stream that broke before its first content has shown nothing, so it may be repeated. */
function isCutBeforeContent(
  { kind }: ReportDraft,
  { isDelivered }: Pick<StreamState, 'isDelivered'>,
): boolean {
  return kind === 'provider.stream_interrupted' && !isDelivered;
}

export function stopped(
  stop: Exclude<CallStop, { by: 'failure' }>,
  state: Pick<StreamState, 'isBegun' | 'isDelivered'>,
  { modelRef, context }: { readonly modelRef: ModelRef; readonly context: EffectContext },
): CallFailure {
  const who = providerNamed(modelRef.provider).display;
  if (stop.by === 'caller') {
    const kind = context.cancelled ?? 'cancelled.call';
    const message = `The call of ${modelRef.model} at ${who} was cancelled while it ran`;
    return { failure: { kind, message, outcome: 'partial', provider: factsOf(modelRef) } };
  }
  if (stop.by === 'node') {
    const message = `${modelRef.model} at ${who} did not reply within the ${durationWords(stop.limitMs)} that the node had left`;
    return {
      failure: {
        kind: 'limit.node_timeout',
        message,
        outcome: 'partial',
        provider: factsOf(modelRef),
        details: { limitMs: stop.limitMs },
      },
    };
  }
  const draft = notInTime(modelRef, stampFor(context), state);
  const { limit, limitMs } = stop;
  const message = `${who} ${TOO_LATE[limit]} within ${durationWords(limitMs)}.`;
  return {
    failure: { ...draft, message, details: { ...detailsOf(draft), limit, limitMs } },
  };
}

function detailsOf({ details }: ReportDraft): object {
  return isPlainObject(details) ? details : {};
}

const TOO_LATE = {
  firstTokenMs: 'did not begin its reply',
  idleMs: 'sent nothing more of its reply',
  totalMs: 'did not finish its reply',
} as const;

export function factsOf({ provider, model }: ModelRef): { name: string; model: string } {
  return { name: providerNamed(provider).name, model };
}

function optionsFor(modelRef: ModelRef, context: EffectContext) {
  return {
    ...modelRef,
    operation: 'generate',
    fallback: 'provider.unknown',
    redactor: context.redactor,
    stamp: stampFor(context),
  } as const;
}

/** The same on a replay with the same clock. */
function stampFor({ idempotencyKey, attempt, clock = MACHINE_CLOCK }: EffectContext): Stamp {
  return { id: `${idempotencyKey}.${attempt}`, at: new Date(clock.now()).toISOString() };
}

const GOOD_FINISHES: ReadonlySet<string> = new Set(['stop', 'tool-calls']);

/**
 * The SDK's names for a finish reason that it does not know; the provider's own reason may be good.
 */
const UNKNOWN_FINISHES: ReadonlySet<string> = new Set(['other', 'unknown']);

/** Makes the input of the SDK's extractor; undefined for a good end. */
function extractorInput(
  { finishReason, rawFinishReason }: Pick<Finish, 'finishReason' | 'rawFinishReason'>,
  state: StreamState,
  { provider }: ModelRef,
): object | undefined {
  const reason = [rawFinishReason, state.wire.finishReason].find(
    (each) => each !== undefined && each !== '',
  );
  const isGood = GOOD_FINISHES.has(finishReason);
  // without a provider's reason, the SDK only found no end
  if (reason === undefined && !isGood && !['length', 'content-filter'].includes(finishReason))
    return INTERRUPTED;
  // the SDK overrides a good reason when it saw a refusal
  const isBelieved = isGood || UNKNOWN_FINISHES.has(finishReason);
  // a model registered in code may have only the reasons of the SDK
  const isSdkReason = isGood && reason === finishReason;
  const isGoodReason = reason === undefined || isSdkReason || isGoodFinishReason(provider, reason);
  if (!isBelieved)
    return { type: 'finish', finishReason, ...(isGoodReason ? {} : { rawFinishReason: reason }) };
  if (!isGoodReason) return { type: 'finish', finishReason: 'other', rawFinishReason: reason };
  const sign = badSignIn(state.wire, provider);
  if (sign !== undefined) return sign;
  // counted: the id of a call and that of its arguments need not be the same
  if (state.begunCalls.size > state.toolCalls.length) return INTERRUPTED;
  return hasUsableCalls(finishReason, state) ? undefined : MALFORMED;
}

/** An announced call must be present, and each id must belong to one call. */
function hasUsableCalls(finishReason: string, { calls, toolCalls, wire }: StreamState): boolean {
  if (finishReason === 'tool-calls' && calls === 0) return false;
  const ids = toolCalls.map(({ id }) => id);
  return !hasTwinsAmong(wire.seenCalls, ids) && new Set(ids).size === ids.length;
}

/** After a tool's result a model may add nothing; an empty first reply is a failure. */
function isEmpty({ text, toolCalls }: StreamState, last: ModelMessage | undefined): boolean {
  return text.trim() === '' && toolCalls.length === 0 && last?.role !== 'tool';
}

function emptyReply(modelRef: ModelRef, context: EffectContext): ReportDraft {
  const draft = draftFromFailure(
    {
      ...modelRef,
      operation: 'generate',
      status: 200,
      headers: {},
      body: '',
      phase: 'headers',
      delivered: false,
      source: 'errand',
    },
    { stamp: stampFor(context) },
  );
  const who = providerNamed(modelRef.provider).display;
  return { ...draft, message: `${who} sent an empty reply.` };
}
