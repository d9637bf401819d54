/** The keys of an entry that control the connection. */
import { isJsonObject, type JsonValue } from '../errors/support/safe-json.ts';
import { DURATION_FORM, parseDuration } from '../workflow/plan/duration.ts';
import type { Path } from '../workflow/plan/pointer.ts';
import type { Problem, ReportProblem } from '../workflow/diagnostics/problem.ts';

export interface WireKeys {
  /** Pause between the headers and the first piece. */
  readonly firstTokenMs?: number;
  /** Pause between pieces; Infinity: nothing follows the first piece. */
  readonly stallMs?: number;
  /** Plays an entry of the corpus. */
  readonly corpus?: string;
}

const READERS: Readonly<Record<string, (value: JsonValue) => WireKeys | undefined>> = {
  first_token: (value) => withDuration(value, (ms) => ({ firstTokenMs: ms })),
  stall: (value) =>
    value === 'forever' ? { stallMs: Infinity } : withDuration(value, (ms) => ({ stallMs: ms })),
  corpus: (value) => (typeof value === 'string' && value !== '' ? { corpus: value } : undefined),
  // the schema checks it like `fail`
  then_fail: () => ({}),
};

const FORMS: Readonly<Record<string, string>> = {
  first_token: DURATION_FORM,
  stall: `${DURATION_FORM}, or \`forever\``,
  corpus: 'the id of an entry',
};

export const WIRE_KEYS: ReadonlySet<string> = new Set(Object.keys(READERS));

export function readWireKeys(entry: JsonValue, path: Path, report: ReportProblem): WireKeys {
  if (!isJsonObject(entry)) return {};
  let keys: WireKeys = {};
  for (const [key, value] of Object.entries(entry)) {
    const reader = WIRE_KEYS.has(key) ? READERS[key] : undefined;
    if (reader === undefined) continue;
    const found = reader(value);
    if (found === undefined) report(badValue(key, [...path, key]));
    keys = { ...keys, ...found };
  }
  return keys;
}

function badValue(key: string, path: Path): Problem {
  const expected = FORMS[key] ?? 'another value';
  return { code: 'bad-value', message: `\`${key}\` must be ${expected}`, path, expected };
}

function withDuration(value: JsonValue, make: (ms: number) => WireKeys): WireKeys | undefined {
  const isWritten = typeof value === 'string' || typeof value === 'number';
  const ms = isWritten ? parseDuration(value) : undefined;
  return ms === undefined ? undefined : make(ms);
}
