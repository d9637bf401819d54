/**
 * The error boundary: a report on its way through Temporal and back. What goes out is tagged and
 * versioned, so that it is known for ours whatever else it looks like; what comes in is read
 * tolerantly, so that a newer or an older version keeps every field that both know. A failure that
 * carries no report becomes one of the truest kind, with what Temporal said in its details. Knows
 * Temporal's failures by their documented names and fields and imports nothing of it.
 */
import { buildReport } from '../../errors/build.ts';
import { causeChain } from '../../errors/cause-chain.ts';
import { isArray, isPlainObject, readProperty, type JsonObject } from '../../errors/json.ts';
import { readReport } from '../../errors/read.ts';
import type { ErrorReport, ReportDraft, Stamp } from '../../errors/report.ts';
import { ambientStamp } from '../../errors/stamp.ts';
import { describe } from '../../errors/to-report.ts';
import type { EffectRef } from '../../machine/events.ts';
import { DOUBT } from '../../machine/doubt.ts';

const TAG = 'errand.report';
const VERSION = 1;

/** What an `ApplicationFailure` of Temporal is made of. */
export interface FailureParts {
  readonly message: string;
  readonly type: string;
  readonly nonRetryable: boolean;
  readonly nextRetryDelay?: number;
  readonly details: unknown[];
}

/** The parcel in a failure's details. */
interface Parcel {
  readonly tag: typeof TAG;
  readonly v: number;
  readonly report: ErrorReport;
  /** The fields that were said of the failure itself; the rest follows from them. */
  readonly given?: readonly string[];
  /** What belongs to it besides. */
  readonly rest?: JsonObject;
}

/** A whole report; `given` names the fields of a draft that the report was made from. */
export function toFailure(
  report: ErrorReport,
  { given, rest }: Pick<Parcel, 'given' | 'rest'> = {},
): FailureParts {
  const parcel: Parcel = {
    tag: TAG,
    v: VERSION,
    report,
    ...(given === undefined ? {} : { given }),
    ...(rest === undefined ? {} : { rest }),
  };
  const hintMs = report.provider?.retryAfterMs;
  return {
    message: report.message,
    type: report.kind,
    // what nobody knows to be worth a retry is not
    nonRetryable: report.retryable !== true,
    ...(hintMs === undefined || report.retryable !== true ? {} : { nextRetryDelay: hintMs }),
    details: [parcel],
  };
}

export interface Arrived {
  readonly report: ErrorReport;
  /** The failure as whoever reported it said it. */
  readonly draft: ReportDraft;
  readonly rest: JsonObject;
}

/** The innermost report that the failure carries; undefined when there is none. */
export function arrivedReport(
  failure: unknown,
  stamp: Stamp = ambientStamp(),
): Arrived | undefined {
  let found: Arrived | undefined;
  for (const link of causeChain(failure)) found = parcelIn(link, stamp) ?? found;
  return found;
}

/** Total: whatever Temporal gives, there is a report. */
export function reportOfFailure(failure: unknown, stamp: Stamp = ambientStamp()): ErrorReport {
  return arrivedReport(failure, stamp)?.report ?? buildReport(foreignDraft(failure), { stamp });
}

function parcelIn(link: unknown, stamp: Stamp): Arrived | undefined {
  const details = readProperty(link, 'details');
  const parcel = isArray(details) ? readProperty(details, 0) : undefined;
  if (readProperty(parcel, 'tag') !== TAG) return undefined;
  const { report, unknown } = readReport(readProperty(parcel, 'report'), { stamp });
  const given = readProperty(parcel, 'given');
  const rest = readProperty(parcel, 'rest');
  return {
    report: Object.keys(unknown).length === 0 ? report : withUnknown(report, unknown, stamp),
    draft: draftOf(report, isArray(given) ? given : undefined),
    // Temporal's payloads are JSON
    rest: isPlainObject(rest) ? (rest as JsonObject) : {},
  };
}

/** Fields of a version that is newer than this one are kept where nothing else is. */
function withUnknown(report: ErrorReport, unknown: JsonObject, stamp: Stamp): ErrorReport {
  const details = { ...report.details, newer: unknown };
  return buildReport({ ...report, details }, { stamp });
}

function draftOf(report: ErrorReport, given: readonly unknown[] | undefined): ReportDraft {
  if (given === undefined) return report;
  const kept = Object.entries(report).filter(
    ([field]) => given.includes(field) || ALWAYS_GIVEN.has(field),
  );
  // kind and message are always among them
  return Object.fromEntries(kept) as unknown as ReportDraft;
}

const ALWAYS_GIVEN: ReadonlySet<string> = new Set(['id', 'kind', 'message', 'cut']);

/** Whether nobody can say any more what became of the activity. */
export function isLost(failure: unknown): boolean {
  const timeout = linkNamed(failure, 'TimeoutFailure');
  if (timeout !== undefined) return readProperty(timeout, 'timeoutType') !== 'SCHEDULE_TO_START';
  return false;
}

/** Whether it was taken back before any worker had begun. */
export function isTakenBack(failure: unknown): boolean {
  return linkNamed(failure, 'CancelledFailure') !== undefined;
}

/** Of an effect whose worker is gone: it may have happened. */
export function lostDraft(failure: unknown, node: string, { type }: EffectRef): ReportDraft {
  return {
    kind: type === 'model' ? 'provider.outcome_unknown' : DOUBT,
    message: `${node} was under way when its worker was lost; nobody knows how far it got`,
    outcome: 'unknown',
    details: { temporal: temporalFacts(failure) },
  };
}

/** Of whatever carries no report of ours. */
export function foreignDraft(failure: unknown): ReportDraft {
  const name = rootOf(failure);
  return {
    kind: 'internal.unexpected',
    message: `${name === '' ? 'A failure' : name} came from Temporal without a report of Errand`,
    details: { temporal: temporalFacts(failure) },
  };
}

function rootOf(failure: unknown): string {
  const names = [...causeChain(failure)].map((link) => textOf(link, 'name'));
  return names.findLast((name) => name !== '') ?? '';
}

const MAX_LINKS = 6;

/** Each link of the chain, outermost first, by what Temporal documents of it. */
function temporalFacts(failure: unknown): readonly JsonObject[] {
  return [...causeChain(failure)].slice(0, MAX_LINKS).map((link) => {
    const facts: [string, string][] = [
      ['failure', textOf(link, 'name')],
      ['type', textOf(link, 'type')],
      ['timeoutType', textOf(link, 'timeoutType')],
      ['retryState', textOf(link, 'retryState')],
      ['identity', textOf(link, 'identity')],
      ['message', describe(link)],
    ];
    return Object.fromEntries(facts.filter(([, text]) => text !== ''));
  });
}

function textOf(link: unknown, field: string): string {
  const text = readProperty(link, field);
  return typeof text === 'string' ? text : '';
}

function linkNamed(failure: unknown, name: string): unknown {
  for (const link of causeChain(failure)) if (readProperty(link, 'name') === name) return link;
  return undefined;
}
