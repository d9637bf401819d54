/**
 * Turns any thrown value into a report. Total: a string, null, a cyclic cause, a hostile getter or a huge
 * message gives a report and never throws.
 */
import { buildReport, isMadeHere, rebuild } from '../report/build.ts';
import { carriedReport, raisedReport, type ReportRequest } from './cause-reports.ts';
import type { RuntimeKind } from '../catalog/catalog.ts';
import { causeChain } from './cause-chain.ts';
import { isArray, isPlainObject, readProperty } from '../support/safe-json.ts';
import type { Redactor } from '../redaction/redact.ts';
import type { ErrorReport, Frame, Location, ReportDraft, Stamp } from '../report/report.ts';
import { ambientStamp } from './stamp.ts';

export interface ReportContext {
  /** The kind of an unrecognised failure. Default: `internal.unexpected`. */
  readonly fallback?: RuntimeKind | undefined;
  /** Set when our own signal was aborted: whatever was thrown then is that cancellation. */
  readonly cancelled?: RuntimeKind | undefined;
  /** Recognises what a provider's SDK throws; called before the fallback. */
  readonly recognise?: ((thrown: unknown) => ReportDraft | undefined) | undefined;
  /** Where it happened; ignored by a failure that is located already. */
  readonly location?: Location | undefined;
  /** The boundary that is being crossed. */
  readonly frame?: Frame | undefined;
  readonly attempt?: ErrorReport['attempt'] | undefined;
  readonly stamp?: Stamp | undefined;
  readonly redactor?: Redactor | undefined;
}

const MAX_MEMBERS = 20;
const MAX_LINKS_TOLD = 5;

/**
 * Makes a report of any thrown value, and never throws itself.
 * @example
 * ```ts
 * import { toReport } from 'errand/errors';
 *
 * console.log(toReport(null).kind); // internal.unexpected
 * console.log(toReport(new Error('boom'), { fallback: 'tool.failed' }).message); // boom
 * ```
 */
export function toReport(thrown: unknown, context: ReportContext = {}): ErrorReport {
  const request = requestIn(context);
  const draft = failureIn(thrown, context, request);
  return located(isMadeHere(draft) ? draft : buildReport(draft, request), context);
}

/**
 * Reads a thrown value, for a recorder that builds the report: nothing is redacted or filled in yet,
 * except in a report that the value carries, which comes as it is.
 */
export function thrownDraft(
  thrown: unknown,
  context: Pick<ReportContext, 'fallback' | 'recognise' | 'stamp' | 'redactor'> = {},
): ReportDraft {
  return failureIn(thrown, context, requestIn(context));
}

type StampedRequest = ReportRequest & { readonly stamp: Stamp };

function requestIn({ stamp, redactor }: ReportContext): StampedRequest {
  return { stamp: stamp ?? ambientStamp(), redactor };
}

function failureIn(
  thrown: unknown,
  context: ReportContext,
  request: StampedRequest,
): ErrorReport | ReportDraft {
  if (context.cancelled !== undefined)
    return { kind: context.cancelled, message: 'The work was cancelled while it ran' };
  return (
    carriedReport(thrown, request) ??
    recognised(thrown, context, request) ??
    raisedReport(thrown, request) ??
    unrecognised(thrown, context, request)
  );
}

/** Adds where and at which attempt it happened, unless the report knows already. */
function located(report: ErrorReport, context: ReportContext): ErrorReport {
  const changes: { -readonly [K in keyof ReportDraft]?: ReportDraft[K] } = {};
  if (report.location === undefined && context.location !== undefined)
    changes.location = context.location;
  if (context.frame !== undefined) changes.frames = [...(report.frames ?? []), context.frame];
  if (report.attempt === undefined && context.attempt !== undefined)
    changes.attempt = context.attempt;
  return Object.keys(changes).length === 0 ? report : rebuild(report, changes, context);
}

function recognised(
  thrown: unknown,
  context: ReportContext,
  request: ReportRequest,
): ReportDraft | undefined {
  try {
    return context.recognise?.(thrown);
  } catch (failure) {
    // a recogniser must not turn one failure into another; its own is noted beside the first
    const draft = unrecognised(thrown, context, request);
    return { ...draft, details: { recogniser: describe(failure), ...asObject(draft.details) } };
  }
}

function unrecognised(
  thrown: unknown,
  context: ReportContext,
  request: ReportRequest,
): ReportDraft {
  const kind = context.fallback ?? 'internal.unexpected';
  const members = membersOf(thrown);
  const reports = members.map((member) => carriedReport(member, request));
  const cause = reports.find((report) => report !== undefined);
  const described = members.map((member, index) => {
    const report = reports[index];
    return report === undefined ? describe(member) : { kind: report.kind, message: report.message };
  });
  return {
    kind,
    // a defect gets our own words; the thrown message is in the details, which the public never sees
    message:
      kind === 'internal.unexpected'
        ? `${nameOf(thrown)} was thrown where nothing should throw`
        : describe(thrown),
    details: {
      thrown: nameOf(thrown),
      ...codeOf(thrown),
      ...causesOf(thrown),
      ...(described.length === 0 ? {} : { errors: described, errorCount: memberCount(thrown) }),
    },
    ...(cause === undefined ? {} : { cause }),
  };
}

/** The first members of an AggregateError. */
function membersOf(thrown: unknown): readonly unknown[] {
  const errors = readProperty(thrown, 'errors');
  const count = Math.min(memberCount(thrown), MAX_MEMBERS);
  return Array.from({ length: count }, (_, index) => readProperty(errors, index));
}

function memberCount(thrown: unknown): number {
  const errors = readProperty(thrown, 'errors');
  return isArray(errors) ? Number(readProperty(errors, 'length')) : 0;
}

function causesOf(thrown: unknown): Record<string, unknown> {
  const causes: string[] = [];
  for (const link of causeChain(readProperty(thrown, 'cause'))) {
    if (causes.push(describe(link)) >= MAX_LINKS_TOLD) break;
  }
  return causes.length === 0 ? {} : { causes };
}

function codeOf(thrown: unknown): Record<string, unknown> {
  const code = readProperty(thrown, 'code');
  return typeof code === 'string' || typeof code === 'number' ? { code } : {};
}

/** One sentence about any value. */
export function describe(thrown: unknown): string {
  if (typeof thrown === 'string') return thrown === '' ? 'An empty string was thrown' : thrown;
  const message = readProperty(thrown, 'message');
  if (typeof message === 'string' && message !== '') return message;
  return `${nameOf(thrown)} was thrown, without a message`;
}

function nameOf(thrown: unknown): string {
  if (thrown === null || thrown === undefined) return String(thrown);
  if (typeof thrown === 'number' || typeof thrown === 'boolean')
    return `The ${typeof thrown} ${thrown}`;
  if (typeof thrown !== 'object' && typeof thrown !== 'function') return `A ${typeof thrown}`;
  const name = readProperty(thrown, 'name');
  if (typeof name === 'string' && name !== '') return name;
  const constructed = readProperty(readProperty(thrown, 'constructor'), 'name');
  return typeof constructed === 'string' && constructed !== '' ? constructed : 'A value';
}

function asObject(details: unknown): Record<string, unknown> {
  return isPlainObject(details) ? details : {};
}
