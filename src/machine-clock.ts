/** The clock of the machine for calls outside a run, in the form that callers can replace. */

/** `AbortSignal` where the program has such types, and nothing that needs them where it has not. */
export type AbortSignalLike = typeof globalThis extends { AbortSignal: { prototype: infer Known } }
  ? Known
  : { readonly aborted: boolean; readonly reason: unknown };

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

/** Rejects with the reason of the signal when that comes first. */
export function timer(ms: number, signal: AbortSignal): Promise<void> {
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
