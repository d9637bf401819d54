/**
 * What an attempt that failed is called. What the provider or the SDK says goes through extract and
 * classify, as everywhere; only the words for our own limits are from here.
 *
 * | what happened                      | kind                          | outcome            |
 * |------------------------------------|-------------------------------|--------------------|
 * | no key, no package, no address     | `provider.not_configured`     | not_started        |
 * | the SDK or the provider refused    | as classified                 | as classified      |
 * | it stopped for length, or says that it is not whole | `provider.truncated` | failed       |
 * | calls without a call, two with one id | `provider.unknown`         | failed             |
 * | a word that is not known to be good | `provider.unknown`           | failed             |
 * | a bad word, and then a good one    | as for the bad one            | as for the bad one |
 * | pieces that are not in the whole   | `provider.stream_interrupted` | partial            |
 * | filtered or refused                | `provider.content_filter`     | failed             |
 * | no end marker, or cut              | `provider.stream_interrupted` | partial            |
 * | the same before any content        | `provider.network`            | unknown            |
 * | nothing within a limit             | `provider.timeout`            | unknown, or partial after content |
 * | the node's time is over            | `limit.node_timeout`          | partial            |
 * | our signal                         | `cancelled.*`                 | partial            |
 */
import { readProperty } from '../../errors/json.ts';
import { durationWords } from '../../errors/render/words.ts';
import type { ErrorReport, ReportDraft } from '../../errors/report.ts';
import { providerNamed } from '../../providers/names.ts';
import {
  reportFrom,
  reportFromFailure,
  type ReportFromOptions,
} from '../../providers/report-from.ts';
import type { ModelMessage } from '../../machine/model-call.ts';
import { MACHINE_CLOCK } from '../clock.ts';
import { toDraft, type EffectContext } from '../effect.ts';
import { isGoodWord } from './good-endings.ts';
import type { Heard } from './listen.ts';
import type { SdkFinish } from './sdk.ts';
import type { Stop } from './watch.ts';
import { isContradicted, type Wire } from './wire.ts';

export interface Asked {
  readonly provider: string;
  /** Without the provider. */
  readonly model: string;
}

export interface Failed {
  readonly failure: ReportDraft;
  readonly thrown?: unknown;
}

export function whatWasThrown(
  thrown: unknown,
  heard: Pick<Heard, 'isDelivered' | 'finish'>,
  { asked, context }: { readonly asked: Asked; readonly context: EffectContext },
): Failed {
  const options = optionsFor(asked, context);
  const report = reportFrom(isCutByOurSdk(thrown, heard) ? INTERRUPTED : thrown, {
    ...options,
    delivered: heard.isDelivered,
    fallback: 'provider.unknown',
  });
  if (isCutUnheard(report, heard)) return { failure: cutUnheard(asked, context), thrown };
  const draft = toDraft(report);
  // nothing recognised it, so nobody knows whether another try helps
  const isUnrecognised = report.kind === 'provider.unknown' && report.rule === undefined;
  return { failure: isUnrecognised ? { ...draft, retryable: null } : draft, thrown };
}

/** Undefined for an answer that came to a good end. */
export function badEnding(
  finish: SdkFinish | undefined,
  heard: Heard,
  { asked, context, last }: { asked: Asked; context: EffectContext; last?: ModelMessage },
): Failed | undefined {
  const link = finish === undefined ? INTERRUPTED : endingOf(finish, heard, asked);
  if (link === undefined) {
    return isEmpty(heard, last) ? { failure: emptyAnswer(asked, context) } : undefined;
  }
  const report = reportFrom(link, {
    ...optionsFor(asked, context),
    delivered: heard.isDelivered,
    fallback: 'provider.unknown',
  });
  if (isCutUnheard(report, heard)) return { failure: cutUnheard(asked, context) };
  return { failure: toDraft(report) };
}

/** Of a stream that broke before its first content nobody has seen anything: it may be begun anew. */
function isCutUnheard({ kind }: ErrorReport, { isDelivered }: Pick<Heard, 'isDelivered'>): boolean {
  return kind === 'provider.stream_interrupted' && !isDelivered;
}

function cutUnheard(asked: Asked, context: EffectContext): ReportDraft {
  const report = reportFromFailure(
    {
      ...asked,
      operation: 'generate',
      headers: {},
      transport: { name: 'Error', message: 'The stream broke before its first content' },
      phase: 'sent',
      delivered: false,
      source: 'errand',
      verdict: 'connection_closed',
    },
    optionsFor(asked, context),
  );
  const who = providerNamed(asked.provider).display;
  return { ...toDraft(report), message: `${who} broke off before it had said anything.` };
}

