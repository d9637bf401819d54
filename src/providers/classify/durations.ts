/** Durations as servers write them: `34.4s`, `9m38.016s`, `1 minute and 5 seconds`, `12:53:41`, `20秒`. */

const UNIT_MS: Readonly<Record<string, number>> = {
  ms: 1,
  millisecond: 1,
  milliseconds: 1,
  s: 1000,
  sec: 1000,
  secs: 1000,
  second: 1000,
  seconds: 1000,
  segundo: 1000,
  segundos: 1000,
  seconde: 1000,
  secondes: 1000,
  sekunde: 1000,
  sekunden: 1000,
  秒: 1000,
  초: 1000,
  m: 60_000,
  min: 60_000,
  mins: 60_000,
  minute: 60_000,
  minutes: 60_000,
  minuto: 60_000,
  minutos: 60_000,
  minuten: 60_000,
  分钟: 60_000,
  分鐘: 60_000,
  分: 60_000,
  분: 60_000,
  h: 3_600_000,
  hr: 3_600_000,
  hrs: 3_600_000,
  hour: 3_600_000,
  hours: 3_600_000,
  小时: 3_600_000,
  小時: 3_600_000,
  時間: 3_600_000,
  시간: 3_600_000,
  d: 86_400_000,
  day: 86_400_000,
  days: 86_400_000,
};

/** Anything longer is a mistake, not a wait. */
const MAX_HINT_MS = 366 * 86_400_000;

const PART = /(\d{1,12}(?:\.\d{1,20})?)\s{0,2}([a-z]{1,12})/gy;
/** .NET puts the days before a dot: `20.09:58:55`. */
const CLOCK = /^(?:(\d{1,3})\.)?(\d{1,3}):([0-5]\d):([0-5]\d)\b/;
const JOINT = /(?:,?\s{1,2}and\s{1,2}|,\s{0,2}|\s{0,2})/gy;

/** The duration at the start of the text, in whole milliseconds, rounded down. */
export function parseDuration(text: string): number | undefined {
  const lower = text.slice(0, 80).trimStart().toLowerCase();
  const clock = CLOCK.exec(lower);
  if (clock !== null) {
    const [, days = 0, hours, minutes, seconds] = clock;
    const allHours = Number(days) * 24 + Number(hours);
    return acceptMs(((allHours * 60 + Number(minutes)) * 60 + Number(seconds)) * 1000);
  }
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

/** The order of Asian languages: the time first, then the verb. */
export function durationBefore(text: string): number | undefined {
  const found = BEFORE.exec(text);
  return found === null ? undefined : acceptMs(Number(found[1]) * (UNIT_MS[found[2] ?? ''] ?? NaN));
}

const BEFORE =
  /(\d{1,9})\s{0,2}(秒|分钟|分鐘|分|小时|小時|時間|초|분|시간)\s{0,2}(?:钟)?\s{0,2}(?:之后|以后|后|後|후)/;

/** A wait in milliseconds, if it can be one. */
export function acceptMs(ms: number): number | undefined {
  return Number.isFinite(ms) && ms >= 0 && ms <= MAX_HINT_MS ? Math.floor(ms + 1e-6) : undefined;
}

/** The longest hint where a server asks for more: without a hint the call would be made sooner. */
export function atMostMs(ms: number): number | undefined {
  return acceptMs(Math.min(ms, MAX_HINT_MS));
}

/** Whole millionths, so that 38.016 s does not become 38.01599 s. */
function toMicros(digits: string): number {
  return Math.round(Number(digits) * 1_000_000);
}
