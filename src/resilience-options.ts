/**
 * The options of `withResilience`, checked before the first call: otherwise a program without types
 * would learn of a slip from a failure in the middle of a retry, and lose the failure itself.
 */
import type { RetrySchedule } from './errors/catalog/row.ts';
import { isPlainObject, readProperty } from './errors/support/safe-json.ts';
import { isKindName } from './errors/catalog/kinds.ts';
import type { ErrorReport } from './errors/report/report.ts';
import { decideRetry } from './machine/policy/retry.ts';
import { defaultSchedule } from './workflow/plan/attempt-bound.ts';
import { retryDelayMs } from './machine/policy/tool-retry.ts';
import {
  checkedObject,
  checkKeys,
  checkMethods,
  isNumber,
  MAX_MS,
  refusals,
} from './option-checks.ts';
import { omitUndefined } from './workflow/plan/omit-undefined.ts';
import { planRetry } from './workflow/nodes/plan-route.ts';
import { BACKOFFS } from './workflow/plan/route-plan.ts';
import type { ToolRetry } from './workflow/authoring/define-tool.ts';
import type { ToolDescription } from './workflow/authoring/tool-description.ts';

/** The number of further attempts, and the waits before them. */
export type RetryOption = 'default' | 'none' | RetrySchedule | ToolRetry;

/** The wait after a failed attempt; undefined if there is no further attempt. */
export type DecideWait = (report: ErrorReport, attemptsMade: number) => number | undefined;

const OPTIONS: readonly string[] =
  `retry breaker deadlineMs signal clock provider model api operation
  delivered classify fallback stamp redactor`.split(/\s+/);
const RETRY_KEYS = ['max', 'backoff', 'initialSeconds', 'maxSeconds', 'jitter', 'on'];
const SCHEDULE_KEYS = ['attempts', 'waitsMs'];
const CLOCK_METHODS = ['now', 'sleep'];
const MAX_RETRIES = 100;
const REMEDY = 'See `withResilience` in the reference of the API for what it takes.';
const wrong = refusals('withResilience', REMEDY);

/** Throws `validation.input` that names the option. */
export function checkOptions(call: unknown, options: unknown): void {
  if (typeof call !== 'function') throw wrong('call', 'is not a function', 'Give it () => call().');
  const { breaker, deadlineMs, signal, clock } = checkedObject(wrong, options, OPTIONS);
  if (breaker !== undefined && (typeof breaker !== 'string' || breaker === ''))
    throw wrong('breaker', 'is not a name', "Name the target of the call: breaker: 'openai'.");
  if (deadlineMs !== undefined && !isNumber(deadlineMs, 0, MAX_MS))
    throw wrong(
      'deadlineMs',
      'is not a number of milliseconds',
      'Give a number from 0 to 366 days: deadlineMs: 30_000.',
    );
  if (signal !== undefined && typeof readProperty(signal, 'addEventListener') !== 'function')
    throw wrong('signal', 'is not an AbortSignal', 'Give the signal of an AbortController.');
  checkMethods(wrong, 'clock', clock, CLOCK_METHODS);
}

/** Throws `validation.input` that names the option of `createResilience`. */
export function checkInstance(options: unknown): void {
  const refuse = refusals('createResilience', REMEDY);
  const { clock, breakers } = checkedObject(refuse, options, ['clock', 'breakers']);
  checkMethods(refuse, 'clock', clock, CLOCK_METHODS);
  checkMethods(refuse, 'breakers', breakers, ['get', 'set']);
}

/** Throws `validation.input` that names the option. */
export function readRetry(retry: RetryOption = 'default'): DecideWait {
  if (retry === 'none') return () => undefined;
  if (retry === 'default')
    return (report, made) => scheduledWait(report, defaultSchedule(report), made);
  if (!isPlainObject(retry))
    throw wrong('retry', 'is not a retry policy', "Write 'default', 'none' or { max: 2 }.");
  if (!('max' in retry)) {
    const schedule = readSchedule(retry);
    return (report, made) => scheduledWait(report, schedule, made);
  }
  const planned = readToolRetry(retry);
  return (error, made) => {
    // the parts of a tool's description that decide about retries
    const described = { retry: planned() } as unknown as ToolDescription;
    return retryDelayMs(described, { error, made, words: [error.id] });
  };
}

