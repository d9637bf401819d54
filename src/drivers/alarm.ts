/** One timer for all runs of a driver: ten thousand runs that wait cost one. */
import { newTimers, nextTimerMs, setTimer, takeDue } from '../machine/timers.ts';
import type { EffectClock } from '../effects/clock.ts';

/** So many that were replaced or taken back are no burden. */
const MAX_STALE = 64;

export class Alarm {
  readonly #clock: EffectClock;
  #timers = newTimers();
  readonly #calls = new Map<string, { readonly atMs: number; readonly call: () => void }>();
  #takeBack: (() => void) | undefined;
  #armedAtMs = Infinity;

  constructor(clock: EffectClock) {
    this.#clock = clock;
  }

  /** Calls back once at that time; a later call under the same name replaces it. */
  set(name: string, atMs: number, call: () => void): void {
    this.#calls.set(name, { atMs, call });
    setTimer(this.#timers, atMs, name);
    if (this.#timers.heap.length > 2 * this.#calls.size + MAX_STALE) this.#forgetStale();
    this.#arm();
  }

  clear(name: string): void {
    this.#calls.delete(name);
    if (this.#calls.size === 0) this.#disarm();
  }

  /** A run asks anew with each of its steps, and there may be millions of them before it is time. */
  #forgetStale(): void {
    this.#timers = newTimers();
    for (const [name, { atMs }] of this.#calls) setTimer(this.#timers, atMs, name);
  }

  #arm(): void {
    const nextMs = nextTimerMs(this.#timers) ?? Infinity;
    if (nextMs >= this.#armedAtMs) return;
    this.#disarm();
    this.#armedAtMs = nextMs;
    const waitMs = Math.max(0, nextMs - this.#clock.now());
    this.#takeBack = this.#clock.after(waitMs, () => this.#ring());
  }

  #ring(): void {
    this.#armedAtMs = Infinity;
    this.#takeBack = undefined;
    const nowMs = this.#clock.now();
    for (const name of takeDue(this.#timers, nowMs)) {
      const due = this.#calls.get(name);
      // replaced by a later one, or taken back
      if (due === undefined || due.atMs > nowMs) continue;
      this.#calls.delete(name);
      due.call();
    }
    this.#arm();
  }

  #disarm(): void {
    this.#takeBack?.();
    this.#takeBack = undefined;
    this.#armedAtMs = Infinity;
  }
}
