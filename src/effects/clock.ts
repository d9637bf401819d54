/** Time as effects and drivers need it. Given from outside, so that a test or a simulation can own it. */

export interface EffectClock {
  /** Milliseconds since 1970. */
  now(): number;
  /** Calls back once after that time, unless the returned function was called before. */
  after(ms: number, fire: () => void): () => void;
}

/** A longer timer would overflow and fire at once. */
const MAX_TIMER_MS = 2 ** 31 - 1;

export const MACHINE_CLOCK: EffectClock = {
  now: () => Date.now(),
  after: (ms, fire) => {
    let timer: NodeJS.Timeout;
    const arm = (leftMs: number): void => {
      const sliceMs = Math.min(leftMs, MAX_TIMER_MS);
      timer = setTimeout(() => (leftMs > sliceMs ? arm(leftMs - sliceMs) : fire()), sliceMs);
    };
    arm(ms);
    return () => clearTimeout(timer);
  },
};
