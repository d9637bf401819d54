/** Moments as servers write them: a date with its zone, an epoch, or the time of a day. */

/** When a limit ends, behind the words that say so. */
const LEAD =
  /\b(?:resets?|again|available|possible|retry|until|refreshes|renews|allowed|resumes?|unblocked|lifted|not before|next (?:one|request|call|try|attempt))(?: (?:at|on|after))?:? ?/gi;

const ISO =
  /^(\d{4}-\d\d-\d\d)[T ](?:at )?(\d\d:\d\d(?::\d\d(?:\.\d{1,6})?)?) ?(Z|UTC|GMT|[+-]\d\d:?\d\d)/i;
/** RFC 9110 and the print of a date in JavaScript. */
const NAMED =
  /^(?:[a-z]{3},? )?(?:\d{1,2} [a-z]{3}|[a-z]{3} \d{1,2},?) \d{4},? \d\d:\d\d(?::\d\d)? (?:GMT|UTC)(?:[+-]\d{4})?/i;
const EPOCH = /^(\d{10}|\d{13})(?![\d.]*\d)/;
const OF_DAY = /^(\d{1,2}):(\d\d)(?::(\d\d))? ?([ap]m)? ?(?:UTC|GMT)([+-]\d{1,2})?(?![\d:])/i;

/** All of them have a part of this form. */
const CLOCK_OR_EPOCH = /\d:\d|\d{10}/;

const MAX_CHARS = 64;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/**
 * The first moment that the text names as the end of a wait. The time of a day is the next one after the
 * server's own clock; without that it says nothing.
 */
export function momentIn(text: string, serverMs: number | undefined): number | undefined {
  if (!CLOCK_OR_EPOCH.test(text)) return undefined;
  for (const lead of text.matchAll(LEAD)) {
    const start = lead.index + lead[0].length;
    const moment = parseMoment(text.slice(start, start + MAX_CHARS), serverMs);
    if (moment !== undefined) return moment;
  }
  return undefined;
}

function parseMoment(text: string, serverMs: number | undefined): number | undefined {
  const iso = ISO.exec(text);
  if (iso !== null) {
    const [, day = '', time = '', zone = ''] = iso;
    return parseDate(`${day}T${time}${/^(?:Z|UTC|GMT)$/i.test(zone) ? 'Z' : withColon(zone)}`);
  }
  const epoch = EPOCH.exec(text)?.[1];
  if (epoch !== undefined) return Number(epoch) * (epoch.length === 10 ? 1000 : 1);
  const named = NAMED.exec(text);
  if (named !== null) return parseDate(named[0]);
  return serverMs === undefined ? undefined : nextTimeOfDay(text, serverMs);
}

function nextTimeOfDay(text: string, serverMs: number): number | undefined {
  const [matched, hours, minutes, seconds = '0', half, zone = '0'] = OF_DAY.exec(text) ?? [];
  if (matched === undefined) return undefined;
  const ofHalf = half === undefined ? Number(hours) : Number(hours) % 12;
  const hour = ofHalf + (half?.toLowerCase() === 'pm' ? 12 : 0) - Number(zone);
  const ofDay = hour * HOUR_MS + Number(minutes) * 60_000 + Number(seconds) * 1000;
  const since = (((ofDay - (serverMs % DAY_MS)) % DAY_MS) + DAY_MS) % DAY_MS;
  return serverMs + since;
}

function withColon(zone: string): string {
  return zone.includes(':') ? zone : `${zone.slice(0, 3)}:${zone.slice(3)}`;
}

export function parseDate(value: string | undefined): number | undefined {
  if (value === undefined || !/\d{4}/.test(value) || value.length > 64) return undefined;
  const ms = Date.parse(value);
  return Number.isNaN(ms) ? undefined : ms;
}
