/**
 * Time that passes only when every promise waits. The next timer fires once no promise is left to be
 * settled at this moment; nothing ever sleeps, and a day costs as much as a millisecond.
 */
import type { EffectClock } from '../../effects/clock.ts';

interface Timer {
  readonly atMs: number;
  readonly call: () => void;
}

/** Result of waiting: the promise is settled, or nothing will ever happen again. */
export type Waited = 'settled' | 'stuck';

export class VirtualClock implements EffectClock {
  /** The earliest last; of two at the same time, the one that was set first. */
  readonly #timers: Timer[] = [];
  /** Work that is done outside of this world's time. */
  readonly #outside = new Set<Promise<undefined>>();
  #nowMs: number;

  constructor(startMs: number) {
    this.#nowMs = startMs;
  }

  now(): number {
    return this.#nowMs;
  }

  /** `isFirst`: before all others of the same time. */
  after(ms: number, call: () => void, isFirst = false): () => void {
    const timer = { atMs: this.#nowMs + Math.max(0, ms), call };
    let index = this.#timers.length;
    const isAhead = (other: number): boolean =>
      isFirst ? other < timer.atMs : other <= timer.atMs;
    while (index > 0 && isAhead(this.#timers[index - 1]?.atMs ?? Infinity)) index--;
    this.#timers.splice(index, 0, timer);
    return () => {
      const at = this.#timers.indexOf(timer);
      if (at >= 0) this.#timers.splice(at, 1);
    };
  }

  /** Stops the time of this world until the work, which is done outside of it, has ended. */
  async during<T>(work: Promise<T>): Promise<T> {
    const done = work.then(
      () => undefined,
      () => undefined,
    );
    this.#outside.add(done);
    try {
      return await work;
    } finally {
      this.#outside.delete(done);
    }
  }

  sleep(ms: number): Promise<void> {
    return new Promise((resolve) => void this.after(ms, resolve));
  }

  /**
   * Lets time pass until the promise is settled. `stuck` when no timer is left, or when the time is
   * up: a heartbeat alone would keep a run alive for ever.
   */
  async passUntil(promise: Promise<unknown>, forAtMostMs = Infinity): Promise<Waited> {
    let isSettled = false;
    const settle = (): void => {
      isSettled = true;
    };
    promise.then(settle, settle);
    const endMs = this.#nowMs + forAtMostMs;
    for (;;) {
      await everybodyWaits();
      while (this.#outside.size > 0) {
        await Promise.all(this.#outside);
        await everybodyWaits();
      }
      if (isSettled) return 'settled';
      const next = this.#timers.at(-1);
      if (next === undefined || next.atMs > endMs) return 'stuck';
      this.#timers.pop();
      this.#nowMs = next.atMs;
      next.call();
    }
  }
}

/** An immediate runs after all promises that can be settled now; it takes no time of the world. */
function everybodyWaits(): Promise<void> {
  return new Promise((resolve) => void setImmediate(resolve));
}
