/** One look of a schema at a value, and what the checks of all keywords have in common. */
import type { JsonObject, JsonValue } from '../../errors/json.ts';
import { canonicalJson } from '../hash.ts';
import { toPointer } from '../path.ts';
import { Matcher } from '../pattern/matcher.ts';
import type { Program } from '../pattern/program.ts';
import type { Meter } from '../steps.ts';
import type { Finding } from './finding.ts';

export type Draft = '4' | '7' | '2019-09' | '2020-12';

/** Names and numbers of what a part of a schema has looked at, for the `unevaluated…` beside it. */
export type Seen = Set<string | number>;

/** One check of one value, with everything that its looks share. */
export interface Check {
  readonly draft: Draft;
  readonly meter: Meter;
  /** Undefined where only whether the value fits is asked. */
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
  readonly place: Place | undefined;
}

/** Where a value stands, from inside to outside. */
export interface Place {
  readonly step: string | number;
  readonly outer: Place | undefined;
}

export interface Look extends At {
  readonly schema: JsonObject;
  readonly check: Check;
  readonly seen: Seen | undefined;
}

/** More would not help anyone. */
export const MAX_FINDINGS = 20;

export function isTelling({ findings }: Check): boolean {
  return findings !== undefined && findings.size < MAX_FINDINGS;
}

/** Without a word: what fails inside of a choice is no fault of its own. */
export function silently(check: Check): Check {
  return check.findings === undefined ? check : { ...check, findings: undefined };
}

/** Each is asked as long as there is something to tell, else only to the first that is false. */
export function all<T>({ check }: Look, items: Iterable<T>, isGood: (item: T) => boolean): boolean {
  let areGood = true;
  for (const item of items) {
    if (isGood(item)) continue;
    areGood = false;
    if (!isTelling(check)) return false;
  }
  return areGood;
}

/** Notes what is wrong, and is false. */
export function wrong(
  { place, check }: Pick<Look, 'place' | 'check'>,
  words: string | (() => string),
): false {
  if (check.findings !== undefined && isTelling(check)) {
    const pointer = pointerOf(place);
    const message = typeof words === 'string' ? words : words();
    check.findings.set(`${pointer} ${message}`, { of: 'value', pointer, message });
  }
  return false;
}

const MAX_POINTER_CHARS = 300;

function pointerOf(innermost: Place | undefined): string {
  const path: (string | number)[] = [];
  for (let place = innermost; place !== undefined; place = place.outer) path.push(place.step);
  const pointer = toPointer(path.reverse()).toWellFormed();
  return pointer.length <= MAX_POINTER_CHARS ? pointer : `${pointer.slice(0, MAX_POINTER_CHARS)}…`;
}

/** What is inside of the value that is looked at. */
export function inside({ place }: Look, step: string | number, value: JsonValue): At {
  return { value, place: { step, outer: place } };
}

export function matches(pattern: string, text: string, check: Check): boolean {
  let matcher = check.matchers.get(pattern);
  if (matcher === undefined) {
    const program = check.program(pattern);
    // the form of a schema is judged before a value is
    if (program === undefined) return true;
    matcher = new Matcher(program, check.meter);
    check.matchers.set(pattern, matcher);
  }
  return matcher.test(text);
}

/** Costs what it compares. */
export function isSame(one: JsonValue, other: JsonValue, meter: Meter): boolean {
  if (typeof one !== 'object' || one === null) return one === other;
  if (typeof other !== 'object' || other === null) return false;
  return canonical(one, meter) === canonical(other, meter);
}

/** As text that is the same for the same value. */
export function canonical(value: JsonValue, meter: Meter): string {
  const text = canonicalJson(value);
  meter.spend(1 + Math.ceil(text.length / 4));
  return text;
}

export function schemasIn(value: JsonValue | undefined): readonly JsonValue[] {
  return Array.isArray(value) ? (value as readonly JsonValue[]) : [];
}

const MAX_QUOTE_CHARS = 200;

/** A piece of the schema, never of the value. */
export function quote(value: JsonValue): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.length <= MAX_QUOTE_CHARS ? text : `${text.slice(0, MAX_QUOTE_CHARS)}…`;
}
