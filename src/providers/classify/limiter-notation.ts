/** Limits as limiters write them, a count and a window of some length: `50 per 1 day`, `5 requests every 30 days`. */

const NOTATION =
  /\b\d{1,9}(?: (?:requests?|calls?|messages?|queries|generations?|images?|tokens?))? (?:per|every) (\d{1,5}) ?(second|minute|hour|day|week|month|year)s?\b/gi;

const HOURS: Readonly<Record<string, number>> = {
  second: 1 / 3600,
  minute: 1 / 60,
  hour: 1,
  day: 24,
  week: 168,
  month: 720,
  year: 8760,
};

/** Names the long windows in a text as quotas are named: `per_day`, `per_month`. */
export function longWindowsIn(text: string): readonly string[] {
  // a search that begins with a space or an e stops at every word
  if (!text.includes('per ') && !text.includes('very ')) return NO_WINDOWS;
  const hours = [...text.matchAll(NOTATION)].map(
    ([, count, unit = '']) => Number(count) * (HOURS[unit.toLowerCase()] ?? 0),
  );
  return hours.flatMap((window) => {
    if (window < DAY) return [];
    return [window < MONTH ? 'per_day' : 'per_month'];
  });
}

const NO_WINDOWS: readonly string[] = [];
const DAY = 24;
const MONTH = 672;

/** A paragraph of a page that has nothing but a limit. */
export const LIMIT_PARAGRAPH =
  /<p[^>]{0,80}>\s{0,20}(\d{1,9} per \d{1,5} [a-z]{3,8})\s{0,20}<\/p>/i;
