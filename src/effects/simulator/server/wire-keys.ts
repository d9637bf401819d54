/** The keys of a script's entry that only a connection knows what to do with. */
import { isJsonObject, type JsonValue } from '../../../errors/json.ts';
import { DURATION_FORM, parseDuration } from '../../../workflow/duration.ts';
import type { Path } from '../../../workflow/path.ts';
import type { Problem, Report } from '../../../workflow/problem.ts';

export interface WireKeys {
  /** From the headers to the first piece. */
  readonly firstTokenMs?: number;
  /** Between pieces; Infinity: after the first piece nothing comes any more. */
  readonly stallMs?: number;
  /** Plays an entry of the corpus. */
  readonly corpus?: string;
}

const READERS: Readonly<Record<string, (value: JsonValue) => WireKeys | undefined>> = {
  first_token: (value) => withDuration(value, (ms) => ({ firstTokenMs: ms })),
  stall: (value) =>
    value === 'forever' ? { stallMs: Infinity } : withDuration(value, (ms) => ({ stallMs: ms })),
  corpus: (value) => (typeof value === 'string' && value !== '' ? { corpus: value } : undefined),
  // its form is that of `fail`, which the schema knows
  then_fail: () => ({}),
};

const FORMS: Readonly<Record<string, string>> = {
  first_token: DURATION_FORM,
  stall: `${DURATION_FORM}, or \`forever\``,
  corpus: 'the id of an entry',
};

export const WIRE_KEYS: ReadonlySet<string> = new Set(Object.keys(READERS));

export function readWireKeys(entry: JsonValue, path: Path, report: Report): WireKeys {
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
