/**
 * The fields of a report, each with the check that a value from outside must pass. One table serves
 * the tolerant reader and the strict writer, so the two cannot disagree on what a field may hold.
 */
import { isArray, isPlainObject, readProperty, toBoundedJson, type JsonObject } from './json.ts';
import { isKindName } from './kinds.ts';
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
import { ACTION_KINDS, CATEGORIES, DOMAINS, ERROR_CLASSES, OUTCOMES } from './vocabulary.ts';

/** The value if it is good, undefined if it is not. */
type Check<T> = (value: unknown) => T | undefined;

/** `cause` is missing: it is a report itself, and its reader walks down by its own. */
type CheckedFields = Omit<ErrorReport, 'cause' | 'v'>;

const text: Check<string> = (value) => (typeof value === 'string' ? value : undefined);

/** Stores and gateways turn numbers into strings; a whole one is taken back. */
const count: Check<number> = (value) => {
  const number = typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) && number >= 0 ? number : undefined;
};

const flag: Check<boolean> = (value) => (typeof value === 'boolean' ? value : undefined);

function oneOf<const T extends string>(words: readonly T[]): Check<T> {
  return (value) => words.find((word) => word === value);
}

function listOf<T>(check: Check<T>): Check<readonly T[]> {
  return (value) => {
    if (!isArray(value)) return undefined;
    const checked = value.map((item) => check(item)).filter((item) => item !== undefined);
    return checked.length === 0 ? undefined : checked;
  };
}

type Shape<T> = { readonly [K in keyof T]-?: Check<NonNullable<T[K]>> };

/** Keeps the members that pass; a missing required one spoils the whole. */
function record<T extends object>(shape: Shape<T>, required: readonly (keyof T)[]): Check<T> {
  return (value) => {
    if (!isPlainObject(value)) return undefined;
    const members = Object.entries<Check<unknown>>(shape)
      .map(([key, check]) => [key, check(readProperty(value, key))] as const)
      .filter(([, member]) => member !== undefined);
    const result: Record<string, unknown> = Object.fromEntries(members);
    const isWhole = required.every((key) => Object.hasOwn(result, key));
    // each member passed the check of its own key
    return isWhole && members.length > 0 ? (result as T) : undefined;
  };
}

const FRAME: Shape<Frame> = { workflow: text, node: text, path: text };

const DETAILS: Check<JsonObject> = (value) => {
  if (!isPlainObject(value) || Object.keys(value).length === 0) return undefined;
  return value as JsonObject;
};

const EVIDENCE: Check<readonly string[]> = (value) =>
  isArray(value) ? value.filter((item) => typeof item === 'string') : undefined;

export const FIELDS: { readonly [K in keyof CheckedFields]-?: Check<NonNullable<CheckedFields[K]> | null> } = {
  id: (value) => (value === '' ? undefined : text(value)),
  kind: (value) => (isKindName(value) ? value : undefined),
  class: oneOf(ERROR_CLASSES),
  category: oneOf(CATEGORIES),
  domain: oneOf(DOMAINS),
  retryable: (value) => (value === null ? null : flag(value)),
  outcome: oneOf(OUTCOMES),
  message: text,
  title: text,
  details: DETAILS,
  action: record<UserAction>({ kind: oneOf(ACTION_KINDS), detail: text }, ['kind', 'detail']),
  location: record<Location>(
    { ...FRAME, file: text, pointer: text, line: count, column: count },
    [],
  ),
  frames: listOf(record<Frame>(FRAME, [])),
  attempt: record<NonNullable<ErrorReport['attempt']>>({ number: count, max: count }, ['number']),
  attempts: listOf(
    record<AttemptSummary>(
      {
        number: count,
        kind: (value) => (isKindName(value) ? value : undefined),
        message: text,
        target: text,
        at: text,
        waitedMs: count,
        costUsdMicros: count,
      },
      ['number', 'kind'],
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
  rule: record<RuleReceipt>({ id: text, evidence: EVIDENCE, confidence: oneOf(['high', 'low']) }, [
    'id',
    'evidence',
    'confidence',
  ]),
  undeclared: flag,
  at: (value) => (value === '' ? undefined : text(value)),
  cut: record<CutCounts>(
    { messageChars: count, details: count, attempts: count, frames: count, causes: count },
    [],
  ),
};

export const REQUIRED_FIELDS: readonly (keyof CheckedFields)[] = [
  'id',
  'kind',
  'class',
  'category',
  'domain',
  'retryable',
  'outcome',
  'message',
  'title',
  'action',
  'at',
];

/** For what a newer version may have added: kept, but within bounds. */
export function keepAside(value: unknown): JsonObject {
  const bounds = { maxDepth: 6, maxNodes: 200, maxStringChars: 1000, maxChars: 8000 };
  const bounded = toBoundedJson(value, bounds).value;
  return isPlainObject(bounded) ? (bounded as JsonObject) : {};
}