export function stopped(
  stop: Exclude<Stop, { by: 'failure' }>,
  heard: Pick<Heard, 'isBegun' | 'isDelivered'>,
  { asked, context }: { readonly asked: Asked; readonly context: EffectContext },
): Failed {
  const who = providerNamed(asked.provider).display;
  if (stop.by === 'caller') {
    const kind = context.cancelled ?? 'cancelled.call';
    const message = `The call of ${asked.model} at ${who} was cancelled while it ran`;
    return { failure: { kind, message, outcome: 'partial', provider: factsOf(asked) } };
  }
  if (stop.by === 'node') {
    const message = `${asked.model} at ${who} did not answer within the ${durationWords(stop.limitMs)} that the node had left`;
    return {
      failure: {
        kind: 'limit.node_timeout',
        message,
        outcome: 'partial',
        provider: factsOf(asked),
        details: { limitMs: stop.limitMs },
      },
    };
  }
  const report = reportFromFailure(
    {
      ...asked,
      operation: 'generate',
      headers: {},
      phase: heard.isBegun ? 'streaming' : 'sent',
      delivered: heard.isDelivered,
      source: 'errand',
      verdict: 'timed_out',
    },
    optionsFor(asked, context),
  );
  const { limit, limitMs } = stop;
  const message = `${who} ${TOO_LATE[limit]} within ${durationWords(limitMs)}.`;
  return {
    failure: { ...toDraft(report), message, details: { ...report.details, limit, limitMs } },
  };
}

const TOO_LATE = {
  firstTokenMs: 'did not begin to answer',
  idleMs: 'sent nothing more of its answer',
  totalMs: 'did not finish its answer',
} as const;

export function factsOf({ provider, model }: Asked): { name: string; model: string } {
  return { name: providerNamed(provider).name, model };
}

/** The same report on a replay with the same clock. */
function optionsFor(asked: Asked, context: EffectContext): ReportFromOptions {
  const nowMs = (context.clock ?? MACHINE_CLOCK).now();
  return {
    ...asked,
    operation: 'generate',
    redactor: context.redactor,
    stamp: {
      id: `${context.idempotencyKey}.${context.attempt}`,
      at: new Date(nowMs).toISOString(),
    },
  };
}

/** As the extractor of the SDK knows the end of a stream that has none. */
const INTERRUPTED = { type: 'finish', finishReason: 'interrupted' };

/** As it knows an answer whose calls nobody can make. */
const MALFORMED = { type: 'finish', finishReason: 'error', rawFinishReason: 'malformed_tool_use' };

const GOOD_ENDINGS: ReadonlySet<string> = new Set(['stop', 'tool-calls']);

/** The SDK has no word of its own for what it does not know, which a provider may know well. */
const UNKNOWN_ENDINGS: ReadonlySet<string> = new Set(['other', 'unknown']);

/** What the extractor of the SDK reads; undefined for a good end. */
function endingOf(
  { finishReason, rawFinishReason }: SdkFinish,
  heard: Heard,
  { provider }: Asked,
): object | undefined {
  const word = [rawFinishReason, heard.wire.word].find((said) => said !== undefined && said !== '');
  const isGood = GOOD_ENDINGS.has(finishReason);
  // without a word of the provider's own the SDK only found no end
  if (word === undefined && !isGood && !['length', 'content-filter'].includes(finishReason))
    return INTERRUPTED;
  // the SDK overrules a good word where it saw a refusal
  const isBelieved = isGood || UNKNOWN_ENDINGS.has(finishReason);
  // a model that a program made may have no words but those of the SDK
  const isSdkWord = isGood && word === finishReason;
  const isGoodWordOf = word === undefined || isSdkWord || isGoodWord(provider, word);
  if (!isBelieved)
    return { type: 'finish', finishReason, ...(isGoodWordOf ? {} : { rawFinishReason: word }) };
  if (!isGoodWordOf) return { type: 'finish', finishReason: 'other', rawFinishReason: word };
  return (
    badSignOf(heard.wire, provider) ?? (hasUsableCalls(finishReason, heard) ? undefined : MALFORMED)
  );
}

/** What was said before a good word, or beside it, and takes it back. */
function badSignOf(wire: Wire, provider: string): object | undefined {
  if (wire.error !== undefined) return { type: 'error', error: wire.error };
  const bad = [...wire.words].find((word) => !isGoodWord(provider, word));
  if (bad !== undefined) return { type: 'finish', finishReason: 'other', rawFinishReason: bad };
  return isContradicted(wire) ? INTERRUPTED : undefined;
}

/** A call that was announced has to be there, and a result can go back to one call only. */
function hasUsableCalls(finishReason: string, { calls, toolCalls }: Heard): boolean {
  if (finishReason === 'tool-calls' && calls === 0) return false;
  return new Set(toolCalls.map(({ id }) => id)).size === toolCalls.length;
}

/** Errors of the SDK's own for a stream without an end, or with nothing in it at all. */
function isCutByOurSdk(thrown: unknown, { finish }: Pick<Heard, 'finish'>): boolean {
  const name = readProperty(thrown, 'name');
  if (name === 'AI_NoOutputGeneratedError') return finish === undefined;
  return name === 'AI_InvalidResponseDataError' && readProperty(thrown, 'data') === undefined;
}

/** After a tool's result a model may have nothing to add; as a first word it is no answer. */
function isEmpty({ text, toolCalls }: Heard, last: ModelMessage | undefined): boolean {
  return text.trim() === '' && toolCalls.length === 0 && last?.role !== 'tool';
}

function emptyAnswer(asked: Asked, context: EffectContext): ReportDraft {
  const report = reportFromFailure(
    {
      ...asked,
      operation: 'generate',
      status: 200,
      headers: {},
      body: '',
      phase: 'headers',
      delivered: false,
      source: 'errand',
    },
    optionsFor(asked, context),
  );
  const who = providerNamed(asked.provider).display;
  return { ...toDraft(report), message: `${who} sent an answer with nothing in it.` };
}
