/** Keywords for strings and numbers. */
import { FORMATS } from './formats.ts';
import { all, matches, quote, wrong, type KeywordContext } from './keyword-context.ts';

/** Characters that can be counted at the cost of a step. */
const CHARS_PER_STEP = 16;

export function checkText(context: KeywordContext, text: string): boolean {
  const { schema, check } = context;
  const { minLength, maxLength, pattern, format } = schema;
  const isMeasured = minLength !== undefined || maxLength !== undefined;
  if (isMeasured) check.meter.spend(Math.ceil(text.length / CHARS_PER_STEP));
  const length = isMeasured ? lengthOf(text) : 0;
  return every(context, [
    () =>
      typeof minLength !== 'number' ||
      length >= minLength ||
      wrong(context, `must have at least ${minLength} characters`),
    () =>
      typeof maxLength !== 'number' ||
      length <= maxLength ||
      wrong(context, `must have at most ${maxLength} characters`),
    () =>
      typeof pattern !== 'string' ||
      matches(pattern, text, check) ||
      wrong(context, 'must match the pattern of its schema'),
    () => typeof format !== 'string' || hasFormat(context, format, text),
  ]);
}

/** These keywords never recurse, so calling a function for each costs no stack depth. */
function every(context: KeywordContext, checks: readonly (() => boolean)[]): boolean {
  return all(context, checks, (isGood) => isGood());
}

/** Length in characters, some of which take two UTF-16 units. */
function lengthOf(text: string): number {
  let length = 0;
  for (let at = 0; at < text.length; at++) {
    length++;
    if ((text.codePointAt(at) ?? 0) > 0xff_ff) at++;
  }
  return length;
}

function hasFormat(context: KeywordContext, format: string, text: string): boolean {
  const isGood = FORMATS.get(format);
  if (isGood === undefined) return true;
  context.check.meter.spend(1 + text.length);
  return isGood(text) || wrong(context, `must have the format ${quote(format)}`);
}

export function checkNumber(context: KeywordContext, value: number): boolean {
  const { schema, check } = context;
  const { minimum, maximum, multipleOf } = schema;
  const isDraft4 = check.draft === '4';
  const above = exclusive(schema['exclusiveMinimum'], minimum, isDraft4);
  const below = exclusive(schema['exclusiveMaximum'], maximum, isDraft4);
  const from = schema['exclusiveMinimum'] === true ? undefined : minimum;
  const to = schema['exclusiveMaximum'] === true ? undefined : maximum;
  return every(context, [
    () => typeof from !== 'number' || value >= from || wrong(context, `must be at least ${from}`),
    () => typeof to !== 'number' || value <= to || wrong(context, `must be at most ${to}`),
    () => typeof above !== 'number' || value > above || wrong(context, `must be above ${above}`),
    () => typeof below !== 'number' || value < below || wrong(context, `must be below ${below}`),
    () =>
      typeof multipleOf !== 'number' ||
      isMultipleOf(value, multipleOf) ||
      wrong(context, `must be a multiple of ${multipleOf}`),
  ]);
}

/**
 * Draft 4 has a boolean where later drafts have a number. Many tools write its form without naming the
 * draft, and it has no other meaning.
 */
function exclusive(keyword: unknown, bound: unknown, isDraft4: boolean): unknown {
  if (keyword === true) return bound;
  return isDraft4 ? undefined : keyword;
}

/** Compares decimal digits: 0.3 is three times 0.1, although binary fractions differ. */
function isMultipleOf(value: number, divisor: number): boolean {
  const [first, firstExponent] = digitsOf(value);
  const [second, secondExponent] = digitsOf(divisor);
  const shift = firstExponent - secondExponent;
  return shift >= 0
    ? (first * 10n ** BigInt(shift)) % second === 0n
    : first % (second * 10n ** BigInt(-shift)) === 0n;
}

function digitsOf(value: number): readonly [digits: bigint, exponent: number] {
  const [coefficient = '0', exponent = '0'] = String(Math.abs(value)).split('e');
  const [whole = '0', fraction = ''] = coefficient.split('.');
  return [BigInt(`${whole}${fraction}`), Number(exponent) - fraction.length];
}
