/**
 * Keeps a report within its size. Details go first, those of causes and of group members before its
 * own; then the middle of the cause chain and of the ledger. Kinds, messages, locations and the root
 * fault stay. Each step counts what it took.
 */
import { addCuts } from './cut.ts';
import { isPlainObject, utf8Bytes, type JsonObject, type JsonValue } from './json.ts';
import type { CutCounts, ErrorReport } from './report.ts';

export const MAX_REPORT_BYTES = 64 * 1024;

/** Reports nested in one another; the innermost is the root fault and is never the one to go. */
export const MAX_CAUSE_DEPTH = 8;

type Step = (report: ErrorReport) => ErrorReport;

export function shrinkToFit(report: ErrorReport): ErrorReport {
  const chained = limitDepth(report, MAX_CAUSE_DEPTH);
  return STEPS.reduce<ErrorReport>(
    (current, step) => (reportBytes(current) <= MAX_REPORT_BYTES ? current : step(current)),
    chained,
  );
}

export function reportBytes(report: ErrorReport): number {
  const json = JSON.stringify(report);
  // no UTF-16 unit takes more than three bytes, so a short text need not be counted
  return json.length * 3 <= MAX_REPORT_BYTES ? json.length : utf8Bytes(json);
}

const STEPS: readonly Step[] = [
  (report) => mapCauses(report, withoutDetails),
  (report) => mapCauses(report, (cause) => shortLedger(cause, 0)),
  withoutMemberDetails,
  withoutDetails,
  (report) => limitDepth(report, 3),
  (report) => shortLedger(report, 10),
  (report) => limitDepth(report, 1),
  (report) => shortLedger(report, 2),
  (report) => mapCauses(report, onlyIdentity),
  onlyIdentity,
];

function limitDepth(report: ErrorReport, maxDepth: number): ErrorReport {
  const chain: ErrorReport[] = [];
  for (let link = report.cause; link !== undefined; link = link.cause) chain.push(link);
  const root = chain.at(-1);
  if (root === undefined || chain.length <= maxDepth) return report;

  const kept = chain.slice(0, maxDepth - 1);
  const cause = kept.reduceRight<ErrorReport>((inner, link) => ({ ...link, cause: inner }), root);
  return counted({ ...report, cause }, { causes: chain.length - kept.length - 1 });
}

function mapCauses(report: ErrorReport, step: Step): ErrorReport {
  if (report.cause === undefined) return report;
  return { ...report, cause: mapCauses(step(report.cause), step) };
}

function withoutDetails(report: ErrorReport): ErrorReport {
  if (report.details === undefined) return report;
  const { details, ...rest } = report;
  const kept = groupSummary(details);
  const left = Object.keys(details).length - Object.keys(kept).length;
  const shorter = Object.keys(kept).length === 0 ? rest : { ...rest, details: kept };
  return counted(shorter, { details: left });
}

/** What a group must always be able to say: how many members failed, and of what. */
function groupSummary(details: JsonObject): JsonObject {
  const kept = ['counts', 'members'].filter((key) => Object.hasOwn(details, key));
  return Object.fromEntries(kept.map((key) => [key, details[key] ?? null]));
}

function withoutMemberDetails(report: ErrorReport): ErrorReport {
  const members = report.details?.['members'];
  if (!isPlainObject(members)) return report;
  const shorter = Object.entries(members).map(([name, member]) => [name, memberSummary(member)]);
  const details = { ...report.details, members: Object.fromEntries(shorter) };
  return counted({ ...report, details }, { details: shorter.length });
}

const MEMBER_FIELDS = ['v', 'id', 'kind', 'class', 'category', 'domain', 'retryable', 'outcome'];
const MEMBER_MESSAGE_CHARS = 500;

function memberSummary(member: JsonValue): JsonValue {
  if (!isPlainObject(member)) return member;
  const message = member['message'];
  const kept = Object.entries(member).filter(
    ([key]) => MEMBER_FIELDS.includes(key) || key === 'location' || key === 'at',
  );
  return {
    ...(Object.fromEntries(kept) as JsonObject),
    ...(typeof message === 'string' ? { message: message.slice(0, MEMBER_MESSAGE_CHARS) } : {}),
  };
}

/** The last resort: what it is, what it says, where it was, and what lies beneath. */
function onlyIdentity(report: ErrorReport): ErrorReport {
  const { details, attempts, frames, provider, rule, ...rest } = report;
  const counts = details?.['counts'];
  return counted(counts === undefined ? rest : { ...rest, details: { counts } }, {
    details: Object.keys(details ?? {}).length,
    attempts: attempts?.length ?? 0,
    frames: frames?.length ?? 0,
  });
}

function shortLedger(report: ErrorReport, keep: number): ErrorReport {
  const { attempts = [], frames = [], ...rest } = report;
  const keptAttempts = keep === 0 ? [] : attempts.slice(-keep);
  const keptFrames = frames.slice(0, Math.max(1, keep));
  return counted(
    {
      ...rest,
      ...(keptAttempts.length === 0 ? {} : { attempts: keptAttempts }),
      ...(keptFrames.length === 0 ? {} : { frames: keptFrames }),
    },
    {
      attempts: attempts.length - keptAttempts.length,
      frames: frames.length - keptFrames.length,
    },
  );
}

function counted(report: ErrorReport, more: CutCounts): ErrorReport {
  const cut = addCuts(report.cut, more);
  return cut === undefined ? report : { ...report, cut };
}
