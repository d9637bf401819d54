/** A clock whose time passes when a test says so. */
import type { EffectClock } from '../../src/effects/clock.ts';

interface Timer {
  readonly ms: number;
  fire(): void;
}

export class ManualClock implements EffectClock {
  readonly cancelled: number[] = [];
  readonly #timers: Timer[] = [];
  readonly #waiting: ((timer: Timer) => void)[] = [];

  now(): number {
    return Date.parse('2026-11-16T00:00:00Z');
  }

  after(ms: number, fire: () => void): () => void {
    let isOver = false;
    const timer = {
      ms,
      fire: () => {
        isOver = true;
        fire();
      },
    };
    const waiting = this.#waiting.shift();
    if (waiting === undefined) this.#timers.push(timer);
    else waiting(timer);
    return () => {
      if (!isOver) this.cancelled.push(ms);
      isOver = true;
    };
  }

  /** The next timer, set already or later. */
  async next(): Promise<Timer> {
    return this.#timers.shift() ?? new Promise((resolve) => this.#waiting.push(resolve));
  }
}
