/** Durations as servers write them: `34.4s`, `9m38.016s`, `1 minute and 5 seconds`, `20ms`. */

const UNIT_MS: Readonly<Record<string, number>> = {
  ms: 1,
  millisecond: 1,
  milliseconds: 1,
  s: 1000,
  sec: 1000,
  secs: 1000,
  second: 1000,
  seconds: 1000,
  m: 60_000,
  min: 60_000,
  mins: 60_000,
  minute: 60_000,
  minutes: 60_000,
  h: 3_600_000,
  hr: 3_600_000,
  hrs: 3_600_000,
  hour: 3_600_000,
  hours: 3_600_000,
  d: 86_400_000,
  day: 86_400_000,
  days: 86_400_000,
};

/** Anything longer is a mistake, not a wait. */
const MAX_HINT_MS = 366 * 86_400_000;

const PART = /(\d{1,12}(?:\.\d{1,20})?)\s{0,2}([a-z]{1,12})/gy;
const JOINT = /(?:,?\s{1,2}and\s{1,2}|,\s{0,2}|\s{0,2})/gy;

/** The duration at the start of the text, in whole milliseconds, rounded down. */
export function parseDuration(text: string): number | undefined {
  const lower = text.slice(0, 80).trimStart().toLowerCase();
  let total = 0;
  let position = 0;
  let parts = 0;
  while (position < lower.length) {
    PART.lastIndex = position;
    const part = PART.exec(lower);
    const unit = part === null ? undefined : UNIT_MS[part[2] ?? ''];
    if (part === null || unit === undefined) break;
    total += toMicros(part[1] ?? '0') * unit;
    parts++;
    JOINT.lastIndex = PART.lastIndex;
    position = PART.lastIndex + (JOINT.exec(lower)?.[0].length ?? 0);
  }
  return parts === 0 ? undefined : acceptMs(total / 1_000_000);
}

/** A wait in milliseconds, if it can be one. */
export function acceptMs(ms: number): number | undefined {
  return Number.isFinite(ms) && ms >= 0 && ms <= MAX_HINT_MS ? Math.floor(ms + 1e-6) : undefined;
}

/** Whole millionths, so that 38.016 s does not become 38.01599 s. */
function toMicros(digits: string): number {
  return Math.round(Number(digits) * 1_000_000);
}
