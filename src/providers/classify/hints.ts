/**
 * How long the server asks us to wait, from everywhere it may say so, the most exact first. What
 * makes no sense (negative, infinite, not a number) is no hint; a moment in the past is a wait of 0.
 */
import { acceptMs, durationBefore, parseDuration } from './durations.ts';
import type { Evidence } from './evidence.ts';

export interface RetryHint {
  readonly ms: number;
  /** Where it was found, for the receipt. */
  readonly from: string;
}

export interface HintOptions {
  readonly nowMs: number | undefined;
  /** Prose may speak of another wait than ours, so only failures that waiting is about believe it. */
  readonly readProse: boolean;
  /** Windows of limits are told with every answer; they matter only when a limit was hit. */
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
    (options.readProse && evidence.spoken.has('wait') ? fromProse(evidence.text) : undefined)
  );
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
  if (value === undefined) return undefined;
  return hint(numberIn(value, 1000) ?? untilMs(parseDate(value), now), 'retry-after');
}

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
  const draft = /(?:^|;)\s{0,4}t=(\d{1,9})(?:;|$)/.exec(headers['ratelimit'] ?? '');
  if (resets.length === 0 && draft !== null)
    return hint(acceptMs(Number(draft[1]) * 1000), 'ratelimit');
  const spent = resets.filter((reset) => reset.isSpent);
  const longest = (spent.length > 0 ? spent : resets).sort((a, b) => b.ms - a.ms)[0];
  return longest === undefined ? undefined : hint(longest.ms, longest.name);
}

const RESET_HEADER =
  /^(?:x-)?(?:anthropic-)?rate-?limit-(?:reset(?:-([a-z0-9-]{1,40}))?|([a-z0-9-]{1,40})-reset)$/;

function resetDimension(name: string): string | undefined {
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
  if (!NUMBER.test(value.trim())) return parseDuration(value) ?? untilMs(parseDate(value), now);
  const number = Number(value);
  if (number > 1e11) return untilMs(number, now);
  if (number > 1e8) return untilMs(number * 1000, now);
  return acceptMs(number * 1000);
}

const PROSE_LEADS = [
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
  const lower = text.slice(0, MAX_PROSE_CHARS).toLowerCase();
  for (const lead of PROSE_LEADS) {
    for (let at = lower.indexOf(lead); at >= 0; at = lower.indexOf(lead, at + 1)) {
      const ms = parseDuration(lower.slice(at + lead.length, at + lead.length + 60));
      if (ms !== undefined) return { ms, from: 'message' };
    }
  }
  return hint(durationBefore(lower), 'message');
}

const MAX_PROSE_CHARS = 8192;
const NUMBER = /^\d{1,15}(?:\.\d{1,9})?$/;

function numberIn(value: string | undefined, unitMs: number): number | undefined {
  const trimmed = value?.trim() ?? '';
  return NUMBER.test(trimmed) ? acceptMs(Number(trimmed) * unitMs) : undefined;
}

function parseDate(value: string | undefined): number | undefined {
  if (value === undefined || !/\d{4}/.test(value) || value.length > 64) return undefined;
  const ms = Date.parse(value);
  return Number.isNaN(ms) ? undefined : ms;
}

function untilMs(moment: number | undefined, now: number | undefined): number | undefined {
  return moment === undefined || now === undefined
    ? undefined
    : acceptMs(Math.max(0, moment - now));
}
