/**
 * The error boundary: a report on its way through Temporal and back. Outgoing reports are tagged and
 * versioned, so that they are recognised as ours; incoming ones are read tolerantly, so that a newer
 * or an older version keeps every field that both know. A failure without a report becomes one of the
 * most precise kind, with Temporal's own words in its details. Knows Temporal's failures by their
 * documented names and fields, and imports nothing of it.
 */
import { buildReport } from '../../errors/report/build.ts';
import { causeChain } from '../../errors/thrown/cause-chain.ts';
import {
  isArray,
  isPlainObject,
  readProperty,
  type JsonObject,
} from '../../errors/support/safe-json.ts';
import { readReport } from '../../errors/report/read.ts';
import type { ErrorReport, ReportDraft, Stamp } from '../../errors/report/report.ts';
import type { Redactor } from '../../errors/redaction/redact.ts';
import { ambientStamp } from '../../errors/thrown/stamp.ts';
import { describe } from '../../errors/thrown/to-report.ts';
import type { EffectRef } from '../../machine/state/events.ts';
import { OUTCOME_UNKNOWN } from '../../machine/policy/unknown-outcome.ts';

const TAG = 'errand.report';
const VERSION = 1;

/** Fields of Temporal's `ApplicationFailure`. */
export interface FailureParts {
  readonly message: string;
  readonly type: string;
  readonly nonRetryable: boolean;
  readonly nextRetryDelay?: number;
  readonly details: unknown[];
}

/** The payload in a failure's details. */
export interface FailurePayload {
  readonly tag: typeof TAG;
  readonly v: number;
  readonly report: ErrorReport;
  /** The fields that the failure itself set; the rest follows from them. */
  readonly given?: readonly string[];
  /** Further details that belong to it. */
  readonly rest?: JsonObject;
}

/**
 * Makes the parts of an `ApplicationFailure` that carries a whole report; `given` names the fields of
 * a draft that the report was made from.
 * @example
 * ```ts
 * import { failure } from 'errand';
 * import { toTemporalFailure } from 'errand/temporal';
 *
 * console.log(toTemporalFailure(failure('order.missing', 'No order').report).type); // order.missing
 * ```
 */
export function toTemporalFailure(
  report: ErrorReport,
  { given, rest }: Pick<FailurePayload, 'given' | 'rest'> = {},
): FailureParts {
  const payload: FailurePayload = {
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
    // retryable only when known to be
    nonRetryable: report.retryable !== true,
    ...(hintMs === undefined || report.retryable !== true ? {} : { nextRetryDelay: hintMs }),
    details: [payload],
  };
}

export interface Arrived {
  readonly report: ErrorReport;
  /** The draft as it was first reported. */
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

/**
 * Makes a report of whatever Temporal throws. Never throws.
 * @example
 * ```ts
 * import { failure } from 'errand';
 * import { fromTemporalFailure, toTemporalFailure } from 'errand/temporal';
 *
 * const parts = toTemporalFailure(failure('order.missing', 'No such order').report);
 * console.log(fromTemporalFailure(parts).kind); // order.missing
 * ```
 */
export function fromTemporalFailure(failure: unknown, stamp: Stamp = ambientStamp()): ErrorReport {
  return arrivedReport(failure, stamp)?.report ?? buildReport(foreignDraft(failure), { stamp });
}

function parcelIn(link: unknown, stamp: Stamp): Arrived | undefined {
  const details = readProperty(link, 'details');
  const payload = isArray(details) ? readProperty(details, 0) : undefined;
  if (readProperty(payload, 'tag') !== TAG) return undefined;
  const { report, unknown } = readReport(readProperty(payload, 'report'), { stamp });
  const given = readProperty(payload, 'given');
  const rest = readProperty(payload, 'rest');
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

/**
 * A draft as it may be stored beside a result: JSON, bounded and without secrets. What it leaves open
 * stays open, so that the run fills it in as it does locally.
 */
export function storableDraft(draft: ReportDraft, redactor: Redactor): ReportDraft {
  const report = buildReport(draft, { stamp: ambientStamp(), redactor });
  // an effect gives no id: the run derives it
  const { id: _id, ...storable } = draftOf(report, Object.keys(draft));
  return storable;
}

const ALWAYS_GIVEN: ReadonlySet<string> = new Set(['id', 'kind', 'message', 'cut']);

/** Whether the outcome of the activity can no longer be known. */
export function isLost(failure: unknown): boolean {
  const timeout = linkNamed(failure, 'TimeoutFailure');
  if (timeout !== undefined) return readProperty(timeout, 'timeoutType') !== 'SCHEDULE_TO_START';
  return false;
}

/** Whether it was cancelled before any worker had started it. */
export function isTakenBack(failure: unknown): boolean {
  return linkNamed(failure, 'CancelledFailure') !== undefined;
}

/** For an effect whose worker is gone: it may have happened. */
export function lostDraft(failure: unknown, node: string, { type }: EffectRef): ReportDraft {
  return {
    kind: type === 'model' ? 'provider.outcome_unknown' : OUTCOME_UNKNOWN,
    message: `${node} was under way when its worker was lost; how far it got is unknown`,
    outcome: 'unknown',
    details: { temporal: temporalFacts(failure) },
  };
}

/** For a failure that carries no report of ours. */
export function foreignDraft(failure: unknown): ReportDraft {
  const name = rootOf(failure);
  return {
    kind: 'internal.unexpected',
    message: `${name === '' ? 'A failure' : name} came from Temporal without an Errand report`,
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
