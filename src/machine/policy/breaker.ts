/**
 * Circuit breaker: stops calls to a broken target. Pure: the state is data that a store can keep, and
 * the caller passes the time. Closed → open after consecutive failures of the target itself → one
 * probe after a pause → closed after enough successes.
 */
import type { RuntimeKind } from '../../errors/catalog/catalog.ts';

export type BreakerState =
  | {
      readonly state: 'closed';
      readonly failures: number;
      /** Time of the latest of them. */
      readonly latestMs?: number;
    }
  | { readonly state: 'open'; readonly untilMs: number }
  | { readonly state: 'half_open'; readonly successes: number; readonly isProbing: boolean };

export type BreakerPermission =
  | { readonly allowed: true; readonly next: BreakerState }
  | { readonly allowed: false; readonly untilMs: number };

export const CLOSED: BreakerState = { state: 'closed', failures: 0 };

const FAILURES_TO_OPEN = 5;
const SUCCESSES_TO_CLOSE = 2;
export const BREAKER_OPEN_MS = 60_000;
/** Failures are in a row when the next call began within this time; the longest wait inside a leg. */
export const ROW_GAP_MS = 120_000;

/** Failures of the target; limits, quotas, keys and refused input say nothing about its health. */
const COUNTED: ReadonlySet<string> = new Set<RuntimeKind>([
  'provider.overloaded',
  'provider.server_error',
  'provider.timeout',
  'provider.network',
  'mcp.unreachable',
  'tool.timeout',
  // for a node with its own breaker, which counts failures of its work
  'limit.node_timeout',
  'internal.script_error',
  'internal.script_timeout',
  'internal.script_unspawnable',
  'call.failed',
  'tool.failed',
]);

/** Call before each call to the target; `next` is the state while it runs. */
export function askBreaker(breaker: BreakerState, nowMs: number): BreakerPermission {
  switch (breaker.state) {
    case 'closed':
      return { allowed: true, next: breaker };
    case 'open':
      return nowMs < breaker.untilMs
        ? { allowed: false, untilMs: breaker.untilMs }
        : { allowed: true, next: { state: 'half_open', successes: 0, isProbing: true } };
    case 'half_open':
      // one probe at a time: other calls must not fail to find out
      return breaker.isProbing
        ? { allowed: false, untilMs: nowMs + BREAKER_OPEN_MS }
        : { allowed: true, next: { ...breaker, isProbing: true } };
  }
}

/** The state after a call that succeeded. */
export function breakerSucceeded(breaker: BreakerState): BreakerState {
  if (breaker.state !== 'half_open') return breaker.state === 'closed' ? CLOSED : breaker;
  const successes = breaker.successes + 1;
  return successes >= SUCCESSES_TO_CLOSE
    ? CLOSED
    : { state: 'half_open', successes, isProbing: false };
}

/** The state after a call that failed with this kind. */
export function breakerFailed(breaker: BreakerState, kind: string, nowMs: number): BreakerState {
  if (!countsForBreaker(kind)) {
    // a limited or refused probe proves nothing; the next call probes again
    return breaker.state === 'half_open' ? { ...breaker, isProbing: false } : breaker;
  }
  if (breaker.state === 'half_open') return { state: 'open', untilMs: nowMs + BREAKER_OPEN_MS };
  if (breaker.state === 'open') return breaker;
  const failures = breaker.failures + 1;
  return failures >= FAILURES_TO_OPEN
    ? { state: 'open', untilMs: nowMs + BREAKER_OPEN_MS }
    : { state: 'closed', failures, latestMs: nowMs };
}

/** One call, beside the state that all processes share. */
export interface SeenCall {
  readonly beganMs: number;
  /** When this process last saw a call to the target succeed. */
  readonly succeededMs: number | undefined;
}

/**
 * The state that a failed call adds to. Successes are not shared between processes, so each process
 * tells by the times whether this failure follows the earlier ones without a success in between.
 */
export function breakerBefore(breaker: BreakerState, call: SeenCall): BreakerState {
  if (breaker.state !== 'closed' || breaker.latestMs === undefined) return breaker;
  const { latestMs } = breaker;
  const wasBroken = call.succeededMs !== undefined && call.succeededMs >= latestMs;
  return wasBroken || call.beganMs - latestMs > ROW_GAP_MS ? CLOSED : breaker;
}

/** Whether a failure says that the target itself is broken. */
export function countsForBreaker(kind: string): boolean {
  return COUNTED.has(kind);
}
