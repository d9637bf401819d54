/**
 * Keeps a report within its size. Details go first, those of causes and of group members before its
 * own; then the middle of the cause chain and of the ledger. Kinds, messages, locations, the first
 * frame, the counts of a group and the root fault stay. Each step counts its omissions, and the
 * last one leaves nothing that could still be too long.
 */
import { boundText, utf8Bytes } from './bounded-text.ts';
import { endsOf, MAX_CAUSE_DEPTH, MAX_MESSAGE_CHARS, MAX_REPORT_BYTES } from './report-limits.ts';
import { catalogRow } from '../catalog/catalog.ts';
import { addCuts } from './omission-counts.ts';
import { MEMBER_FIELDS } from './details.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../support/safe-json.ts';
import { SHAPES_ONLY } from './report-cleaner.ts';
import type { CutCounts, ErrorReport } from './report.ts';

type Step = (report: ErrorReport) => ErrorReport;

export function shrinkToFit(report: ErrorReport): ErrorReport {
  const chained = limitDepth(report, MAX_CAUSE_DEPTH);
  return STEPS.reduce<ErrorReport>(
    (current, step) => (reportBytes(current) <= MAX_REPORT_BYTES ? current : step(current)),
    chained,
  );
}

/** A report without its cause is measured once, however often it is wrapped. */
const OWN_BYTES = new WeakMap<ErrorReport, number>();
const CAUSE_KEY_BYTES = ',"cause":'.length;

export function reportBytes(report: ErrorReport): number {
  const below = report.cause === undefined ? 0 : CAUSE_KEY_BYTES + reportBytes(report.cause);
  return ownBytes(report) + below;
}

function ownBytes(report: ErrorReport): number {
  const known = OWN_BYTES.get(report);
  if (known !== undefined) return known;
  const { cause: _cause, ...own } = report;
  const bytes = utf8Bytes(JSON.stringify(own));
  OWN_BYTES.set(report, bytes);
  return bytes;
}

function withCause(report: ErrorReport, cause: ErrorReport): ErrorReport {
  const copy = { ...report, cause };
  OWN_BYTES.set(copy, ownBytes(report));
  return copy;
}

const STEPS: readonly Step[] = [
  (report) => mapCauses(report, (cause) => withoutDetails(cause, ['counts'])),
  (report) => mapCauses(report, (cause) => shortLedger(cause, 0)),
  (report) => shortMembers(report, MAX_MESSAGE_CHARS),
  (report) => withoutDetails(report, ['counts', 'members']),
  (report) => limitDepth(report, 3),
  (report) => shortLedger(report, 10),
  (report) => limitDepth(report, 1),
  (report) => shortLedger(report, 2),
  (report) => shortMembers(report, 500),
  (report) => shortMembers(report, 100),
  (report) => mapCauses(report, onlyIdentity),
  onlyIdentity,
  (report) => mapCauses(shortTexts(report), (cause) => shortTexts(withoutDetails(cause, []))),
];

function limitDepth(report: ErrorReport, maxDepth: number): ErrorReport {
  const chain: ErrorReport[] = [];
  for (let link = report.cause; link !== undefined; link = link.cause) chain.push(link);
  if (chain.length <= maxDepth) return report;

  const kept = endsOf(chain, maxDepth);
  const cause = kept.reduceRight((inner, link) => withCause(link, inner));
  // the link's own omissions still count after the link itself is left out
  const gone = chain
    .filter((link) => !kept.includes(link))
    .map((link) => 1 + (link.cut?.causes ?? 0));
  return counted(withCause(report, cause), { causes: gone.reduce((sum, count) => sum + count, 0) });
}

function mapCauses(report: ErrorReport, step: Step): ErrorReport {
  if (report.cause === undefined) return report;
  return withCause(report, mapCauses(step(report.cause), step));
}

function isGroup(report: ErrorReport): boolean {
  return catalogRow(report.kind)?.class === 'group';
}

/** Keeps `kept` of a group's details, and nothing of all others. */
function withoutDetails(report: ErrorReport, kept: readonly string[]): ErrorReport {
  if (report.details === undefined) return report;
  const { details, ...rest } = report;
  const names = isGroup(report) ? kept.filter((name) => Object.hasOwn(details, name)) : [];
  const left = Object.fromEntries(names.map((name) => [name, details[name] ?? null]));
  return counted(names.length === 0 ? rest : { ...rest, details: left }, {
    details: Object.keys(details).length - names.length,
  });
}

function shortMembers(report: ErrorReport, maxMessageChars: number): ErrorReport {
  const members = report.details?.['members'];
  if (!isGroup(report) || !isJsonObject(members)) return report;
  const shorter = Object.entries(members).map(([name, member]): [string, JsonValue] => [
    name,
    shortMember(member, maxMessageChars),
  ]);
  const details: JsonObject = { ...report.details, members: Object.fromEntries(shorter) };
  return counted({ ...report, details }, { details: shorter.length });
}

function shortMember(member: JsonValue, maxMessageChars: number): JsonValue {
  if (!isJsonObject(member)) return typeof member === 'string' ? short(member, 200) : null;
  const kept = Object.entries(member).filter(
    ([field]) => MEMBER_FIELDS.has(field) && field !== 'title' && field !== 'action',
  );
  const message = member['message'];
  const shorter = typeof message === 'string' ? { message: short(message, maxMessageChars) } : {};
  return { ...Object.fromEntries(kept), ...shorter };
}

/** Keeps kind, message, location and cause. */
function onlyIdentity(report: ErrorReport): ErrorReport {
  const { attempts, provider, rule, ...rest } = shortLedger(withoutDetails(report, ['counts']), 0);
  return counted(rest, {
    attempts: attempts?.length ?? 0,
    details: (provider === undefined ? 0 : 1) + (rule === undefined ? 0 : 1),
  });
}

function shortTexts(report: ErrorReport): ErrorReport {
  const message = short(report.message, 200);
  const frames = report.frames?.map((frame) => shortStrings(frame));
  const shorter: ErrorReport = {
    ...report,
    id: short(report.id, 60),
    message,
    title: short(report.title, 60),
    action: shortStrings(report.action),
    ...(report.location === undefined ? {} : { location: shortStrings(report.location) }),
    ...(frames === undefined ? {} : { frames }),
  };
  return counted(shorter, { messageChars: report.message.length - message.length });
}

function shortStrings<T extends object>(record: T): T {
  const entries: [string, unknown][] = Object.entries(record);
  const shorter = entries.map(([key, value]): [string, unknown] => [
    key,
    typeof value === 'string' ? short(value, 60) : value,
  ]);
  // same keys, and a string stays a string; no action kind is as long as the bound
  return Object.fromEntries(shorter) as T;
}

/** Redacts again, because a cut can create a shape. */
function short(text: string, maxChars: number): string {
  return boundText(text, maxChars, SHAPES_ONLY.text).text;
}

/** Keeps the latest attempts, and the frames from the one where it was raised. */
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
