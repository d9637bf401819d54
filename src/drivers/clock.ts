/** Time for drivers: what it is, and a timer that can be taken back. */
export interface DriverClock {
  now(): number;
  /** Calls back once; the function takes it back. */
  after(ms: number, call: () => void): () => void;
}

/** A timer cannot hold longer than this; a longer wait is asked for again. */
const MAX_TIMER_MS = 2 ** 31 - 1;

export const SYSTEM_CLOCK: DriverClock = {
  now: () => Date.now(),
  after: (ms, call) => {
    const timer = setTimeout(call, Math.min(Math.max(0, ms), MAX_TIMER_MS));
    return () => clearTimeout(timer);
  },
};
