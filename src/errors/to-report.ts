/**
 * Any thrown value as a report. Total: a string, null, a cyclic cause, a hostile getter or a huge
 * message gives a report and never throws.
 */
import { buildReport, rebuild } from './build.ts';
import { causeChain } from './cause-chain.ts';
import { carriedReport } from './errand-error.ts';
import { isArray, isPlainObject, readProperty } from './json.ts';
import { isKindName, isReservedKind, type Kind } from './kinds.ts';
import type { RuntimeKind } from './catalog.ts';
import type { Redactor } from './redact.ts';
import type { ErrorReport, Frame, Location, ReportDraft, Stamp } from './report.ts';
import { ambientStamp } from './stamp.ts';

export interface ReportContext {
  /** What to call a failure that nobody recognises. Default: `internal.unexpected`. */
  readonly fallback?: RuntimeKind | undefined;
  /** Set when our own signal was aborted: whatever was thrown then is that cancellation. */
  readonly cancelled?: RuntimeKind | undefined;
  /** Knows what a provider's SDK throws; asked before the fallback. */
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

export function toReport(thrown: unknown, context: ReportContext = {}): ErrorReport {
  const request = { stamp: context.stamp ?? ambientStamp(), redactor: context.redactor };
  const isOurs = context.cancelled === undefined;
  const carried = isOurs ? carriedReport(thrown, request) : undefined;
  return place(carried ?? buildReport(safeDraft(thrown, context), request), context);
}

/** The last net: a value whose very shape throws, such as a proxy that was revoked. */
function safeDraft(thrown: unknown, context: ReportContext): ReportDraft {
  try {
    return draftFor(thrown, context);
  } catch (hostile) {
    return {
      kind: context.fallback ?? 'internal.unexpected',
      message: 'Something was thrown that cannot be read',
      details: { reading: typeof hostile },
    };
  }
}

/** Adds where and at which attempt it happened, unless the report knows already. */
function place(report: ErrorReport, context: ReportContext): ErrorReport {
  const changes: { -readonly [K in keyof ReportDraft]?: ReportDraft[K] } = {};
  if (report.location === undefined && context.location !== undefined)
    changes.location = context.location;
  if (context.frame !== undefined) changes.frames = [...(report.frames ?? []), context.frame];
  if (report.attempt === undefined && context.attempt !== undefined)
    changes.attempt = context.attempt;
  return Object.keys(changes).length === 0 ? report : rebuild(report, changes);
}

function draftFor(thrown: unknown, context: ReportContext): ReportDraft {
  if (context.cancelled !== undefined) {
    return { kind: context.cancelled, message: 'The work was cancelled while it ran' };
  }
  return (
    recognised(thrown, context) ?? raisedElsewhere(thrown) ?? unrecognised(thrown, context)
  );
}

function recognised(thrown: unknown, context: ReportContext): ReportDraft | undefined {
  try {
    return context.recognise?.(thrown);
  } catch (failure) {
    // a recogniser must not turn one failure into another; its own is told beside the first
    const draft = unrecognised(thrown, context);
    return { ...draft, details: { recogniser: describe(failure), ...asObject(draft.details) } };
  }
}

/** An author's own error class is a raise when it has a `kind` that authors may use. */
function raisedElsewhere(thrown: unknown): ReportDraft | undefined {
  for (const link of causeChain(thrown)) {
    const kind = readProperty(link, 'kind');
    if (!isKindName(kind) || isReservedKind(kind)) continue;
    const message = readProperty(link, 'message');
    return {
      kind,
      message: typeof message === 'string' && message !== '' ? message : kind,
      details: readProperty(link, 'details'),
    };
  }
  return undefined;
}

function unrecognised(thrown: unknown, context: ReportContext): ReportDraft {
  const kind: Kind = context.fallback ?? 'internal.unexpected';
  const members = readProperty(thrown, 'errors');
  const cause = isArray(members) ? firstCarried(members) : undefined;
  return {
    kind,
    // of a defect a person learns that it happened; what exactly is for the internal record
    message:
      kind === 'internal.unexpected'
        ? `${nameOf(thrown)} was thrown where nothing should throw`
        : describe(thrown),
    details: {
      thrown: nameOf(thrown),
      ...codeOf(thrown),
      ...causesOf(thrown),
      ...(isArray(members) ? membersOf(members) : {}),
    },
    ...(cause === undefined ? {} : { cause }),
  };
}

function firstCarried(members: readonly unknown[]): ErrorReport | undefined {
  for (const member of members.slice(0, MAX_MEMBERS)) {
    const report = carriedReport(member);
    if (report !== undefined) return report;
  }
  return undefined;
}

function membersOf(members: readonly unknown[]): Record<string, unknown> {
  const told = members.slice(0, MAX_MEMBERS).map((member) => {
    const report = carriedReport(member);
    return report === undefined ? describe(member) : { kind: report.kind, message: report.message };
  });
  return { errors: told, errorCount: members.length };
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
  if (typeof thrown !== 'object' && typeof thrown !== 'function') return `A ${typeof thrown}`;
  const name = readProperty(thrown, 'name');
  if (typeof name === 'string' && name !== '') return name;
  const constructed = readProperty(readProperty(thrown, 'constructor'), 'name');
  return typeof constructed === 'string' && constructed !== '' ? constructed : `A ${typeof thrown}`;
}

function asObject(details: unknown): Record<string, unknown> {
  return isPlainObject(details) ? details : {};
}
