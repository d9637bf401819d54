/**
 * Whether Temporal still waits for an activity, asked before its effect begins. A process that
 * stood still (a suspended machine, a stopped process) still has its task, although Temporal has
 * given up the activity and the run has asked about the effect and moved on.
 */
import { readProperty } from '../../errors/support/safe-json.ts';
import type { TemporalConfig } from './config.ts';
import { unreachable, type TemporalConnection } from './connect.ts';
import type { ActivityInfo } from './temporal-sdk.ts';

export interface AwaitedOptions {
  /** False when Temporal has given the activity up. Rejects with `store.unavailable`. */
  readonly ask: (taskToken: Uint8Array) => Promise<boolean>;
  /** Milliseconds since 1970, as the server counts them too. */
  readonly now: () => number;
}

/** The part of the time until Temporal gives up that needs no question; the rest is for differing clocks. */
const SURE_PART = 1 / 3;

/** Asks only when the task is older than the sure part of its time. Rejects as `ask` does. */
export async function isStillAwaited(
  info: ActivityInfo,
  { ask, now }: AwaitedOptions,
): Promise<boolean> {
  const sureMs =
    SURE_PART * Math.min(info.heartbeatTimeoutMs ?? Infinity, info.startToCloseTimeoutMs);
  let sinceMs = info.currentAttemptScheduledTimestampMs;
  // the process may stand still during the answer too
  while (Math.abs(now() - sinceMs) >= sureMs) {
    sinceMs = now();
    if (!(await ask(info.taskToken))) return false;
  }
  return true;
}

/** The SDK's names for an activity that has timed out, or whose effect is not wanted now. */
const GIVEN_UP: readonly unknown[] = [
  'ActivityNotFoundError',
  'ActivityCancelledError',
  'ActivityPausedError',
  'ActivityResetError',
];
const ASK_MS = 10_000;

/** Asks by a heartbeat, which the server confirms: those of an activity's context are sent unanswered. */
export function askTemporal(
  { connection, activities }: Pick<TemporalConnection, 'connection' | 'activities'>,
  config: TemporalConfig,
): AwaitedOptions['ask'] {
  return async (taskToken) => {
    try {
      await connection.withDeadline(Date.now() + ASK_MS, () => activities.heartbeat(taskToken));
      return true;
    } catch (thrown) {
      if (GIVEN_UP.includes(readProperty(thrown, 'name'))) return false;
      throw unreachable(config, thrown);
    }
  };
}
