/**
 * Resilience around any call, without the engine: retries with one owner, a breaker and a deadline.
 * The machine decides; this file only waits and keeps the breakers. Runs anywhere.
 */
import type { ErrorReport, ReportDraft } from './errors/report/report.ts';
import {
  askBreaker,
  breakerFailed,
  breakerSucceeded,
  CLOSED,
  type BreakerState,
} from './machine/policy/breaker.ts';
import type { ReportFromOptions } from './providers/report-from.ts';
import { MACHINE_CLOCK, type AbortSignalLike, type ResilienceClock } from './machine-clock.ts';
import { withBodyRead } from './read-response.ts';
import { EarlyEnd } from './resilience-end.ts';
import { checkInstance, checkOptions, readRetry, type RetryOption } from './resilience-options.ts';
import { CANCELLED, hasOwnRetries, OVERDUE, Seen } from './resilience-seen.ts';

export interface ResiliencePolicy extends ReportFromOptions {
  /**
   * `default`: the catalog's schedule for the failure, even if the request may have arrived, so not
   * for payments. `none`: one attempt. `{ max, … }`: as for routes and tools.
   * `{ attempts, waitsMs }`: these waits, for retryable failures. Default: `default`.
   */
  readonly retry?: RetryOption;
  /** Calls with the same name share a breaker. Without a name there is none. */
  readonly breaker?: string;
  /**
   * The limit of all attempts and waits together. The call then ends with `limit.node_timeout`,
   * with the last failure as its cause.
   */
  readonly deadlineMs?: number;
  readonly signal?: AbortSignalLike;
  /** The time, and a way to let it pass, for tests. */
  readonly clock?: ResilienceClock;
}

export interface ResilientCall {
  /** Aborted at the deadline, or by the caller. */
  readonly signal: AbortSignalLike;
  /** 0 for the first attempt. */
  readonly attempt: number;
}

/** The breakers of an instance by name, as a `Map` keeps them. */
export interface BreakerMap {
  get(name: string): BreakerState | undefined;
  set(name: string, state: BreakerState): unknown;
}

export interface ResilienceOptions {
  /** The time, and a way to let it pass. Default: the machine's clock. */
  readonly clock?: ResilienceClock;
  /** The place of the breakers. Default: a map of this instance. */
  readonly breakers?: BreakerMap;
}

/** A function that makes a call with resilience. */
export type WithResilience = <T>(
  call: (context: ResilientCall) => T | Promise<T>,
  policy?: ResiliencePolicy,
) => Promise<T>;

/** Makes a report in a catch; may have to be loaded first. */
export type ReportFrom = (thrown: unknown, options?: ReportFromOptions) => ErrorReport;

/**
 * Makes `createResilience` for an entry of the package, with that entry's way to load the
 * classifier.
 */
export function resilienceWith(reportFrom: ReportFrom) {
  return (options: ResilienceOptions = {}): WithResilience => {
    checkInstance(options);
    const { clock = MACHINE_CLOCK, breakers = new Map<string, BreakerState>() } = options;
    const instance = { clock, breakers, reportFrom };
    return (call, policy = NOTHING_SAID) => callWithResilience(call, policy, instance);
  };
}

interface Instance extends Required<ResilienceOptions> {
  readonly reportFrom: ReportFrom;
}

const NOTHING_SAID: ResiliencePolicy = {};

/**
 * A call without a deadline that succeeds at once makes one promise, a signal and nothing else:
 * every call of a program pays for these. Only code that needs listeners, timers or the list of
 * attempts makes them.
 */
async function callWithResilience<T>(
  call: (context: ResilientCall) => T | Promise<T>,
  policy: ResiliencePolicy,
  instance: Instance,
): Promise<T> {
  checkOptions(call, policy);
  const waitAfter = readRetry(policy.retry);
  const { clock = instance.clock, deadlineMs = Infinity } = policy;
  const breaker = namedBreaker(policy.breaker, instance.breakers);
  const endsAtMs = deadlineMs === Infinity ? Infinity : clock.now() + deadlineMs;
  const end = new EarlyEnd(policy.signal);
  let seen: Seen | undefined;
  try {
    for (let number = 1; ; number++) {
      if (end.isCancelled) throw (seen ?? new Seen(policy)).cancelled();
      breaker?.refuseIfOpen(clock, () => seen ?? new Seen(policy));
      end.watch(clock, number === 1 ? deadlineMs : endsAtMs - clock.now());
      let thrown: unknown;
      try {
        const work = call({ signal: end.signal, attempt: number - 1 });
        const value = end.isWatched ? await end.orBefore(work) : await work;
        breaker?.change(breakerSucceeded);
        return value;
      } catch (failure) {
        thrown = failure;
      }
      seen ??= new Seen(policy);
      const report = await judge(thrown, {
        policy,
        clock,
        breaker,
        end,
        seen,
        reportFrom: instance.reportFrom,
      });
      seen.add(report);
      const delayMs = hasOwnRetries(report) ? undefined : waitAfter(report, number);
      if (delayMs === undefined) throw seen.failed(report);
      if (clock.now() + delayMs > endsAtMs) throw seen.overdue();
      // only the caller's signal ends a wait
      if (!(await end.sleep(clock, delayMs))) throw seen.cancelled();
    }
  } finally {
    end.close();
  }
}

interface Around {
  readonly policy: ResiliencePolicy;
  readonly clock: ResilienceClock;
  readonly breaker: NamedBreaker | undefined;
  readonly end: EarlyEnd;
  readonly seen: Seen;
  readonly reportFrom: ReportFrom;
}

/** The report of a failed attempt; throws if the deadline or the caller has ended it. */
async function judge(
  thrown: unknown,
  { policy, clock, breaker, end, seen, reportFrom }: Around,
): Promise<ErrorReport> {
  const failed = (kind: string): void =>
    breaker?.change((state) => breakerFailed(state, kind, clock.now()));
  try {
    if (end.isDeadline(thrown)) {
      failed(OVERDUE);
      throw seen.overdue(true);
    }
    // a failure after the caller's own abort is that cancellation, whatever it looks like
    if (policy.signal?.aborted === true) {
      failed(CANCELLED);
      throw seen.cancelled(true);
    }
    // neither the deadline nor the caller waits for a body that does not arrive
    const read = await withBodyRead(thrown, () => end.comes(MAX_READ_MS));
    const report = reportFrom(read ?? thrown, policy);
    failed(report.kind);
    return report;
  } finally {
    end.unwatch();
  }
}

/** The limit for reading the body of a response that was thrown unread. */
const MAX_READ_MS = 5000;

/** The breaker that a policy names; without a name there is none. */
function namedBreaker(name: string | undefined, breakers: BreakerMap): NamedBreaker | undefined {
  return name === undefined ? undefined : new NamedBreaker(name, breakers);
}

class NamedBreaker {
  readonly #name: string;
  readonly #breakers: BreakerMap;

  constructor(name: string, breakers: BreakerMap) {
    this.#name = name;
    this.#breakers = breakers;
  }

  refuseIfOpen(clock: ResilienceClock, seen: () => Seen): void {
    const state = this.#breakers.get(this.#name);
    if (state === undefined || state.state === 'closed') return;
    const nowMs = clock.now();
    const asked = askBreaker(state, nowMs);
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
    throw seen().ended(draft);
  }

  change(next: (state: BreakerState) => BreakerState): void {
    const state = this.#breakers.get(this.#name);
    const changed = next(state ?? CLOSED);
    if (changed !== state) this.#breakers.set(this.#name, changed);
  }
}
