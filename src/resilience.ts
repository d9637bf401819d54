/**
 * One owner of retries, a breaker and a deadline around any call, without the engine. The decisions
 * are the machine's; this file only waits and keeps the breakers of the process. Runs anywhere.
 */
import { buildReport, rebuild } from './errors/build.ts';
import type { RetrySchedule } from './errors/catalog/row.ts';
import { ErrandError, isKind } from './errors/errand-error.ts';
import type { AttemptSummary, ErrorReport, ReportDraft } from './errors/report.ts';
import { ambientStamp } from './errors/stamp.ts';
import { toReport } from './errors/to-report.ts';
import {
  askBreaker,
  breakerFailed,
  breakerSucceeded,
  CLOSED,
  type BreakerState,
} from './machine/breaker.ts';
import { decideRetry, defaultSchedule } from './machine/retry.ts';
import { reportFrom, type ReportFromOptions } from './providers/report-from.ts';

/** `AbortSignal` where the program has such types, and nothing that needs them where it has not. */
export type Signal = typeof globalThis extends { AbortSignal: { prototype: infer Known } }
  ? Known
  : { readonly aborted: boolean; readonly reason: unknown };

export interface ResiliencePolicy extends ReportFromOptions {
  /** `default`: the catalog's schedule of whatever fails. `none`: one attempt. */
  readonly retry?: 'default' | 'none' | RetrySchedule;
  /** Calls that share a name share a breaker. Without one there is none. */
  readonly breaker?: string;
  /** For all attempts and waits together. */
  readonly deadlineMs?: number;
  readonly signal?: Signal;
  /** For tests: the time, and how to let it pass. */
  readonly clock?: Clock;
}

export interface Clock {
  now(): number;
  /** Resolves after the time, or rejects when the signal is aborted. */
  sleep(ms: number, signal: Signal): Promise<void>;
}

export interface Call {
  /** Aborted at the deadline, or by the caller. */
  readonly signal: Signal;
  /** 0 for the first. */
  readonly attempt: number;
}

const breakers = new Map<string, BreakerState>();

/** Throws an `ErrandError` with the last failure's report and all attempts in it. */
export async function withResilience<T>(
  call: (context: Call) => T | Promise<T>,
  policy: ResiliencePolicy = {},
): Promise<T> {
  const clock = policy.clock ?? AMBIENT;
  const endsAtMs = policy.deadlineMs === undefined ? Infinity : clock.now() + policy.deadlineMs;
  const scope = new AbortController();
  const stopListening = follow(policy.signal, scope);
  const attempts: AttemptSummary[] = [];
  try {
    for (let number = 1; ; number++) {
      if (scope.signal.aborted) throw stopped(scope.signal.reason, attempts, policy);
      refuseIfOpen(policy, attempts, clock.now());
      const tried = await attempt(call, { scope, number, endsAtMs, clock }, policy);
      if (tried.ok) return tried.value;
      attempts.push(summary(tried.report, number, policy));
      const delayMs = nextWait(tried.report, { policy, attempts, endsAtMs, nowMs: clock.now() });
      await clock.sleep(delayMs, scope.signal).catch((reason: unknown) => {
        throw stopped(reason, attempts, policy);
      });
    }
  } finally {
    stopListening();
  }
}

type Tried<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly report: ErrorReport };

interface Attempt {
  readonly scope: AbortController;
  readonly number: number;
  readonly endsAtMs: number;
  readonly clock: Clock;
}

async function attempt<T>(
  call: (context: Call) => T | Promise<T>,
  { scope, number, endsAtMs, clock }: Attempt,
  policy: ResiliencePolicy,
): Promise<Tried<T>> {
  const ending = new AbortController();
  const deadline = untilDeadline(endsAtMs, clock, ending.signal);
  try {
    const work = Promise.resolve(call({ signal: scope.signal, attempt: number - 1 }));
    const value = await Promise.race([work, deadline, whenAborted(scope.signal)]);
    note(policy.breaker, breakerSucceeded);
    return { ok: true, value };
  } catch (thrown) {
    const isDeadline = isKind(thrown, 'limit.node_timeout');
    if (isDeadline) scope.abort(thrown);
    const report = isDeadline ? toReport(thrown) : failureOf(thrown, policy);
    note(policy.breaker, (state) => breakerFailed(state, report.kind, clock.now()));
    return { ok: false, report };
  } finally {
    ending.abort();
  }
}

/** What the caller's own abort caused is that cancellation, whatever it looks like. */
function failureOf(thrown: unknown, policy: ResiliencePolicy): ErrorReport {
  if (policy.signal?.aborted !== true) return reportFrom(thrown, policy);
  return made(policy, { kind: 'cancelled.call', message: 'The call was cancelled by its caller' });
}

