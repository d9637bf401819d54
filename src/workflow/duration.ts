/** Durations as files write them: `500ms`, `60s`, `2.5m`, `1h`, `2d`, or a number of seconds. */
const UNIT_MS: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};

/** Above zero. As text, so that the JSON Schema can say the same. */
export const DURATION_PATTERN = '^(?=.*[1-9])\\d{1,9}(\\.\\d{1,6})?(ms|s|m|h|d)$';
/** Zero too. */
export const DELAY_PATTERN = '^\\d{1,9}(\\.\\d{1,6})?(ms|s|m|h|d)$';

export const DURATION_FORM = 'a duration such as 500ms, 60s, 2.5m, 1h or 2d';

/** Milliseconds, rounded up so that nothing waits less than was asked; undefined when it is none. */
export function parseDuration(value: string | number): number | undefined {
  if (typeof value === 'number') {
    return Number.isFinite(value) && value >= 0 ? secondsToMs(value) : undefined;
  }
  const parts = /^(\d{1,9}(?:\.\d{1,6})?)(ms|s|m|h|d)$/.exec(value);
  const unit = UNIT_MS[parts?.[2] ?? ''];
  return parts === null || unit === undefined ? undefined : toWholeMs(Number(parts[1]) * unit);
}

/** `24 hours` and `5 min` in the form of a duration; undefined where nothing like that was meant. */
export function meantDuration(written: string): string | undefined {
  const parts = /^(\d{1,9}(?:\.\d{1,6})?)\s*([a-z]+)$/i.exec(written.trim());
  const [, amount = '', word = ''] = parts ?? [];
  const unit = UNIT_WORDS.find(([pattern]) => pattern.test(word))?.[1];
  const meant = unit === undefined ? undefined : `${amount}${unit}`;
  return meant !== undefined && new RegExp(DURATION_PATTERN).test(meant) ? meant : undefined;
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
