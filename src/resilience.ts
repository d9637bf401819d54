/**
 * Resilience around any call, without the engine: retries with one owner, a breaker and a deadline.
 * The decisions are the machine's; this file only waits and keeps the breakers. Runs anywhere.
 */
import { buildReport, rebuild } from './errors/report/build.ts';
import { ErrandError } from './errors/thrown/errand-error.ts';
import type { AttemptSummary, ErrorReport, ReportDraft } from './errors/report/report.ts';
import { durationWords } from './errors/render/phrases.ts';
import { ambientStamp } from './errors/thrown/stamp.ts';
import {
  askBreaker,
  breakerFailed,
  breakerSucceeded,
  CLOSED,
  type BreakerState,
} from './machine/policy/breaker.ts';
import { reportFrom, type ReportFromOptions } from './providers/report-from.ts';
import {
  MACHINE_CLOCK,
  timer,
  type AbortSignalLike,
  type ResilienceClock,
} from './machine-clock.ts';
import { withBodyRead } from './read-response.ts';
import { checkInstance, checkOptions, readRetry, type RetryOption } from './resilience-options.ts';

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
  readonly signal?: AbortSignalLike;
  /** For tests: the time, and how to let it pass. */
  readonly clock?: ResilienceClock;
}

export interface ResilientCall {
  /** Aborted at the deadline, or by the caller. */
  readonly signal: AbortSignalLike;
  /** 0 for the first. */
  readonly attempt: number;
}

/** The breakers of an instance by name, as a `Map` keeps them. */
export interface BreakerMap {
  get(name: string): BreakerState | undefined;
  set(name: string, state: BreakerState): unknown;
}

export interface ResilienceOptions {
  /** The time, and how to let it pass. Default: that of the machine. */
  readonly clock?: ResilienceClock;
  /** Where breakers are kept. Default: a map of this instance's own. */
  readonly breakers?: BreakerMap;
}

/** A function that makes a call with resilience. */
export type WithResilience = <T>(
  call: (context: ResilientCall) => T | Promise<T>,
  policy?: ResiliencePolicy,
) => Promise<T>;

/**
 * Makes a `withResilience` with breakers and a clock of its own: one for each tenant, or for a test.
 * Throws `validation.input` for options that cannot be meant.
 * @example
 * ```ts
 * import { createResilience } from 'errand';
 *
 * const breakers = new Map();
 * const resilient = createResilience({ breakers });
 * await resilient(() => 'called', { breaker: 'openai' });
 * console.log([...breakers.keys()]); // [ 'openai' ]
 * ```
 */
export function createResilience(options: ResilienceOptions = {}): WithResilience {
  checkInstance(options);
  const { clock = MACHINE_CLOCK, breakers = new Map<string, BreakerState>() } = options;
  return async (call, policy = {}) => {
    checkOptions(call, policy);
    return callWithResilience(call, policy, { clock: policy.clock ?? clock, breakers });
  };
}

