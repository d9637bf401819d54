/** The clock of the machine for calls outside a run, in the form that callers can replace. */

import type { AbortSignalLike } from './workflow/authoring/abort-signal.ts';

export type { AbortSignalLike } from './workflow/authoring/abort-signal.ts';

export interface ResilienceClock {
  now(): number;
  /** Resolves after the time, or rejects when the signal is aborted. */
  sleep(ms: number, signal: AbortSignalLike): Promise<void>;
}

/** The longest a timer of this kind can wait; a longer one would fire at once. */
const MAX_TIMER_MS = 2 ** 31 - 1;

export const MACHINE_CLOCK: ResilienceClock = {
  now: () => Date.now(),
  async sleep(ms, signal) {
    for (let leftMs = ms; leftMs > 0; leftMs -= MAX_TIMER_MS)
      await timer(Math.min(leftMs, MAX_TIMER_MS), signal);
  },
};

/** Rejects with the reason of the signal when that comes first. `onStart` gets what the host calls a timer. */
export function timer(
  ms: number,
  signal: AbortSignal,
  onStart?: (running: unknown) => void,
): Promise<void> {
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
    onStart?.(running);
  });
}

/** Durations that have a timer of their own, which does nothing and keeps no process alive. */
const kept = new Set<number>();
const MOST_KEPT = 16;
let lastMs = 0;

/**
 * Node has a list of timers for each duration, and to make one and to drop it when its last timer is stopped is more
 * than half of what a timer costs. So a duration that is used again gets a timer that stays.
 */
function keepIfRepeated(ms: number, like: unknown): void {
  const isRepeated = ms === lastMs;
  lastMs = ms;
  if (!isRepeated || kept.size >= MOST_KEPT || !isOfNode(like)) return;
  kept.add(ms);
  const keeper: unknown = setTimeout(() => kept.delete(ms), ms);
  if (isOfNode(keeper)) keeper.unref();
}

/** A timer that stays would be seen by a test that has replaced the timers, and stand in the history of a workflow of Temporal. */
function isOfNode(timer: unknown): timer is { unref(): void } {
  return typeof timer === 'object' && timer !== null && timer.constructor.name === 'Timeout';
}

/**
 * Calls back after the time, unless it is stopped first. The machine's own clock needs no promise and no
 * signal for that; a clock of the caller's is only asked to sleep.
 */
export function callLater(clock: ResilienceClock, ms: number, late: () => void): () => void {
  if (clock === MACHINE_CLOCK && ms > 0 && ms <= MAX_TIMER_MS) {
    let running = setTimeout(() => {
      // an end that came while the process stood still is delivered first, in the turn between the two
      running = setTimeout(late, 0);
    }, ms);
    if (!kept.has(ms)) keepIfRepeated(ms, running);
    return () => clearTimeout(running);
  }
  const stopping = new AbortController();
  void sleepThen(clock, ms, { late, signal: stopping.signal });
  // with a reason of its own: the default one is an exception, whose stack costs more than all the rest
  return () => stopping.abort(STOPPED);
}

const STOPPED = 'The sleep was no longer needed';

async function sleepThen(
  clock: ResilienceClock,
  ms: number,
  { late, signal }: { readonly late: () => void; readonly signal: AbortSignal },
): Promise<void> {
  try {
    await clock.sleep(ms, signal);
  } catch {
    // it was stopped, which is what the signal says
    return;
  }
  if (!signal.aborted) late();
}
