/** Durations as files write them: `500ms`, `60s`, `2.5m`, `1h`, `2d`, or a number of seconds. */
const UNIT_MS: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};

/** A leap year. Anything longer is a mistake, and may lie beyond the last valid date. */
const MAX_DURATION_MS = 366 * 86_400_000;
export const MAX_SECONDS = MAX_DURATION_MS / 1000;

/** Zero included. A string, so that the JSON Schema can use the same pattern. */
export const DELAY_PATTERN = `^0{0,8}(?:${Object.entries(UNIT_MS).map(upToLongest).join('|')})$`;
/** Above zero. */
export const DURATION_PATTERN = `^(?=.*[1-9])${DELAY_PATTERN.slice(1)}`;

export const DURATION_FORM = 'a duration such as 500ms, 60s, 2.5m, 1h or 2d, at most 366d';

/** Matches all numbers of a unit up to the longest duration. */
function upToLongest([unit, unitMs]: readonly [string, number]): string {
  const longest = String(MAX_DURATION_MS / unitMs);
  const below = Array.from(longest, (digit, at) => {
    const rest = `\\d{${longest.length - at - 1}}`;
    return digit === '0' ? [] : [`${longest.slice(0, at)}[0-${Number(digit) - 1}]${rest}`];
  });
  const shorter = [`\\d{1,${longest.length - 1}}`, ...below.flat()];
  return `(?:(?:${shorter.join('|')})(?:\\.\\d{1,6})?|${longest}(?:\\.0{1,6})?)${unit}`;
}

/**
 * Milliseconds, rounded up so that nothing waits less than requested; undefined when the text is
 * not a duration, or too long a one.
 */
export function parseDuration(value: string | number): number | undefined {
  const ms = typeof value === 'number' ? secondsToMs(value) : writtenMs(value);
  return ms >= 0 && ms <= MAX_DURATION_MS ? ms : undefined;
}

function writtenMs(text: string): number {
  const [, amount, unit = ''] = WRITTEN.exec(text) ?? [];
  return toWholeMs(Number(amount) * (UNIT_MS[unit] ?? NaN));
}

const WRITTEN = /^(\d{1,20}(?:\.\d{1,6})?)(ms|s|m|h|d)$/;

/** Suggests a duration for `24 hours` and `5 min`; undefined for anything else. */
export function meantDuration(written: string): string | undefined {
  const parts = /^(\d{1,9}(?:\.\d{1,6})?)\s*([a-z]+)$/i.exec(written.trim());
  const [, amount = '', word = ''] = parts ?? [];
  const unit = UNIT_WORDS.find(([pattern]) => pattern.test(word))?.[1];
  const meant = unit === undefined ? '' : `${amount}${unit}`;
  return new RegExp(DURATION_PATTERN).test(meant) ? meant : undefined;
}

const UNIT_WORDS: readonly (readonly [RegExp, string])[] = [
  [/^(ms|msecs?|millis|milliseconds?)$/i, 'ms'],
  [/^(s|secs?|seconds?)$/i, 's'],
  [/^(m|mins?|minutes?)$/i, 'm'],
  [/^(h|hrs?|hours?)$/i, 'h'],
  [/^(d|days?)$/i, 'd'],
];

export function secondsToMs(seconds: number): number {
  return toWholeMs(seconds * 1000);
}

/** 1.1 s is 1100 ms, although 1.1 * 1000 is a little more in binary. */
function toWholeMs(ms: number): number {
  return Math.ceil(Number(ms.toFixed(6)));
}
