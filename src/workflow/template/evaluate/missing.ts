/**
 * Missing values. They pass through paths up to a filter or test that accepts them (`default`,
 * `is defined`); everything else requires a value, and its failure names the missing one.
 */
import type { JsonValue } from '../../../errors/support/safe-json.ts';
import { suggest } from '../../../errors/support/suggest.ts';
import { fail, type Evaluation } from './evaluation.ts';
import type { Span } from '../template-error.ts';

const MISSING: unique symbol = Symbol('missing');

export interface Missing {
  readonly [MISSING]: true;
  readonly at: Span;
  /** Built only when the evaluation fails because of it. */
  describe(): string;
}

export type Value = JsonValue | Missing;

/** With more names than this, a suggestion costs more than it helps. */
const MAX_CANDIDATES = 200;

export function missing(at: Span, describe: () => string): Missing {
  return { [MISSING]: true, at, describe };
}

export function isMissing(value: Value): value is Missing {
  return typeof value === 'object' && value !== null && MISSING in value;
}

/** Returns the value, or fails and names the missing one. */
export function demand(run: Evaluation, value: Value): JsonValue {
  if (!isMissing(value)) return value;
  run.at = value.at;
  return fail(run, value.describe());
}

export function notThere(path: string, wanted: string, known: Iterable<string>): string {
  const meant = suggest(wanted, firstOf(known));
  return `\`${path}\` does not exist${meant === undefined ? '' : `; did you mean \`${meant}\`?`}`;
}

function firstOf(names: Iterable<string>): readonly string[] {
  const first: string[] = [];
  for (const name of names) {
    if (first.length >= MAX_CANDIDATES) break;
    first.push(name);
  }
  return first;
}
