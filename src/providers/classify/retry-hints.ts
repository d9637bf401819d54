/**
 * Retry hints: how long the server asks us to wait, from every field that may say so, the most exact first.
 * A senseless value (negative, infinite, not a number) is no hint. A moment in the past is a wait of 0 in
 * `retry-after`, where it is meant for us, and none as the end of a window or in a sentence.
 */
import { hasFamily } from './phrases.ts';
import { acceptMs, atMostMs, durationBefore, parseDuration } from './durations.ts';
import type { Evidence } from './evidence.ts';
import { pageWords } from './web-page.ts';

export interface RetryHint {
  readonly ms: number;
  /** Where it was found, for the receipt. */
  readonly from: string;
}

/** A moment that the prose names; how long the wait is, our own clock decides. */
export const DATE_IN_MESSAGE = 'date in message';

export interface HintOptions {
  readonly nowMs: number | undefined;
  /** Prose may mean another wait than ours, so it counts only for failures that waiting can fix. */
  readonly readProse: boolean;
  /** Every response names the windows of its limits; they matter only when a limit was hit. */
  readonly readResets: boolean;
}

type Headers = Readonly<Record<string, string>>;

export function findHint(evidence: Evidence, options: HintOptions): RetryHint | undefined {
  const { headers } = evidence;
  const now = parseDate(headers['date']) ?? options.nowMs;
  return (
    fromMillisecondHeaders(headers) ??
    fromRetryAfter(headers, now) ??
    fromRetryInfo(evidence) ??
    (options.readResets ? fromResetHeaders(headers, now) : undefined) ??
    (options.readResets ? hint(resetMs(evidence.retryAt ?? '', now), 'reset') : undefined) ??
    (options.readProse ? fromWords(wordsOfWait(evidence), now) : undefined)
  );
}

/** The text where it speaks of a wait, or all words of a page. */
function wordsOfWait({ matchedFamilies, form, text, failure }: Evidence): string | undefined {
  if (form === 'html' && typeof failure.body === 'string') return pageWords(failure.body);
  return hasFamily(matchedFamilies, 'wait') ? text : undefined;
}

function fromWords(words: string | undefined, now: number | undefined): RetryHint | undefined {
  if (words === undefined) return undefined;
  const stated = fromProse(words);
  if (stated !== undefined) return stated;
  // a sentence may speak of a moment that is long past, which is no invitation to call at once
  const ms = untilMs(momentIn(words), now);
  return ms === 0 ? undefined : hint(ms, DATE_IN_MESSAGE);
}

function hint(ms: number | undefined, from: string): RetryHint | undefined {
  return ms === undefined ? undefined : { ms, from };
}

function fromMillisecondHeaders(headers: Headers): RetryHint | undefined {
  for (const name of ['retry-after-ms', 'x-ms-retry-after-ms']) {
    const found = hint(numberIn(headers[name], 1), name);
    if (found !== undefined) return found;
  }
  return undefined;
}

function fromRetryAfter(headers: Headers, now: number | undefined): RetryHint | undefined {
  const value = headers['retry-after'];
  if (value !== undefined)
    return hint(numberIn(value, 1000) ?? untilMs(parseDate(value), now), 'retry-after');
  const own = Object.keys(headers).find((name) => OWN_RETRY_AFTER.test(name));
  return own === undefined ? undefined : hint(resetMs(headers[own] ?? '', now), own);
}

/** A gateway's own spelling: `x-ai-ratelimit-retry-after-300-llama2`. */
const OWN_RETRY_AFTER = /^(?:[a-z0-9]{1,20}-){0,4}retry-?after(?:-[\w-]{1,40})?$/;

function fromRetryInfo(evidence: Evidence): RetryHint | undefined {
  const delay = evidence.retryDelay;
  return delay === undefined ? undefined : hint(parseDuration(delay), 'RetryInfo');
}