async function callWithResilience<T>(
  call: (context: ResilientCall) => T | Promise<T>,
  policy: ResiliencePolicy,
  { clock, breakers }: Required<ResilienceOptions>,
): Promise<T> {
  const waitAfter = readRetry(policy.retry);
  const breaker = new NamedBreaker(policy.breaker, breakers);
  const endsAtMs = policy.deadlineMs === undefined ? Infinity : clock.now() + policy.deadlineMs;
  const scope = new AbortController();
  const stopListening = follow(policy.signal, scope);
  const seen = new Seen(policy);
  try {
    for (let number = 1; ; number++) {
      if (scope.signal.aborted) throw seen.cancelled();
      breaker.refuseIfOpen(seen, clock.now());
      const tried = await attempt(call, { scope, number, endsAtMs, clock, breaker }, policy);
      if (tried.type === 'value') return tried.value;
      if (tried.type === 'deadline') throw seen.overdue(true);
      if (tried.type === 'cancelled') throw seen.cancelled(true);
      seen.add(tried.report);
      const delayMs = hasOwnRetries(tried.report) ? undefined : waitAfter(tried.report, number);
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
  | { readonly type: 'value'; readonly value: T }
  | { readonly type: 'failure'; readonly report: ErrorReport }
  | { readonly type: 'deadline' }
  | { readonly type: 'cancelled' };

interface Attempt {
  readonly scope: AbortController;
  readonly number: number;
  readonly endsAtMs: number;
  readonly clock: ResilienceClock;
  readonly breaker: NamedBreaker;
}

const ENDED = 'The attempt ended';

/** Known by being this very object: a call may throw a failure of any kind. */
const DEADLINE = new Error('The deadline passed');

async function attempt<T>(
  call: (context: ResilientCall) => T | Promise<T>,
  { scope, number, endsAtMs, clock, breaker }: Attempt,
  policy: ResiliencePolicy,
): Promise<Tried<T>> {
  const ending = new AbortController();
  const deadline = untilDeadline(endsAtMs, clock, ending.signal);
  // it may pass where nothing waits for it: a call that throws at once is never raced against it
  deadline.catch(() => undefined);
  try {
    const work = Promise.resolve(call({ signal: scope.signal, attempt: number - 1 }));
    const value = await Promise.race([work, deadline, whenAborted(scope.signal)]);
    breaker.change(breakerSucceeded);
    return { type: 'value', value };
  } catch (thrown) {
    if (thrown === DEADLINE) scope.abort(DEADLINE);
    // what the caller's own abort caused is that cancellation, whatever it looks like
    const isCancelled = policy.signal?.aborted === true;
    const failed = (kind: string): void =>
      breaker.change((state) => breakerFailed(state, kind, clock.now()));
    if (thrown === DEADLINE) {
      failed(OVERDUE);
      return { type: 'deadline' };
    }
    if (isCancelled) {
      failed(CANCELLED);
      return { type: 'cancelled' };
    }
    // neither the deadline nor the caller waits for a body that does not come
    const until = (): Promise<unknown> =>
      Promise.race([deadline, whenAborted(scope.signal), timer(MAX_READ_MS, ending.signal)]);
    const read = await withBodyRead(thrown, until);
    const report = reportFrom(read, policy);
    failed(report.kind);
    return { type: 'failure', report };
  } finally {
    // with a reason of its own: the default one is an exception, whose stack costs more than all the rest
    ending.abort(ENDED);
  }
}

/** For the body of a response that was thrown unread. */
const MAX_READ_MS = 5000;

const OVERDUE = 'limit.node_timeout';
const CANCELLED = 'cancelled.call';

/** The failures so far, and the error that they end in: the last failure is never lost. */
class Seen {
  readonly #policy: ResiliencePolicy;
  readonly #attempts: AttemptSummary[] = [];
  #last: ErrorReport | undefined;
  /** One of them may have been carried out, whatever came after it. */
  #isOpen = false;

  constructor(policy: ResiliencePolicy) {
    this.#policy = policy;
  }

  /** Attempts of a call further in count one by one. */
  add(report: ErrorReport): void {
    const inner = hasOwnRetries(report) ? report.attempts : undefined;
    for (const attempt of inner ?? [summary(report, this.#policy)]) this.#count(attempt);
    this.#last = report;
    this.#isOpen ||= report.outcome === 'unknown';
  }

  #count(attempt: Omit<AttemptSummary, 'number'>): void {
    this.#attempts.push({ ...attempt, number: this.#attempts.length + 1 });
  }

  failed(report: ErrorReport): ErrandError {
    const attempts = this.#attempts;
    const outcome = this.#isOpen ? 'unknown' : report.outcome;
    return new ErrandError(attempts.length === 0 ? report : rebuild(report, { attempts, outcome }));
  }

  /** With the last failure as its cause; `cut` where it ended an attempt. */
  ended(draft: ReportDraft, cut = false): ErrandError {
    const { stamp = ambientStamp(), redactor } = this.#policy;
    const cause = this.#last === undefined ? {} : { cause: this.#last };
    const report = buildReport({ ...draft, ...cause }, { stamp, redactor });
    if (cut) this.#count(summary(report, this.#policy));
    return this.failed(report);
  }

  cancelled(cut?: boolean): ErrandError {
    return this.ended({ kind: CANCELLED, message: 'The call was cancelled by its caller' }, cut);
  }

  /** No node has this deadline, so the words of the kind are not used. */
  overdue(cut = false): ErrandError {
    const { deadlineMs = 0 } = this.#policy;
    const { outcome, provider } = this.#last ?? {};
    const within = `its deadline of ${durationWords(deadlineMs)}`;
    return this.ended(
      {
        kind: OVERDUE,
        title: 'Deadline passed',
        message: cut
          ? `The call did not end within ${within}`
          : `The next attempt would come after ${within}`,
        // a call that was given up may have done its work
        outcome: cut ? 'unknown' : (outcome ?? 'failed'),
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

/** The breaker that a policy names; without a name there is none. */
class NamedBreaker {
  readonly #name: string | undefined;
  readonly #breakers: BreakerMap;

  constructor(name: string | undefined, breakers: BreakerMap) {
    this.#name = name;
    this.#breakers = breakers;
  }

  refuseIfOpen(seen: Seen, nowMs: number): void {
    if (this.#name === undefined) return;
    const asked = askBreaker(this.#breakers.get(this.#name) ?? CLOSED, nowMs);
    if (asked.allowed) {
      this.#breakers.set(this.#name, asked.next);
      return;
    }
    const draft: ReportDraft = {
      kind: 'breaker.open',
      message: `${this.#name} failed too often; calls to it are refused for the moment`,
      details: { target: this.#name },
      provider: { retryAfterMs: asked.untilMs - nowMs },
    };
    throw seen.ended(draft);
  }

  change(next: (state: BreakerState) => BreakerState): void {
    if (this.#name === undefined) return;
    this.#breakers.set(this.#name, next(this.#breakers.get(this.#name) ?? CLOSED));
  }
}

/** Whether a call further in has spent retries of its own: to repeat it would multiply the calls. */
function hasOwnRetries(report: ErrorReport): boolean {
  const { attempts = [], cut, cause } = report;
  if (attempts.length + (cut?.attempts ?? 0) > 1) return true;
  return cause !== undefined && hasOwnRetries(cause);
}

function summary(report: ErrorReport, policy: ResiliencePolicy): Omit<AttemptSummary, 'number'> {
  const target = [policy.provider, policy.model].filter((part) => part !== undefined).join('/');
  return {
    kind: report.kind,
    message: report.message,
    at: report.at,
    ...(target === '' ? {} : { target }),
  };
}

async function untilDeadline(
  endsAtMs: number,
  clock: ResilienceClock,
  ending: AbortSignal,
): Promise<never> {
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

/**
 * Makes a call again where that helps, behind a breaker and within a deadline: the default instance of
 * `createResilience`. Throws an `ErrandError` with the last failure's report and all attempts in it;
 * where a deadline, an open breaker or the caller ends it, that failure is the cause. A failure whose
 * `retryable` is null (nobody knows) is not retried, unless `on` names its kind. Rejects with
 * `validation.input` for options that cannot be meant, before the call is made.
 * @example
 * ```ts
 * import { raise, withResilience } from 'errand';
 *
 * let calls = 0;
 * const reply = await withResilience(
 *   () => (++calls < 2 ? raise('house.busy', 'Come back later') : 'done'),
 *   { retry: { max: 2, initialSeconds: 0, on: ['house.busy'] }, deadlineMs: 30_000 },
 * );
 * console.log(reply, calls); // done 2
 * ```
 */
export const withResilience: WithResilience = /* @__PURE__ */ createResilience();