/** The wait before the next attempt; throws when there is none. */
function nextWait(
  report: ErrorReport,
  now: {
    readonly policy: ResiliencePolicy;
    readonly attempts: readonly AttemptSummary[];
    readonly endsAtMs: number;
    readonly nowMs: number;
  },
): number {
  const decision = decideRetry(report, scheduleFor(report, now.policy), {
    words: [report.id],
    number: now.attempts.length,
  });
  if (decision.action === 'stop') throw failed(report, now.attempts);
  if (now.nowMs + decision.delayMs <= now.endsAtMs) return decision.delayMs;
  throw failed(
    made(now.policy, {
      kind: 'limit.node_timeout',
      message: 'The next attempt would come after the deadline',
      cause: report,
    }),
    now.attempts,
  );
}

function scheduleFor(
  report: ErrorReport,
  { retry = 'default' }: ResiliencePolicy,
): RetrySchedule | null {
  if (retry === 'none') return null;
  return retry === 'default' ? defaultSchedule(report.kind) : retry;
}

function refuseIfOpen(
  policy: ResiliencePolicy,
  attempts: readonly AttemptSummary[],
  nowMs: number,
): void {
  if (policy.breaker === undefined) return;
  const asked = askBreaker(breakers.get(policy.breaker) ?? CLOSED, nowMs);
  if (asked.allowed) {
    breakers.set(policy.breaker, asked.next);
    return;
  }
  const draft: ReportDraft = {
    kind: 'breaker.open',
    message: `${policy.breaker} failed too often; calls to it are refused for the moment`,
    details: { target: policy.breaker },
    provider: { retryAfterMs: asked.untilMs - nowMs },
  };
  throw failed(made(policy, draft), attempts);
}

function note(name: string | undefined, change: (state: BreakerState) => BreakerState): void {
  if (name !== undefined) breakers.set(name, change(breakers.get(name) ?? CLOSED));
}

function summary(report: ErrorReport, number: number, policy: ResiliencePolicy): AttemptSummary {
  const target = [policy.provider, policy.model].filter((part) => part !== undefined).join('/');
  return {
    number,
    kind: report.kind,
    message: report.message,
    at: report.at,
    ...(target === '' ? {} : { target }),
  };
}

function failed(report: ErrorReport, attempts: readonly AttemptSummary[]): ErrandError {
  return new ErrandError(attempts.length === 0 ? report : rebuild(report, { attempts }));
}

function stopped(
  reason: unknown,
  attempts: readonly AttemptSummary[],
  policy: ResiliencePolicy,
): ErrandError {
  return failed(failureOf(reason, policy), attempts);
}

function made(policy: ResiliencePolicy, draft: ReportDraft): ErrorReport {
  return buildReport(draft, { stamp: policy.stamp ?? ambientStamp(), redactor: policy.redactor });
}

async function untilDeadline(endsAtMs: number, clock: Clock, ending: AbortSignal): Promise<never> {
  if (endsAtMs === Infinity) return never();
  try {
    await clock.sleep(Math.max(0, endsAtMs - clock.now()), ending);
  } catch {
    // the attempt ended first, which is what the signal says
    return never();
  }
  throw new ErrandError({
    kind: 'limit.node_timeout',
    message: 'The deadline passed while the call was under way',
  });
}

function whenAborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const stop = (): void => reject(signal.reason as Error);
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
  });
}

function never(): Promise<never> {
  return new Promise<never>(() => undefined);
}

function follow(signal: AbortSignal | undefined, scope: AbortController): () => void {
  if (signal === undefined) return () => undefined;
  const stop = (): void => scope.abort(signal.reason);
  if (signal.aborted) stop();
  else signal.addEventListener('abort', stop, { once: true });
  return () => signal.removeEventListener('abort', stop);
}

/** The longest a timer of this kind can wait; a longer one would fire at once. */
const MAX_TIMER_MS = 2 ** 31 - 1;

const AMBIENT: Clock = {
  now: () => Date.now(),
  async sleep(ms, signal) {
    for (let leftMs = ms; leftMs > 0; leftMs -= MAX_TIMER_MS)
      await timer(Math.min(leftMs, MAX_TIMER_MS), signal);
  },
};

function timer(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason as Error);
    const stop = (): void => {
      clearTimeout(running);
      reject(signal.reason as Error);
    };
    const running = setTimeout(() => {
      signal.removeEventListener('abort', stop);
      resolve();
    }, ms);
    signal.addEventListener('abort', stop, { once: true });
  });
}
