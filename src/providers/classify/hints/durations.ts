/** Durations as servers write them: `34.4s`, `9m38.016s`, `1 minute and 5 seconds`, `12:53:41`, `PT1M30S`, `20秒`. */

/** The names of the units, in the languages that servers answer in. */
const UNITS: readonly (readonly [ms: number, names: string])[] = [
  [1, 'ms millisecond milliseconds мс миллисекунд миллисекунды 毫秒 ミリ秒 밀리초'],
  [
    1000,
    's sec secs second seconds segundo segundos seconde secondes secondi sekunde sekunden seconden sekund sekúnd sekundu sekundy sekundach sekunder secunde секунди секунд секунду секунды saniye giây detik 秒 초',
  ],
  [
    60_000,
    'm min mins minute minutes minuto minutos minuti minuten minut minút minúty minútu minutu minuty minutach minuter minutter хвилин хвилину минут минуту минуты dakika phút menit 分钟 分鐘 分 분',
  ],
  [
    3_600_000,
    'h hr hrs hour hours hora horas heure heures stunde stunden ore uur godzin godziny godzinach hodin hodín hodinu hodiny timmar timer годин час часа часов saat giờ jam 小时 小時 時間 시간',
  ],
  [86_400_000, 'd day days'],
];

const UNIT_MS: ReadonlyMap<string, number> = new Map(
  UNITS.flatMap(([ms, names]) => names.split(' ').map((name) => [name, ms] as const)),
);

/** Anything longer is a mistake, not a wait. */
const MAX_HINT_MS = 366 * 86_400_000;

const PART = /(\d{1,3}(?:,\d{3}){1,3}|\d{1,12}(?:\.\d{1,20})?)\s{0,2}(\p{L}{1,12})/uy;
/** .NET puts the days before a dot: `20.09:58:55`. */
const CLOCK = /(?:(\d{1,3})\.)?(\d{1,3}):([0-5]\d):([0-5]\d)\b/y;
const JOINT = /(?:,?\s{1,2}and\s{1,2}|,\s{0,2}|\s{0,2})/y;
/** ISO 8601 has the same parts behind its letters: `PT1M30S`, `P1DT2H`. */
const ISO_LETTERS = /^p(?:(\d{1,4}d)t?|t(?=\d))/;

export interface FoundDuration {
  readonly ms: number;
  /** The place behind its last character. */
  readonly end: number;
}

/** The duration at the start of the text, in whole milliseconds, rounded down. */
export function parseDuration(text: string): number | undefined {
  const lower = text.slice(0, 80).trim().toLowerCase().replace(ISO_LETTERS, '$1');
  return durationAt(lower, 0)?.ms;
}

/** The duration that begins at a place of a text in lower case. */
export function durationAt(lower: string, start: number): FoundDuration | undefined {
  CLOCK.lastIndex = start;
  const clock = CLOCK.exec(lower);
  if (clock !== null) {
    const [, days = 0, hours, minutes, seconds] = clock;
    const allHours = Number(days) * 24 + Number(hours);
    return found(((allHours * 60 + Number(minutes)) * 60 + Number(seconds)) * 1000, CLOCK);
  }
  let total = 0;
  let next = start;
  let end = start;
  for (;;) {
    PART.lastIndex = next;
    const part = PART.exec(lower);
    const unit = UNIT_MS.get(part?.[2] ?? '');
    if (part === null || unit === undefined) break;
    total += toMicros(part[1] ?? '0') * unit;
    end = PART.lastIndex;
    JOINT.lastIndex = end;
    next = end + (JOINT.exec(lower)?.[0].length ?? 0);
  }
  const ms = end === start ? undefined : acceptMs(total / 1_000_000);
  return ms === undefined ? undefined : { ms, end };
}

function found(ms: number, { lastIndex: end }: RegExp): FoundDuration | undefined {
  const accepted = acceptMs(ms);
  return accepted === undefined ? undefined : { ms: accepted, end };
}

/** The order of Asian languages: the time first, then the verb. */
export function durationBefore(text: string): number | undefined {
  const match = BEFORE.exec(text);
  return match === null
    ? undefined
    : acceptMs(Number(match[1]) * (UNIT_MS.get(match[2] ?? '') ?? NaN));
}

const BEFORE =
  /(\d{1,9})\s{0,2}(毫秒|ミリ秒|밀리초|秒|分钟|分鐘|分|小时|小時|時間|초|분|시간|ms|s|min)\s{0,2}(?:钟)?\s{0,2}(?:之后|以后|后|後|후|뒤)/;

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
  return Math.round(Number(digits.replaceAll(',', '')) * 1_000_000);
}
