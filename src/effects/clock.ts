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
    const endsAtMs = performance.now() + ms;
    let timer: NodeJS.Timeout;
    const arm = (leftMs: number): void => {
      timer = setTimeout(
        () => {
          const restMs = endsAtMs - performance.now();
          if (leftMs <= MAX_TIMER_MS || restMs <= 0) fire();
          else arm(restMs);
        },
        Math.min(leftMs, MAX_TIMER_MS),
      );
    };
    arm(ms);
    return () => clearTimeout(timer);
  },
};
