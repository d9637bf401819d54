/**
 * One owner of retries, a breaker and a deadline around any call, without the engine. The decisions
 * are the machine's; this file only waits and keeps the breakers of the process. Runs anywhere.
 */
import { buildReport, rebuild } from './errors/build.ts';
import { ErrandError } from './errors/errand-error.ts';
import type { AttemptSummary, ErrorReport, ReportDraft } from './errors/report.ts';
import { durationWords } from './errors/render/words.ts';
import { ambientStamp } from './errors/stamp.ts';
import {
  askBreaker,
  breakerFailed,
  breakerSucceeded,
  CLOSED,
  type BreakerState,
} from './machine/breaker.ts';
import { reportFrom, type ReportFromOptions } from './providers/report-from.ts';
import { checkOptions, readRetry, type RetryOption } from './resilience-options.ts';

/** `AbortSignal` where the program has such types, and nothing that needs them where it has not. */
export type Signal = typeof globalThis extends { AbortSignal: { prototype: infer Known } }
  ? Known
  : { readonly aborted: boolean; readonly reason: unknown };

export interface ResiliencePolicy extends ReportFromOptions {
  /**
   * `default`: the catalog's schedule of whatever fails. `none`: one attempt. `{ max, … }`: as routes
   * and tools have it. `{ attempts, waitsMs }`: these waits, for what is retryable.
   */
  readonly retry?: RetryOption;
  /** Calls that share a name share a breaker. Without one there is none. */
  readonly breaker?: string;
  /**
   * For all attempts and waits together. What it ends is `limit.node_timeout`, with the last failure
   * as its cause.
   */
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

/**
 * Throws an `ErrandError` with the last failure's report and all attempts in it; where a deadline, an
 * open breaker or the caller ends it, that failure is the cause. Rejects with `validation.input` for
 * options that cannot be meant, before the call is made.
 */
export async function withResilience<T>(
  call: (context: Call) => T | Promise<T>,
  policy: ResiliencePolicy = {},
): Promise<T> {
  checkOptions(call, policy);
  const waitAfter = readRetry(policy.retry);
  const clock = policy.clock ?? AMBIENT;
  const endsAtMs = policy.deadlineMs === undefined ? Infinity : clock.now() + policy.deadlineMs;
  const scope = new AbortController();
  const stopListening = follow(policy.signal, scope);
  const seen = new Seen(policy);
  try {
    for (let number = 1; ; number++) {
      if (scope.signal.aborted) throw seen.cancelled();
      refuseIfOpen(policy, seen, clock.now());
      const tried = await attempt(call, { scope, number, endsAtMs, clock }, policy);
      if (tried.type === 'answer') return tried.value;
      if (tried.type === 'deadline') throw seen.overdue(number);
      if (tried.type === 'cancelled') throw seen.cancelled(number);
      seen.add(tried.report, number);
      const delayMs = waitAfter(tried.report, number);
      if (delayMs === undefined) throw seen.failed(tried.report);
      if (clock.now() + delayMs > endsAtMs) throw seen.overdue();
      await clock.sleep(delayMs, scope.signal).catch(() => {
        // nothing but the caller's signal ends a wait
        throw seen.cancelled();
      });
    }
  } finally {
    stopListening();
  }
}

type Tried<T> =
  | { readonly type: 'answer'; readonly value: T }
  | { readonly type: 'failure'; readonly report: ErrorReport }
  | { readonly type: 'deadline' }
  | { readonly type: 'cancelled' };

interface Attempt {
  readonly scope: AbortController;
  readonly number: number;
  readonly endsAtMs: number;
  readonly clock: Clock;
}

/** Known by being this very object: a call may throw a failure of any kind. */
const DEADLINE = new Error('The deadline passed');

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
    return { type: 'answer', value };
  } catch (thrown) {
    if (thrown === DEADLINE) scope.abort(DEADLINE);
    // what the caller's own abort caused is that cancellation, whatever it looks like
    const isCancelled = policy.signal?.aborted === true;
    const failed = (kind: string): void =>
      note(policy.breaker, (state) => breakerFailed(state, kind, clock.now()));
    if (thrown === DEADLINE) {
      failed(OVERDUE);
      return { type: 'deadline' };
    }
    if (isCancelled) {
      failed(CANCELLED);
      return { type: 'cancelled' };
    }
    const report = reportFrom(thrown, policy);
    failed(report.kind);
    return { type: 'failure', report };
  } finally {
    ending.abort();
  }
}

const OVERDUE = 'limit.node_timeout';
const CANCELLED = 'cancelled.call';

/** What went wrong so far, and what it ends with: the last failure is never lost. */
class Seen {
  readonly #policy: ResiliencePolicy;
  readonly #attempts: AttemptSummary[] = [];
  #last: ErrorReport | undefined;

  constructor(policy: ResiliencePolicy) {
    this.#policy = policy;
  }

  add(report: ErrorReport, number: number): void {
    this.#attempts.push(summary(report, number, this.#policy));
    this.#last = report;
  }

  failed(report: ErrorReport): ErrandError {
    const attempts = this.#attempts;
    return new ErrandError(attempts.length === 0 ? report : rebuild(report, { attempts }));
  }

  /** With the last failure as its cause; `cut` is the number of the attempt that it ended. */
  ended(draft: ReportDraft, cut?: number): ErrandError {
    const { stamp = ambientStamp(), redactor } = this.#policy;
    const cause = this.#last === undefined ? {} : { cause: this.#last };
    const report = buildReport({ ...draft, ...cause }, { stamp, redactor });
    if (cut !== undefined) this.#attempts.push(summary(report, cut, this.#policy));
    return this.failed(report);
  }

  cancelled(cut?: number): ErrandError {
    return this.ended({ kind: CANCELLED, message: 'The call was cancelled by its caller' }, cut);
  }

  /** It is no node that has this deadline, so the words of the kind are not used. */
  overdue(cut?: number): ErrandError {
    const { deadlineMs = 0 } = this.#policy;
    const { outcome, provider } = this.#last ?? {};
    const within = `its deadline of ${durationWords(deadlineMs)}`;
    return this.ended(
      {
        kind: OVERDUE,
        title: 'Deadline passed',
        message:
          cut === undefined
            ? `The next attempt would come after ${within}`
            : `The call did not end within ${within}`,
        // a call that was given up may have done its work
        outcome: cut === undefined ? (outcome ?? 'failed') : 'unknown',
        details: { deadlineMs },
        action: {
          kind: 'raise_limit',
          detail: 'Raise `deadlineMs`, or call again when the cause has passed.',
        },
        ...(provider === undefined ? {} : { provider }),
      },
      cut,
    );
  }
}

function refuseIfOpen(policy: ResiliencePolicy, seen: Seen, nowMs: number): void {
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
  throw seen.ended(draft);
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

async function untilDeadline(endsAtMs: number, clock: Clock, ending: AbortSignal): Promise<never> {
  if (endsAtMs === Infinity) return never();
  try {
    await clock.sleep(Math.max(0, endsAtMs - clock.now()), ending);
  } catch {
    // the attempt ended first, which is what the signal says
    return never();
  }
  throw DEADLINE;
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