/** `x-ratelimit-reset-tokens`, `anthropic-ratelimit-requests-reset`, `x-rate-limit-reset-…`. */
function fromResetHeaders(headers: Headers, now: number | undefined): RetryHint | undefined {
  const resets = Object.keys(headers).flatMap((name) => {
    const dimension = resetDimension(name);
    const ms = dimension === undefined ? undefined : resetMs(headers[name] ?? '', now);
    if (ms === undefined || dimension === undefined) return [];
    return [{ name, ms, isSpent: isSpent(headers, name, dimension) }];
  });
  const draft = DRAFT_RESET.exec(headers['ratelimit'] ?? '');
  if (resets.length === 0 && draft !== null)
    return hint(acceptMs(Number(draft[1]) * 1000), 'ratelimit');
  const spent = resets.filter((reset) => reset.isSpent);
  const longest = (spent.length > 0 ? spent : resets).sort((a, b) => b.ms - a.ms)[0];
  return longest === undefined ? undefined : hint(longest.ms, longest.name);
}

/** Both forms of the IETF draft: `"default";r=0;t=30` and `limit=100, remaining=0, reset=50`. */
const DRAFT_RESET = /(?:^|[;,])\s{0,4}(?:t|reset)=(\d{1,9})(?=[;,\s]|$)/;

const RESET_HEADER =
  /^(?:[a-z0-9]{1,20}-){0,3}rate-?limit-(?:reset(?:-([\w-]{1,40}))?|([\w-]{1,40})-reset)$/;

/** A vendor's own name for the rest of a window: `x-codex-primary-reset-after-seconds`. */
const REST_HEADER = /^(?:[a-z0-9]{1,20}-){1,4}reset-(?:after|in)(?:-seconds)?$/;

function resetDimension(name: string): string | undefined {
  if (REST_HEADER.test(name)) return name;
  const match = RESET_HEADER.exec(name);
  return match === null ? undefined : (match[1] ?? match[2] ?? '');
}

function isSpent(headers: Headers, name: string, dimension: string): boolean {
  const remaining = name.endsWith('-reset')
    ? headers[name.replace(/reset$/, 'remaining')]
    : headers[name.replace('reset', 'remaining')];
  return dimension !== undefined && remaining !== undefined && Number(remaining) <= 0;
}

/** Seconds from now, an epoch in seconds or milliseconds, a duration, or a date. */
function resetMs(value: string, now: number | undefined): number | undefined {
  if (!NUMBER.test(value.trim())) return parseDuration(value) ?? windowEnd(parseDate(value), now);
  const number = Number(value);
  if (number > 1e11) return windowEnd(number, now);
  if (number > 1e8) return windowEnd(number * 1000, now);
  return acceptMs(number * 1000);
}

/** A window that had ended before this refusal is not the one that was hit. */
function windowEnd(moment: number | undefined, now: number | undefined): number | undefined {
  const ms = untilMs(moment, now);
  return ms === 0 ? undefined : ms;
}

const PROSE_LEADS = [
  'request in ',
  'requests in ',
  'refresh in ',
  'refreshes in ',
  'renews in ',
  'resume in ',
  'retried in ',
  'retried after ',
  'try again in ',
  'retry in ',
  'retry after ',
  'retrying in ',
  'try again after ',
  'again in ',
  'wait ',
  'wait for ',
  'available in ',
  'reset in ',
  'resets in ',
  'reset after ',
  'reset will occur in ',
  'replenished in ',
  'novamente em ',
  'nuevo en ',
  'erneut in ',
  'essayer dans ',
];

function fromProse(text: string): RetryHint | undefined {
  const lower = text.slice(0, MAX_PROSE_CHARS).replaceAll('\n', ' ').toLowerCase();
  for (const lead of PROSE_LEADS) {
    for (let at = lower.indexOf(lead); at >= 0; at = lower.indexOf(lead, at + 1)) {
      const rest = lower.slice(at + lead.length, at + lead.length + 80).replace(ROUGHLY, '');
      const ms = parseDuration(withDigits(rest, lead));
      if (ms !== undefined) return { ms, from: 'message' };
    }
  }
  return hint(durationBefore(lower) ?? durationLeft(lower) ?? printedHeader(lower), 'message');
}

