/**
 * Retry hints: how long the server asks us to wait, from every field that may say so, the most exact first.
 * A senseless value (negative, infinite, not a number) is no hint. A moment in the past is a wait of 0 in
 * `retry-after`, where it is meant for us, and none as the end of a window or in a sentence.
 */
import { acceptMs, atMostMs, parseDuration } from './durations.ts';
import type { Evidence } from '../evidence.ts';
import { momentIn, parseDate } from './moments.ts';
import { waitOnPage } from './wait-on-page.ts';
import { hasPage, pageWords } from '../web-page.ts';

export interface RetryHint {
  readonly ms: number;
  /** Where it was found, for the receipt. */
  readonly from: string;
}

/** A length of time that the prose names. */
export const MESSAGE = 'message';

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
  const hasHeaders = Object.keys(headers).length > 0;
  const serverMs = hasHeaders ? parseDate(headers['date']) : undefined;
  const now = serverMs ?? options.nowMs;
  const named = hasHeaders
    ? (fromMillisecondHeaders(headers) ?? fromRetryAfter(headers, now))
    : undefined;
  const meant = named ?? fromRetryInfo(evidence);
  if (meant !== undefined) return meant;
  const reset = options.readResets
    ? (fromResetHeaders(headers, now) ?? hint(resetMs(evidence.retryAt ?? '', now), 'reset'))
    : undefined;
  // the rest of a window, in whole seconds, is 0 for its last one
  if (reset !== undefined && reset.ms > 0) return reset;
  return (options.readProse ? fromWords(evidence, serverMs, now) : undefined) ?? reset;
}

/** From the text, or from all words of a page. */
function fromWords(
  { form, text, prose, failure }: Evidence,
  serverMs: number | undefined,
  now: number | undefined,
): RetryHint | undefined {
  const page = pageOf(form, failure);
  const stated = page === undefined ? prose.wait().ms : waitOnPage(page);
  if (stated !== undefined) return { ms: stated, from: MESSAGE };
  if (now === undefined) return undefined;
  // a sentence may speak of a moment that is long past, which is no invitation to call at once
  const ms = untilMs(momentIn(page === undefined ? text : pageWords(page), serverMs), now);
  return ms === 0 ? undefined : hint(ms, DATE_IN_MESSAGE);
}

/** A page in place of the reply, or printed by a client. */
function pageOf(
  form: Evidence['form'],
  { body, transport }: Evidence['failure'],
): string | undefined {
  if (form === 'html' && typeof body === 'string') return body;
  const printed = typeof body === 'string' ? body : transport?.message;
  return printed !== undefined && hasPage(printed) ? printed : undefined;
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
    return hint(
      numberIn(value, 1000) ?? parseDuration(value) ?? untilMs(parseDate(value), now),
      'retry-after',
    );
  const own = Object.keys(headers).find((name) => OWN_RETRY_AFTER.test(name));
  return own === undefined ? undefined : hint(resetMs(headers[own] ?? '', now), own);
}

/** A gateway's own spelling: `x-ai-ratelimit-retry-after-300-llama2`. */
const OWN_RETRY_AFTER = /^(?:[a-z0-9]{1,20}-){0,4}retry-?after(?:-[\w-]{1,40})?$/;

function fromRetryInfo(evidence: Evidence): RetryHint | undefined {
  const delay = evidence.retryDelay;
  return delay === undefined ? undefined : hint(parseDuration(delay), 'RetryInfo');
}

/** `x-ratelimit-reset-tokens`, `anthropic-ratelimit-requests-reset`, `ratelimitbysize-reset`. */
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
  /^(?:[a-z0-9]{1,20}-){0,3}rate-?limit(?:by[a-z]{1,20})?-(?:reset(?:-([\w-]{1,40}))?|([\w-]{1,40})-reset)$/;

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

const NUMBER = /^\d{1,40}(?:\.\d{1,9})?$/;

function numberIn(value: string | undefined, unitMs: number): number | undefined {
  const trimmed = value?.trim() ?? '';
  return NUMBER.test(trimmed) ? atMostMs(Number(trimmed) * unitMs) : undefined;
}

function untilMs(moment: number | undefined, now: number | undefined): number | undefined {
  return moment === undefined || now === undefined
    ? undefined
    : atMostMs(Math.max(0, moment - now));
}
