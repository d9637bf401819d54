/**
 * What is not there. It flows through paths up to whoever allows for it (`default`, `is defined`);
 * everyone else demands a value, and the failure then says what was missed.
 */
import type { JsonValue } from '../../errors/json.ts';
import { suggest } from '../../errors/suggest.ts';
import { fail, type Run } from './run.ts';
import type { Span } from './problem.ts';

const MISSING: unique symbol = Symbol('missing');

export interface Missing {
  readonly [MISSING]: true;
  readonly at: Span;
  /** Composed only when somebody fails for it. */
  describe(): string;
}

export type Value = JsonValue | Missing;

/** Beyond this a suggestion costs more than it helps. */
const MAX_CANDIDATES = 200;

export function missing(at: Span, describe: () => string): Missing {
  return { [MISSING]: true, at, describe };
}

export function isMissing(value: Value): value is Missing {
  return typeof value === 'object' && value !== null && MISSING in value;
}

/** The value, or the failure that says what is not there. */
export function demand(run: Run, value: Value): JsonValue {
  if (!isMissing(value)) return value;
  run.at = value.at;
  return fail(run, value.describe());
}

export function notThere(path: string, wanted: string, known: Iterable<string>): string {
  const meant = suggest(wanted, firstOf(known));
  return `\`${path}\` is not there${meant === undefined ? '' : `; did you mean \`${meant}\`?`}`;
}

function firstOf(names: Iterable<string>): readonly string[] {
  const first: string[] = [];
  for (const name of names) {
    if (first.length >= MAX_CANDIDATES) break;
    first.push(name);
  }
  return first;
}
