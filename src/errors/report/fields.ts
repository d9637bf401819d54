/**
 * The fields of a report, each with the check that a value from outside must pass. One table serves
 * the builder, the reader and the writer, so they cannot disagree on what a field may hold. A check
 * never throws.
 */
import { MAX_ATTEMPTS, MAX_EVIDENCE, MAX_FRAMES } from './report-limits.ts';
import { isArray, isPlainObject, readProperty, type JsonObject } from '../support/safe-json.ts';
import { isKindName } from '../catalog/kinds.ts';
import type {
  AttemptSummary,
  CutCounts,
  ErrorReport,
  Frame,
  Location,
  ProviderFacts,
  RuleReceipt,
  UserAction,
} from './report.ts';
import {
  ACTION_KINDS,
  CATEGORIES,
  DOMAINS,
  ERROR_CLASSES,
  OUTCOMES,
} from '../catalog/vocabulary.ts';

/** The value if it is good, undefined if it is not. */
type Check<T> = (value: unknown) => T | undefined;

/** Without `cause`, which is a report itself: each caller walks the chain in its own way. */
export type CheckedFields = Omit<ErrorReport, 'cause' | 'v'>;

export interface FieldCheck {
  readonly good: Partial<CheckedFields>;
  /** Names of fields whose value could not be used. */
  readonly malformed: readonly string[];
}

const text: Check<string> = (value) => (typeof value === 'string' ? value : undefined);

/** Stores and gateways turn numbers into strings; a whole number is read back. */
const count: Check<number> = (value) => {
  const number = typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : value;
  const isGood = typeof number === 'number' && Number.isFinite(number) && number >= 0;
  // plus zero: JSON has no negative zero
  return isGood ? number + 0 : undefined;
};

const flag: Check<boolean> = (value) => (typeof value === 'boolean' ? value : undefined);

const kind: Check<string> = (value) => (isKindName(value) ? value : undefined);

/** ISO 8601, down to the second at least. */
export const TIME_PATTERN: RegExp =
  /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?(?:Z|[+-]\d{2}:\d{2})$/;

const time: Check<string> = (value) =>
  typeof value === 'string' && TIME_PATTERN.test(value) ? value : undefined;

function oneOf<const T extends string>(words: readonly T[]): Check<T> {
  return (value) => words.find((word) => word === value);
}

type End = 'first' | 'last';

/** Reads only the end that counts of an overlong list. */
function listOf<T>(check: Check<T>, max: number, end: End): Check<readonly T[]> {
  return (value) => {
    if (!isArray(value)) return undefined;
    const length = Math.min(Number(readProperty(value, 'length')), 2 ** 32);
    const start = end === 'first' ? 0 : Math.max(0, length - max);
    const kept: T[] = [];
    for (let index = start; index < Math.min(length, start + max); index++) {
      const checked = check(readProperty(value, index));
      if (checked !== undefined) kept.push(checked);
    }
    return kept;
  };
}

function filled<T>(check: Check<readonly T[]>): Check<readonly T[]> {
  return (value) => {
    const list = check(value);
    return list === undefined || list.length === 0 ? undefined : list;
  };
}

type Shape<T> = { readonly [K in keyof T]-?: Check<NonNullable<T[K]>> };

/** Keeps the members that pass; a missing required one spoils the whole. */
function record<T extends object>(shape: Shape<T>, required: readonly (keyof T)[]): Check<T> {
  const checks = Object.entries<Check<unknown>>(shape);
  return (value) => {
    if (!isPlainObject(value)) return undefined;
    const result: Record<string, unknown> = {};
    let members = 0;
    for (const [key, check] of checks) {
      const member = check(readProperty(value, key));
      if (member === undefined) continue;
      result[key] = member;
      members++;
    }
    const isWhole = required.every((key) => Object.hasOwn(result, key));
    // each member passed the check of its own key
    return isWhole && members > 0 ? (result as T) : undefined;
  };
}

const FRAME: Shape<Frame> = { workflow: text, node: text, path: text };

/** Any object: the builder bounds it before it is kept, and then it is JSON. */
const details: Check<JsonObject> = (value) =>
  isPlainObject(value) ? (value as JsonObject) : undefined;

type FieldChecks = {
  readonly [K in keyof CheckedFields]-?: Check<NonNullable<CheckedFields[K]> | null>;
};

export const FIELDS: FieldChecks = {
  id: (value) => (value === '' ? undefined : text(value)),
  kind,
  class: oneOf(ERROR_CLASSES),
  category: oneOf(CATEGORIES),
  domain: oneOf(DOMAINS),
  retryable: (value) => (value === null ? null : flag(value)),
  outcome: oneOf(OUTCOMES),
  message: text,
  title: text,
  details,
  action: record<UserAction>({ kind: oneOf(ACTION_KINDS), detail: text }, ['kind', 'detail']),
  location: record<Location>(
    { ...FRAME, file: text, pointer: text, line: count, column: count },
    [],
  ),
  frames: filled(listOf(record<Frame>(FRAME, []), MAX_FRAMES, 'first')),
  attempt: record<NonNullable<ErrorReport['attempt']>>({ number: count, max: count }, ['number']),
  attempts: filled(
    listOf(
      record<AttemptSummary>(
        {
          number: count,
          kind,
          message: text,
          target: text,
          at: time,
          waitedMs: count,
          inputTokens: count,
          outputTokens: count,
          costUsdMicros: count,
        },
        ['number', 'kind'],
      ),
      MAX_ATTEMPTS,
      'last',
    ),
  ),
  provider: record<ProviderFacts>(
    {
      name: text,
      model: text,
      status: count,
      code: text,
      type: text,
      requestId: text,
      retryAfterMs: count,
      limit: text,
    },
    [],
  ),
  rule: record<RuleReceipt>(
    {
      id: text,
      evidence: listOf(text, MAX_EVIDENCE, 'first'),
      confidence: oneOf(['high', 'low']),
    },
    ['id', 'evidence', 'confidence'],
  ),
  undeclared: flag,
  at: time,
  cut: record<CutCounts>(
    { messageChars: count, details: count, attempts: count, frames: count, causes: count },
    [],
  ),
};

const FIELD_CHECKS = Object.entries(FIELDS);

/** Every usable field of the value, and the names of the others. */
export function checkFields(value: unknown): FieldCheck {
  const good: Record<string, unknown> = {};
  const malformed: string[] = [];
  for (const [name, check] of FIELD_CHECKS) {
    const found = readProperty(value, name);
    if (found === undefined) continue;
    const checked = check(found);
    if (checked === undefined) malformed.push(name);
    else good[name] = checked;
  }
  // each field passed the check of its own name
  return { good, malformed };
}

export function lengthOf(value: unknown): number {
  return isArray(value) ? Number(readProperty(value, 'length')) : 0;
}
