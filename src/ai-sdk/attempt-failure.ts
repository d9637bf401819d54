/**
 * Classifies the failure of one attempt, once. Errors of providers and SDKs go through extract and
 * classify, as everywhere; the same extractor reads a bad ending that the SDK accepts.
 */
import { buildReport } from '../errors/report/build.ts';
import { isInstance, isPlainObject, readProperty } from '../errors/support/safe-json.ts';
import type { ErrorReport, ReportDraft, Stamp } from '../errors/report/report.ts';
import { durationWords } from '../errors/render/report-words.ts';
import { aiSdkEnding } from '../providers/extract/ai-sdk-ending.ts';
import { isGoodFinishReason } from '../providers/finish-reasons.ts';
import { providerNamed } from '../providers/known-providers.ts';
import {
  brokenBeforeContent,
  notInTime,
  unlessGivenUp,
  type ModelRef,
} from '../providers/own-findings.ts';
import { draftFromProvider } from '../providers/report-from.ts';
import { badSignIn, errorSignIn, INTERRUPTED } from '../providers/wire/bad-sign.ts';
import { settledBy } from '../providers/wire/settle-failure.ts';
import { wireOfWhole } from '../providers/wire/whole-wire.ts';
import { newWireRecord, noteWire, type WireRecord } from '../providers/wire/wire-events.ts';

/** An ending that is a failure, found in an answer that arrived. */
export class BadEnding extends Error {
  override readonly name = 'BadEnding';
  readonly link: object;

  /** `link`: the ending in the form that the SDK's extractor reads. */
  constructor(link: object) {
    super('The answer did not end well');
    this.link = link;
  }
}

export interface FinishReason {
  readonly unified: string;
  readonly raw?: string | undefined;
}

/** Facts that decide about an ending, besides its words. */
export interface Ending {
  readonly provider: string;
  readonly isStream: boolean;
  /** A cut by length is a failure. */
  readonly isTruncationNamed: boolean;
  /** The answer has a call of a tool. */
  readonly hasCalls: boolean;
}

/** The SDK's words for endings; a model with another one may be of any version. */
const ENDINGS: ReadonlySet<string> = new Set([
  'stop',
  'length',
  'content-filter',
  'tool-calls',
  'other',
]);

/** Undefined for an ending that passes: one that the SDK, or the provider's own word, calls good. */
export function badEndingOf(
  { unified, raw }: FinishReason,
  { provider, isStream, isTruncationNamed, hasCalls }: Ending,
): BadEnding | undefined {
  if (unified === 'length' && !isTruncationNamed) return undefined;
  const isCut = unified === 'error' || unified === 'interrupted' || raw === 'interrupted';
  if (isCut || hasNoWord({ unified, raw })) return new BadEnding(INTERRUPTED);
  if (unified === 'tool-calls' && !hasCalls) return new BadEnding(UNREADABLE);
  // the SDK does not know the word, which the host may have taken from another provider
  if (unified === 'other' && raw !== undefined && isGoodFinishReason(provider, raw))
    return undefined;
  const link = {
    ...(isStream ? { type: 'finish' } : {}),
    finishReason: ENDINGS.has(unified) ? unified : 'other',
    ...(raw === undefined ? {} : { rawFinishReason: raw }),
  };
  return aiSdkEnding(link) === undefined ? undefined : new BadEnding(link);
}

/** Nothing says that the answer is whole. */
function hasNoWord({ unified, raw }: FinishReason): boolean {
  return (unified === 'other' || !ENDINGS.has(unified)) && (raw === undefined || raw === '');
}

/** An answer that cannot be used: an announced call that is missing, or embeddings that are not vectors. */
export const UNREADABLE = { finishReason: 'error', rawFinishReason: 'malformed_response' };

/** Notes a call that the caller would make. Two calls with one id are the same call, sent twice. */
export function noteCall(
  callIds: Set<string>,
  { toolCallId, providerExecuted }: { toolCallId: string; providerExecuted?: boolean | undefined },
): void {
  if (providerExecuted === true) return;
  if (callIds.has(toolCallId)) throw new BadEnding(UNREADABLE);
  callIds.add(toolCallId);
}

/** A failure in the body of a success, which the SDK mistakes for an answer. */
export function badBodyOf(
  body: unknown,
  finish: FinishReason,
  provider: string,
): BadEnding | undefined {
  return (
    errorInside(body) ?? unfinishedStatus(body, finish) ?? contradiction(body, finish, provider)
  );
}

