/** The keywords for texts and numbers. */
import { FORMATS } from './formats.ts';
import { all, matches, quote, wrong, type Look } from './look.ts';

export function checkText(look: Look, text: string): boolean {
  const { schema, check } = look;
  const { minLength, maxLength, pattern, format } = schema;
  const length = minLength === undefined && maxLength === undefined ? 0 : lengthOf(text);
  return every(look, [
    () =>
      typeof minLength !== 'number' ||
      length >= minLength ||
      wrong(look, `must have at least ${minLength} characters`),
    () =>
      typeof maxLength !== 'number' ||
      length <= maxLength ||
      wrong(look, `must have at most ${maxLength} characters`),
    () =>
      typeof pattern !== 'string' ||
      matches(pattern, text, check) ||
      wrong(look, 'must match the pattern of its schema'),
    () => typeof format !== 'string' || hasFormat(look, format, text),
  ]);
}

/** Nothing below these has anything below it, so that a function each costs no depth. */
function every(look: Look, checks: readonly (() => boolean)[]): boolean {
  return all(look, checks, (isGood) => isGood());
}

/** In characters, of which some take two places. */
function lengthOf(text: string): number {
  let length = 0;
  for (let at = 0; at < text.length; at++) {
    length++;
    if ((text.codePointAt(at) ?? 0) > 0xff_ff) at++;
  }
  return length;
}

function hasFormat(look: Look, format: string, text: string): boolean {
  const isGood = FORMATS.get(format);
  if (isGood === undefined) return true;
  look.check.meter.spend(1 + text.length);
  return isGood(text) || wrong(look, `must have the format ${quote(format)}`);
}

export function checkNumber(look: Look, value: number): boolean {
  const { schema, check } = look;
  const { minimum, maximum, multipleOf } = schema;
  // draft 4 has a flag where later ones have a number
  const isFlagged = check.draft === '4';
  const above = isFlagged
    ? flagged(schema['exclusiveMinimum'], minimum)
    : schema['exclusiveMinimum'];
  const below = isFlagged
    ? flagged(schema['exclusiveMaximum'], maximum)
    : schema['exclusiveMaximum'];
  const from = isFlagged && above !== undefined ? undefined : minimum;
  const to = isFlagged && below !== undefined ? undefined : maximum;
  return every(look, [
    () => typeof from !== 'number' || value >= from || wrong(look, `must be at least ${from}`),
    () => typeof to !== 'number' || value <= to || wrong(look, `must be at most ${to}`),
    () => typeof above !== 'number' || value > above || wrong(look, `must be above ${above}`),
    () => typeof below !== 'number' || value < below || wrong(look, `must be below ${below}`),
    () =>
      typeof multipleOf !== 'number' ||
      isMultipleOf(value, multipleOf) ||
      wrong(look, `must be a multiple of ${multipleOf}`),
  ]);
}

function flagged(flag: unknown, bound: unknown): unknown {
  return flag === true ? bound : undefined;
}

/** By their digits: 0.3 is three times 0.1, whatever binary fractions say. */
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
