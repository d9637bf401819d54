/** Text functions of filters and methods, each bounded before it builds anything. */
import type { JsonValue } from '../../../errors/support/safe-json.ts';
import { findAll } from './find-text.ts';
import { TEMPLATE_LIMITS } from '../template-limits.ts';
import { boundList, boundOutput, chargeText, fail, type Evaluation } from './evaluation.ts';
import { aType } from './values.ts';

type Args = readonly (JsonValue | undefined)[];

/** Adding a character to a set costs as much as rewriting this many. */
const CHARS_OF_SET = 16;

export function wantText(run: Evaluation, value: JsonValue | undefined, name: string): string {
  if (typeof value === 'string') return value;
  return fail(run, `\`${name}\` must be a string, not ${aType(value ?? null)}`);
}

/** Undefined and null both mean that the argument is absent. */
export function wantCount(
  run: Evaluation,
  value: JsonValue | undefined,
  name: string,
): number | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value === 'number' && Number.isInteger(value)) return value;
  return fail(run, `\`${name}\` must be a whole number`);
}

/** Without `chars`, white space; otherwise any of those characters. */
export function stripText(run: Evaluation, text: string, chars: JsonValue | undefined): string {
  if (chars === undefined || chars === null) return trimmed(run, text);
  const wanted = wantText(run, chars, 'chars');
  chargeText(run, text.length + CHARS_OF_SET * wanted.length);
  const stripped = new Set(wanted);
  let start = 0;
  let end = text.length;
  while (start < end && stripped.has(text.charAt(start))) start++;
  while (end > start && stripped.has(text.charAt(end - 1))) end--;
  return text.slice(start, end);
}

/** Reads only the white space at both ends. */
function trimmed(run: Evaluation, text: string): string {
  const kept = text.trim();
  chargeText(run, text.length - kept.length);
  return kept;
}

/** Without a separator, at white space, and then no part is empty. */
export function splitText(run: Evaluation, text: string, [separator, most]: Args): JsonValue {
  const limit = wantCount(run, most, 'most') ?? -1;
  const cuts = limit < 0 ? TEMPLATE_LIMITS.listItems : limit;
  if (separator !== undefined && separator !== null)
    return splitAt(run, text, wantText(run, separator, 'separator'), cuts);
  chargeText(run, text.length);
  return splitAtBlanks(run, trimmed(run, text), cuts);
}

export function replaceText(run: Evaluation, text: string, [old, fresh, count]: Args): string {
  const from = wantText(run, old, 'old');
  const to = wantText(run, fresh, 'new');
  if (from === '') fail(run, '`old` must not be empty');
  const most = wantCount(run, count, 'count') ?? -1;
  const offsets = findAll(run, text, from, most < 0 ? Infinity : most);
  boundOutput(run, text.length + offsets.length * (to.length - from.length));
  chargeText(run, offsets.length * to.length);
  return cut(text, offsets, from.length).join(to);
}

function splitAt(run: Evaluation, text: string, separator: string, cuts: number): JsonValue {
  if (separator === '') fail(run, '`separator` must not be empty');
  const offsets = findAll(run, text, separator, cuts);
  boundList(run, offsets.length + 1);
  return cut(text, offsets, separator.length);
}

function splitAtBlanks(run: Evaluation, text: string, cuts: number): JsonValue {
  if (text === '') return [];
  const parts: string[] = [];
  let start = 0;
  for (const blank of text.matchAll(/\s+/g)) {
    if (parts.length >= cuts) break;
    parts.push(text.slice(start, blank.index));
    start = blank.index + blank[0].length;
  }
  boundList(run, parts.length + 1);
  return [...parts, text.slice(start)];
}

/** The parts between separators of length `width` at the offsets. */
function cut(text: string, offsets: readonly number[], width: number): readonly string[] {
  const starts = [0, ...offsets.map((offset) => offset + width)];
  return starts.map((start, index) => text.slice(start, offsets[index] ?? text.length));
}
