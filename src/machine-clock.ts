/** The machine's clock for calls outside a run, in a form that callers can replace. */

import type { AbortSignalLike } from './workflow/authoring/abort-signal.ts';

export type { AbortSignalLike } from './workflow/authoring/abort-signal.ts';

export interface ResilienceClock {
  now(): number;
  /** Resolves after the time, or rejects when the signal is aborted. */
  sleep(ms: number, signal: AbortSignalLike): Promise<void>;
}

/** The longest wait of a timer of this kind; a longer one would fire at once. */
const MAX_TIMER_MS = 2 ** 31 - 1;

export const MACHINE_CLOCK: ResilienceClock = {
  now: () => Date.now(),
  async sleep(ms, signal) {
    for (let leftMs = ms; leftMs > 0; leftMs -= MAX_TIMER_MS)
      await timer(Math.min(leftMs, MAX_TIMER_MS), signal);
  },
};

/**
 * Rejects with the reason of the signal if that aborts first. `onStart` receives the host's timer.
 */
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

/** Durations with a timer of their own, which does nothing and does not keep the process alive. */
const kept = new Set<number>();
const MOST_KEPT = 16;
let lastMs = 0;

/**
 * Node keeps a list of timers for each duration. More than half of a timer's cost is to make the
 * list, and to drop it when its last timer stops. So a duration that is used again gets a permanent
 * timer.
 */
function keepIfRepeated(ms: number, like: unknown): void {
  const isRepeated = ms === lastMs;
  lastMs = ms;
  if (!isRepeated || kept.size >= MOST_KEPT || !isOfNode(like)) return;
  kept.add(ms);
  const keeper: unknown = setTimeout(() => kept.delete(ms), ms);
  if (isOfNode(keeper)) keeper.unref();
}

/**
 * A permanent timer would be visible to a test that replaces the timers, and would stand in the
 * history of a workflow of Temporal.
 */
function isOfNode(timer: unknown): timer is { unref(): void } {
  return typeof timer === 'object' && timer !== null && timer.constructor.name === 'Timeout';
}

/**
 * Calls back after the time, unless stopped first. The machine's own clock needs no promise and no
 * signal for that; a caller's clock is only asked to sleep.
 */
export function callLater(clock: ResilienceClock, ms: number, late: () => void): () => void {
  if (clock === MACHINE_CLOCK && ms > 0 && ms <= MAX_TIMER_MS) {
    let running = setTimeout(() => {
      // an end that came while the process stood still is delivered first, in the turn between the
      // two
      running = setTimeout(late, 0);
    }, ms);
    if (!kept.has(ms)) keepIfRepeated(ms, running);
    return () => clearTimeout(running);
  }
  const stopping = new AbortController();
  void sleepThen(clock, ms, { late, signal: stopping.signal });
  // with a reason of its own: the default is an exception, whose stack costs more than all the rest
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
    // it was stopped, as the signal says
    return;
  }
  if (!signal.aborted) late();
}