/** A client that prints the headers into its message: `retry-after: 7`. */
function printedHeader(lower: string): number | undefined {
  const [, unit, digits] =
    /\bretry-after(-ms)?["']?[:=] ?["']?(\d{1,9})\b(?![-:.]\d)/.exec(lower) ?? [];
  return digits === undefined
    ? undefined
    : acceptMs(Number(digits) * (unit === undefined ? 1000 : 1));
}

/** `about a minute`, `half an hour`, `two minutes`. */
function withDigits(rest: string, lead: string): string {
  const word = NUMBER_WORD.exec(rest);
  // to wait a minute is a figure of speech; in a minute is a time
  const isFigure = word !== null && word[1]?.startsWith('a') === true && lead.startsWith('wait');
  if (word === null || isFigure) return rest;
  return `${NUMBER_WORDS[word[1] ?? ''] ?? 1} ${rest.slice(word[0].length)}`;
}

const NUMBER_WORD =
  /^(half an?|an?|one|two|three|four|five|ten|fifteen|twenty|thirty|sixty) (?=[smhd])/;

const NUMBER_WORDS: Readonly<Record<string, number>> = {
  'half a': 0.5,
  'half an': 0.5,
  two: 2,
  three: 3,
  four: 4,
  five: 5,
  ten: 10,
  fifteen: 15,
  twenty: 20,
  thirty: 30,
  sixty: 60,
};

/** `5 seconds remaining until reset`. */
function durationLeft(lower: string): number | undefined {
  const left =
    /\b(\d{1,9} ?[a-z]{1,8}) (?:remaining|left|until|before (?:you|your|the next|retry))\b/.exec(
      lower,
    );
  return left === null ? undefined : parseDuration(left[1] ?? '');
}

/** An estimate is a wait all the same. */
const ROUGHLY = /^(?:~\s?|about |around |approximately |approx\.? |roughly |another |at least )/;

/** `resets at: 2026-11-15 00:00:42 UTC`: a moment counts only with its zone. */
const MOMENT =
  /\b(?:resets?|again|available|retry|until|refreshes) (?:at|on|after)?:? ?(\d{4}-\d\d-\d\d)[T ](?:at )?(\d\d:\d\d(?::\d\d(?:\.\d{1,6})?)?) ?(Z|UTC|GMT|[+-]\d\d:?\d\d)/i;

function momentIn(text: string): number | undefined {
  const found = MOMENT.exec(text.slice(0, MAX_PROSE_CHARS));
  if (found === null) return undefined;
  const [, day = '', time = '', zone = ''] = found;
  return parseDate(`${day}T${time}${/^(?:Z|UTC|GMT)$/i.test(zone) ? 'Z' : withColon(zone)}`);
}

function withColon(zone: string): string {
  return zone.includes(':') ? zone : `${zone.slice(0, 3)}:${zone.slice(3)}`;
}

const MAX_PROSE_CHARS = 8192;
const NUMBER = /^\d{1,40}(?:\.\d{1,9})?$/;

function numberIn(value: string | undefined, unitMs: number): number | undefined {
  const trimmed = value?.trim() ?? '';
  return NUMBER.test(trimmed) ? atMostMs(Number(trimmed) * unitMs) : undefined;
}

function parseDate(value: string | undefined): number | undefined {
  if (value === undefined || !/\d{4}/.test(value) || value.length > 64) return undefined;
  const ms = Date.parse(value);
  return Number.isNaN(ms) ? undefined : ms;
}

function untilMs(moment: number | undefined, now: number | undefined): number | undefined {
  return moment === undefined || now === undefined
    ? undefined
    : atMostMs(Math.max(0, moment - now));
}
