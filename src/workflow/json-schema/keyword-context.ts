/** Context of a keyword: the schema, the value, and helpers that all keywords share. */
import {
  textOrJson,
  isJsonList,
  type JsonObject,
  type JsonValue,
} from '../../errors/support/safe-json.ts';
import { canonicalJson } from '../plan/stable-hash.ts';
import { toPointer } from '../plan/pointer.ts';
import { Matcher } from '../pattern/matcher.ts';
import type { Program } from '../pattern/compile-pattern.ts';
import type { Meter } from './step-budget.ts';
import type { Finding } from './finding.ts';

export type Draft = '4' | '7' | '2019-09' | '2020-12';

/** Property names and indexes that a part of a schema has evaluated, for `unevaluated…` keywords. */
export type Seen = Set<string | number>;

/** One check of one value, with the state that all keywords share. */
export interface Check {
  readonly draft: Draft;
  readonly meter: Meter;
  /** Undefined where only the result matters. */
  readonly findings: Map<string, Finding> | undefined;
  readonly program: (pattern: string) => Program | undefined;
  readonly target: (holder: JsonObject, reference: string) => JsonValue | undefined;
  readonly rootOf: (holder: JsonObject) => JsonObject;
  readonly matchers: Map<string, Matcher>;
  /** Whether a value fits a schema, which may be absent. Throws `OutOfSteps`. */
  readonly fits: (schema: JsonValue | undefined, at: At, check: Check, seen?: Seen) => boolean;
}

export interface At {
  readonly value: JsonValue;
  readonly path: ValuePath | undefined;
}

/** The path of a value, from inside to outside. */
export interface ValuePath {
  readonly step: string | number;
  readonly outer: ValuePath | undefined;
}

export interface KeywordContext extends At {
  readonly schema: JsonObject;
  readonly check: Check;
  readonly seen: Seen | undefined;
}

export const MAX_FINDINGS = 20;

export function isCollecting({ findings }: Check): boolean {
  return findings !== undefined && findings.size < MAX_FINDINGS;
}

/** Drops findings: a failing alternative of a choice is not a problem by itself. */
export function withoutFindings(check: Check): Check {
  return check.findings === undefined ? check : { ...check, findings: undefined };
}

/** Checks every item while findings are collected, else only up to the first failure. */
export function all<T>(
  { check }: KeywordContext,
  items: Iterable<T>,
  isGood: (item: T) => boolean,
): boolean {
  let areGood = true;
  for (const item of items) {
    if (isGood(item)) continue;
    areGood = false;
    if (!isCollecting(check)) return false;
  }
  return areGood;
}

/** Adds a finding, and returns false. */
export function wrong(
  { path, check }: Pick<KeywordContext, 'path' | 'check'>,
  words: string | (() => string),
): false {
  if (check.findings !== undefined && isCollecting(check)) {
    const pointer = pointerOf(path);
    const message = typeof words === 'string' ? words : words();
    check.findings.set(`${pointer} ${message}`, { of: 'value', pointer, message });
  }
  return false;
}

const MAX_POINTER_CHARS = 300;

function pointerOf(innermost: ValuePath | undefined): string {
  const steps: (string | number)[] = [];
  for (let path = innermost; path !== undefined; path = path.outer) steps.push(path.step);
  const pointer = toPointer(steps.reverse()).toWellFormed();
  return pointer.length <= MAX_POINTER_CHARS ? pointer : `${pointer.slice(0, MAX_POINTER_CHARS)}…`;
}

/** A value inside the current one. */
export function inside({ path }: KeywordContext, step: string | number, value: JsonValue): At {
  return { value, path: { step, outer: path } };
}

export function matches(pattern: string, text: string, check: Check): boolean {
  let matcher = check.matchers.get(pattern);
  if (matcher === undefined) {
    const program = check.program(pattern);
    // an unusable pattern is a finding of the schema already
    if (program === undefined) return true;
    matcher = new Matcher(program, check.meter);
    check.matchers.set(pattern, matcher);
  }
  return matcher.test(text);
}

/** Costs steps for each character that it compares. */
export function isSame(one: JsonValue, other: JsonValue, meter: Meter): boolean {
  if (typeof one !== 'object' || one === null) return one === other;
  if (typeof other !== 'object' || other === null) return false;
  return canonical(one, meter) === canonical(other, meter);
}

/** A text that is the same for equal values. */
export function canonical(value: JsonValue, meter: Meter): string {
  const text = canonicalJson(value);
  meter.spend(1 + Math.ceil(text.length / 4));
  return text;
}

export function schemasIn(value: JsonValue | undefined): readonly JsonValue[] {
  return isJsonList(value) ? value : [];
}

const MAX_QUOTE_CHARS = 200;

/** Quotes a part of the schema, never of the value. */
export function quote(value: JsonValue): string {
  const text = textOrJson(value);
  return text.length <= MAX_QUOTE_CHARS ? text : `${text.slice(0, MAX_QUOTE_CHARS)}…`;
}
