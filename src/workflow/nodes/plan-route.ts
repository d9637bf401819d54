/** Plans one route of a file. Relies on the rules: it has exactly one move. */
import { parseDuration, secondsToMs } from '../plan/duration.ts';
import { omitUndefined } from '../plan/omit-undefined.ts';
import {
  ASK_OPTIONS,
  END,
  type Move,
  type PlanLocation,
  type RetryMove,
  type Route,
} from '../plan/route-plan.ts';
import type { RouteFile } from '../schema/route-schema.ts';

const RETRY_DEFAULTS = {
  backoff: 'exponential',
  initialMs: 1000,
  maxMs: 60_000,
  jitter: 0.2,
} as const;

export function planRoute(route: RouteFile, index: number, location: PlanLocation): Route {
  return omitUndefined({
    index,
    when: route.when,
    onError: typeof route.on_error === 'string' ? [route.on_error] : route.on_error,
    move: toMove(route),
    ...location,
  });
}

function toMove(route: RouteFile): Move {
  if (route.retry !== undefined) return planRetry(route.retry);
  if (route.ask !== undefined) return toAsk(route.ask);
  if (route.park !== undefined) return toPark(route.park);
  if (route.halt !== undefined) return toHalt(route.halt);
  if (route.propagate !== undefined) return { type: 'propagate' };
  const to = route.to ?? END;
  return omitUndefined({ type: 'to', to, output: to === END ? route.output : undefined });
}

/** Fills in the defaults of a retry, wherever it is declared. */
export function planRetry(retry: NonNullable<RouteFile['retry']>): RetryMove {
  const initialMs =
    retry.initial_seconds === undefined
      ? RETRY_DEFAULTS.initialMs
      : secondsToMs(retry.initial_seconds);
  return {
    type: 'retry',
    max: retry.max,
    backoff: retry.backoff ?? RETRY_DEFAULTS.backoff,
    initialMs,
    // an explicit first wait may be longer than the default ceiling
    maxMs:
      retry.max_seconds === undefined
        ? Math.max(RETRY_DEFAULTS.maxMs, initialMs)
        : secondsToMs(retry.max_seconds),
    jitter: retry.jitter ?? RETRY_DEFAULTS.jitter,
  };
}

function toAsk(ask: NonNullable<RouteFile['ask']>): Move {
  if (ask === true) return { type: 'ask', options: ASK_OPTIONS };
  const timeoutMs = ask.timeout === undefined ? undefined : parseDuration(ask.timeout);
  return omitUndefined({ type: 'ask', options: ask.options ?? ASK_OPTIONS, timeoutMs });
}

function toPark(park: NonNullable<RouteFile['park']>): Move {
  if (park === true) return { type: 'park' };
  return omitUndefined({ type: 'park', forMs: parseDuration(park.for), max: park.max });
}

function toHalt(halt: NonNullable<RouteFile['halt']>): Move {
  return omitUndefined({ type: 'halt', message: halt === true ? undefined : halt.message });
}
