/**
 * Spellings of a secret that is a number: with separators between groups of its digits, with an exponent,
 * or rounded by a program that parsed it. Only for eight or more digits: shorter numbers occur by chance.
 */
const NUMBER = /^[-+]?(?<digits>\d+)(?:\.\d+)?$/;

const MIN_DIGITS = 8;

const SEPARATORS = [',', '.', ' ', '-', '_', "'", '’', '\u00a0', '\u2009', '\u202f'] as const;

/** The groups of telephone and account numbers, of amounts, and of cards. */
const GROUP_DIGITS = [2, 3, 4] as const;

/** Empty when the value is not a number. */
export function numberSpellings(value: string): readonly string[] {
  const written = value.trim();
  const digits = NUMBER.exec(written)?.groups?.['digits'];
  if (digits === undefined) return [];
  const grouped = GROUP_DIGITS.flatMap((size) =>
    SEPARATORS.flatMap((separator) => groupings(digits, size).map((all) => all.join(separator))),
  );
  return [...(digits.length < MIN_DIGITS ? [] : grouped), ...asRead(Number(written))];
}

/** From the left, as on a card, and from the right, as in an amount. */
function groupings(digits: string, size: number): readonly (readonly string[])[] {
  const first = digits.length % size;
  const fromRight = [digits.slice(0, first), ...pieces(digits.slice(first), size)];
  return [pieces(digits, size), fromRight.filter((group) => group !== '')];
}

function pieces(digits: string, size: number): readonly string[] {
  return Array.from({ length: Math.ceil(digits.length / size) }, (_, index) =>
    digits.slice(index * size, (index + 1) * size),
  );
}

function asRead(number: number): readonly string[] {
  if (!Number.isFinite(number)) return [];
  const size = Math.abs(number);
  const [mantissa = '', exponent = ''] = size.toExponential().split('e');
  // a round number becomes short with an exponent, and a short text occurs by chance
  if (mantissa.replace('.', '').length < MIN_DIGITS) return [];
  const power = exponent.replace('+', '');
  const exponents = ['e', 'E'].flatMap((mark) =>
    [exponent, power].map((each) => `${mantissa}${mark}${each}`),
  );
  return [String(size), ...exponents];
}