/** A sign in the body that the answer is bad, read as in the events of a stream. */
function contradiction(
  body: unknown,
  finish: FinishReason,
  provider: string,
): BadEnding | undefined {
  const wire = wireOfWhole(body);
  // a truncated answer passes as such, with the word that says so
  const sign = finish.unified === 'length' ? errorSignIn(wire) : badSignIn(wire, provider);
  // where the end itself is missing, that is the failure
  if (sign === undefined || (sign === INTERRUPTED && hasNoWord(finish))) return undefined;
  return new BadEnding(sign === INTERRUPTED ? UNREADABLE : sign);
}

function errorInside(body: unknown): BadEnding | undefined {
  const choices = readProperty(body, 'choices');
  const inner: readonly unknown[] = Array.isArray(choices) ? choices : [];
  const holders = [body, ...inner.slice(0, MAX_CHOICES)];
  return holders.some((holder) => isPlainObject(readProperty(holder, 'error')))
    ? new BadEnding({ status: 200, headers: {}, body })
    : undefined;
}

const MAX_CHOICES = 16;

/**
 * The status of a whole answer of OpenAI's Responses, where the SDK mistakes its end for another.
 */
function unfinishedStatus(body: unknown, { raw }: FinishReason): BadEnding | undefined {
  const status = readProperty(body, 'status');
  const isResponse = readProperty(body, 'object') === 'response' && typeof status === 'string';
  // a reason for the end is what the SDK reads
  if (!isResponse || status === 'completed' || raw !== undefined) return undefined;
  return new BadEnding({ finishReason: 'error', rawFinishReason: status });
}

export interface Seen {
  readonly stamp: Stamp;
  /** Something came from the model. */
  readonly isBegun: boolean;
  /** Content has reached the caller. */
  readonly isDelivered: boolean;
  /** Facts from the raw events, where they are read. */
  readonly wire?: WireRecord;
}

export function failureOf(
  thrown: unknown,
  ref: ModelRef,
  { stamp, isBegun, isDelivered, wire = wireIn(thrown) }: Seen,
): ErrorReport {
  const link = isInstance(thrown, BadEnding) ? thrown.link : thrown;
  const read = (each: unknown): ReportDraft =>
    draftFromProvider(each, {
      ...ref,
      operation: 'generate',
      fallback: 'provider.unknown',
      delivered: isDelivered,
      stamp,
    });
  const first = unlessGivenUp(read(link), ref, { stamp, isBegun, isDelivered });
  // a model has no output of its own to judge: its SDK could not read what the provider sent
  const draft = settledBy(wire, first, read);
  // nobody has seen any of it, so another model may answer
  const isUnseen = draft.kind === 'provider.stream_interrupted' && !isDelivered;
  const report = buildReport(isUnseen ? brokenBeforeContent(ref, stamp) : draft, { stamp });
  return isDelivered ? afterContent(report, stamp) : report;
}

/** The event that the SDK could not read; its error has it. */
function wireIn(thrown: unknown): WireRecord {
  const wire = newWireRecord();
  noteWire(wire, readProperty(thrown, 'value'));
  return wire;
}

/**
 * Part of the answer reached the caller, so a failure that a retry would have fixed is now
 * ambiguous.
 */
function afterContent(report: ErrorReport, stamp: Stamp): ErrorReport {
  const isPassing = report.category === 'transient';
  const change = isPassing ? ({ category: 'ambiguous', retryable: false } as const) : {};
  return buildReport({ ...report, ...change, outcome: 'partial' }, { stamp });
}

export function timedOut(ref: ModelRef, limitMs: number, seen: Seen): ErrorReport {
  const draft = notInTime(ref, seen.stamp, seen);
  const who = providerNamed(ref.provider).display;
  const what = seen.isBegun ? 'sent nothing more of its reply' : 'did not reply';
  const message = `${who} ${what} within ${durationWords(limitMs)}.`;
  return buildReport({ ...draft, message }, { stamp: seen.stamp });
}

/** The deadline of the call passed, or the next wait would end after it. */
export function overdue(
  deadlineMs: number,
  {
    cause,
    isUnderWay,
    isDelivered,
  }: { cause?: ErrorReport | undefined; isUnderWay: boolean; isDelivered: boolean },
): ReportDraft {
  const within = `its deadline of ${durationWords(deadlineMs)}`;
  const cut = isDelivered ? 'partial' : 'unknown';
  return {
    kind: 'limit.node_timeout',
    title: 'Deadline passed',
    message: isUnderWay
      ? `The call did not end within ${within}`
      : `The next attempt would come after ${within}`,
    // an answer that was given up may have been made
    outcome: isUnderWay ? cut : (cause?.outcome ?? 'failed'),
    details: { deadlineMs },
    action: {
      kind: 'raise_limit',
      detail: 'Raise `deadlineMs`, or call again when the cause has passed.',
    },
    ...(cause === undefined ? {} : { cause }),
  };
}
