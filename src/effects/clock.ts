/** The clock that effects and the engine use. It is passed in, so that a test or a simulation can control it. */

export interface EffectClock {
  /** Milliseconds since 1970. */
  now(): number;
  /** Calls back once after that time, unless the returned function was called before. */
  after(ms: number, fire: () => void): () => void;
}

export function sleep(clock: EffectClock, ms: number): Promise<void> {
  return new Promise((resolve) => void clock.after(ms, resolve));
}

/** A longer timer would overflow and fire at once. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** A wall clock that differs from the elapsed time by more than this has been set. */
const SET_MS = 1000;

/**
 * A clock that never runs backwards. When the wall clock is set back, this one continues from its
 * last time; otherwise a wait of one second would last as long as the correction. Accepts a jump
 * forward.
 */
export function steadyClock(wallMs: () => number, elapsedMs: () => number): () => number {
  let aheadMs = 0;
  let last = { nowMs: wallMs(), elapsedMs: elapsedMs() };
  return () => {
    const elapsed = elapsedMs();
    const expectedMs = last.nowMs + elapsed - last.elapsedMs;
    const wall = wallMs();
    if (Math.abs(wall + aheadMs - expectedMs) > SET_MS)
      aheadMs = Math.max(0, Math.floor(expectedMs - wall));
    last = { nowMs: Math.max(last.nowMs, wall + aheadMs), elapsedMs: elapsed };
    return last.nowMs;
  };
}

/**
 * Milliseconds from a moment in the past. The first use of `performance` would load its observers.
 */
function elapsedMs(): number {
  const [seconds, nanoseconds] = process.hrtime();
  return seconds * 1e3 + nanoseconds / 1e6;
}

export const MACHINE_CLOCK: EffectClock = {
  now: steadyClock(() => Date.now(), elapsedMs),
  after: (ms, fire) => {
    let timer: NodeJS.Timeout;
    let turn: NodeJS.Immediate | undefined;
    const arm = (leftMs: number): void => {
      const sliceMs = Math.min(leftMs, MAX_TIMER_MS);
      timer = setTimeout(() => {
        if (leftMs > sliceMs) arm(leftMs - sliceMs);
        // after the process stood still, a timer fires before the ends that the system kept
        // waiting; one turn of the event loop delivers them, so that no time limit ends an effect
        // that has already ended
        else turn = setImmediate(fire);
      }, sliceMs);
    };
    arm(ms);
    return () => {
      clearTimeout(timer);
      clearImmediate(turn);
    };
  },
};
