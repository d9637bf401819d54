/**
 * A report from elsewhere: another process, another version, a file, an HTTP answer. Reading is
 * tolerant and total: unknown fields are kept aside, good ones are used, a malformed one degrades
 * alone. Writing is strict.
 */
import { buildReport } from './build.ts';
import { ErrandError } from './errand-error.ts';
import { FIELDS, keepAside, REQUIRED_FIELDS } from './fields.ts';
import { isPlainObject, readProperty, type JsonObject } from './json.ts';
import type { Redactor } from './redact.ts';
import type { ErrorReport, ReportDraft, Stamp } from './report.ts';
import { MAX_CAUSE_DEPTH } from './shrink.ts';
import { ambientStamp } from './stamp.ts';

export interface ReadReport {
  readonly report: ErrorReport;
  /** Names of fields whose value could not be used. */
  readonly malformed: readonly string[];
  /** Fields that this version does not know. */
  readonly unknown: JsonObject;
}

export interface ReadOptions {
  readonly stamp?: Stamp;
  readonly redactor?: Redactor;
}

export function readReport(value: unknown, options: ReadOptions = {}): ReadReport {
  const stamp = options.stamp ?? ambientStamp();
  return readLevel(value, { ...options, stamp }, 0);
}

/** The wire form. Throws `internal.invariant` when the value is not a whole, valid report. */
export function writeReport(report: ErrorReport): string {
  const flaws = flawsOf(report);
  if (flaws.length === 0) return JSON.stringify(report);
  throw new ErrandError({
    kind: 'internal.invariant',
    message: 'A report that is not valid was about to be written',
    details: { flaws },
  });
}

function readLevel(
  value: unknown,
  options: ReadOptions & { readonly stamp: Stamp },
  depth: number,
): ReadReport {
  const fields: Record<string, unknown> = {};
  const malformed: string[] = [];
  for (const [name, check] of Object.entries(FIELDS)) {
    const found = readProperty(value, name);
    if (found === undefined) continue;
    const checked = check(found);
    if (checked === undefined) malformed.push(name);
    else fields[name] = checked;
  }
  const cause = readCause(readProperty(value, 'cause'), options, depth, malformed);
  const draft = {
    kind: 'internal.unexpected',
    message: 'A failure arrived whose report could not be read',
    ...fields,
    ...(cause === undefined ? {} : { cause }),
    // each field passed the check of its own name
  } as ReportDraft;
  return { report: buildReport(draft, options), malformed, unknown: unknownFields(value) };
}

function readCause(
  value: unknown,
  options: ReadOptions & { readonly stamp: Stamp },
  depth: number,
  malformed: string[],
): ErrorReport | undefined {
  if (value === undefined) return undefined;
  if (isPlainObject(value) && depth <= MAX_CAUSE_DEPTH)
    return readLevel(value, options, depth + 1).report;
  malformed.push('cause');
  return undefined;
}

function unknownFields(value: unknown): JsonObject {
  if (!isPlainObject(value)) return {};
  const known = new Set([...Object.keys(FIELDS), 'v', 'cause']);
  const others = Object.keys(value).filter((key) => !known.has(key));
  return keepAside(Object.fromEntries(others.map((key) => [key, readProperty(value, key)])));
}

function flawsOf(report: ErrorReport): string[] {
  const missing = REQUIRED_FIELDS.filter((name) => report[name] === undefined);
  const bad = Object.entries(report)
    .filter(([name]) => name !== 'v' && name !== 'cause')
    .filter(([name, value]) => !isGood(name, value))
    .map(([name]) => name);
  const below = report.cause === undefined ? [] : flawsOf(report.cause);
  return [...missing, ...bad, ...below.map((flaw) => `cause.${flaw}`)];
}

function isGood(name: string, value: unknown): boolean {
  if (!Object.hasOwn(FIELDS, name)) return false;
  const checked = FIELDS[name as keyof typeof FIELDS](value);
  // a check that leaves a member out has found a member that may not be there
  return checked !== undefined && JSON.stringify(checked) === JSON.stringify(value);
}