function scheduledWait(
  report: ErrorReport,
  schedule: RetrySchedule | null,
  number: number,
): number | undefined {
  const decision = decideRetry(report, schedule, { words: [report.id], number });
  return decision.action === 'stop' ? undefined : decision.delayMs;
}

function readSchedule(retry: object): RetrySchedule {
  checkKeys(wrong, retry, [...SCHEDULE_KEYS, ...RETRY_KEYS], 'retry.');
  const attempts = readProperty(retry, 'attempts');
  const waitsMs = readProperty(retry, 'waitsMs');
  if (attempts === undefined && waitsMs === undefined)
    throw wrong('retry.max', 'is missing', 'Write { max: 2 } for two calls after the first.');
  if (!isNumber(attempts, 1, MAX_RETRIES + 1) || !Number.isInteger(attempts))
    throw wrong(
      'retry.attempts',
      `is not a whole number from 1 to ${MAX_RETRIES + 1}`,
      'It counts all attempts, the first included.',
    );
  const isWait = (wait: unknown): wait is number => isNumber(wait, 0, MAX_MS);
  const waits: readonly unknown[] = Array.isArray(waitsMs) ? waitsMs : [undefined];
  if (!waits.every(isWait))
    throw wrong(
      'retry.waitsMs',
      'is not a list of milliseconds',
      'List the waits before attempt 2, 3, …; the last one repeats.',
    );
  return { attempts, waitsMs: waits };
}

/** Checks it at once, and plans it only after a call has failed: few do. */
function readToolRetry(retry: object): () => NonNullable<ToolDescription['retry']> {
  checkKeys(wrong, retry, RETRY_KEYS, 'retry.');
  const max = readProperty(retry, 'max');
  if (!isNumber(max, 0, MAX_RETRIES) || !Number.isInteger(max))
    throw wrong(
      'retry.max',
      `is not a whole number from 0 to ${MAX_RETRIES}`,
      'It counts the calls after the first.',
    );
  const backoff = readRetryKey(retry, 'backoff', isBackoff);
  const initial_seconds = readRetryKey(retry, 'initialSeconds', isSeconds);
  const max_seconds = readRetryKey(retry, 'maxSeconds', isSeconds);
  const jitter = readRetryKey(retry, 'jitter', isShare);
  const on = readRetryKey(retry, 'on', isPatterns);
  return () => {
    const said = omitUndefined({ max, backoff, initial_seconds, max_seconds, jitter });
    const { type: _type, ...move } = planRetry(said);
    return omitUndefined({ ...move, on });
  };
}

const WHAT_A_KEY_IS = {
  backoff: `one of ${BACKOFFS.join(', ')}`,
  initialSeconds: 'a number of seconds',
  maxSeconds: 'a number of seconds',
  jitter: 'a number from 0 to 1',
  on: 'a list of kinds',
} as const;

function readRetryKey<T>(
  retry: object,
  key: keyof typeof WHAT_A_KEY_IS,
  fits: (value: unknown) => value is T,
): T | undefined {
  const value = readProperty(retry, key);
  if (value === undefined || fits(value)) return value;
  throw wrong(
    `retry.${key}`,
    `is not ${WHAT_A_KEY_IS[key]}`,
    `Correct \`${key}\`, or leave it out.`,
  );
}

function isSeconds(value: unknown): value is number {
  return isNumber(value, 0, MAX_MS / 1000);
}

function isShare(value: unknown): value is number {
  return isNumber(value, 0, 1);
}

function isBackoff(value: unknown): value is (typeof BACKOFFS)[number] {
  return BACKOFFS.some((known) => known === value);
}

function isPatterns(value: unknown): value is readonly string[] {
  const list: readonly unknown[] = Array.isArray(value) ? value : [];
  return (
    list.length > 0 &&
    list.every((kind) => typeof kind === 'string' && isKindName(kind.replace(/\.\*$/, '.x')))
  );
}
