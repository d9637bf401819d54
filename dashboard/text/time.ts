/** Points in time and durations in words, for tables and axes. */

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** `12 s ago`, `3 min ago`, `2 h ago`, `5 d ago`; `in 3 min`, `in 2 h 30 min` for the future. */
export function agoWords(iso: string, nowMs: number): string {
  const ms = nowMs - Date.parse(iso);
  if (Number.isNaN(ms)) return '';
  if (Math.abs(ms) < 1000) return 'now';
  return ms < 0 ? `in ${deadlineWords(-ms)}` : `${roughWords(ms)} ago`;
}

/** One unit, rounded down. */
function roughWords(ms: number): string {
  if (ms < MINUTE) return `${Math.floor(ms / 1000)} s`;
  if (ms < HOUR) return `${Math.floor(ms / MINUTE)} min`;
  if (ms < DAY) return `${Math.floor(ms / HOUR)} h`;
  return `${Math.floor(ms / DAY)} d`;
}

/** Two units from an hour on: a person with an hour and 59 minutes has nearly two hours. */
function deadlineWords(ms: number): string {
  const rest = ms < HOUR ? 0 : ms % (ms < DAY ? HOUR : DAY);
  return rest < (ms < DAY ? MINUTE : HOUR)
    ? roughWords(ms)
    : `${roughWords(ms)} ${roughWords(rest)}`;
}

/** The zone that times are shown in: minutes east of Greenwich at that moment. */
export type ZoneOffset = (atMs: number) => number;

export const UTC: ZoneOffset = () => 0;

/** `2026-11-17 10:13:51`, in the given zone. */
export function dateWords(iso: string, zone: ZoneOffset): string {
  const ms = Date.parse(iso);
  if (Number.isNaN(ms)) return iso;
  return new Date(ms + zone(ms) * MINUTE).toISOString().slice(0, 19).replace('T', ' ');
}

/** `10:13:51.301`, in the given zone; lists of events have their date in a heading. */
export function clockWords(iso: string, zone: ZoneOffset): string {
  const ms = Date.parse(iso);
  if (Number.isNaN(ms)) return iso;
  return new Date(ms + zone(ms) * MINUTE).toISOString().slice(11, 23);
}

const STEPS_MS = [
  1,
  2,
  5,
  10,
  20,
  50,
  100,
  200,
  500,
  1000,
  2000,
  5000,
  10_000,
  15_000,
  30_000,
  MINUTE,
  2 * MINUTE,
  5 * MINUTE,
  10 * MINUTE,
  15 * MINUTE,
  30 * MINUTE,
  HOUR,
  2 * HOUR,
  6 * HOUR,
  12 * HOUR,
  DAY,
  7 * DAY,
  30 * DAY,
  365 * DAY,
];

/** Round times on an axis of that length, at most `most`, without its end. */
export function axisTicks(lengthMs: number, most: number): readonly number[] {
  const step = STEPS_MS.find((each) => lengthMs / each <= most) ?? Math.ceil(lengthMs / most);
  const count = Math.floor(lengthMs / step);
  return Array.from({ length: count + 1 }, (_, index) => index * step);
}
