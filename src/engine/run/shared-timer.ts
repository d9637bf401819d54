/**
 * Wakes runs at the end of their waits: before a retry, at a deadline, after a `wait` node. All runs of a
 * backend share one timer of the process, so ten thousand waits cost one.
 */
import { newTimers, nextTimerMs, setTimer, takeDue } from '../../machine/state/timer-heap.ts';
import type { EffectClock } from '../../effects/clock.ts';

/** Replaced or cleared timers that are kept before they are dropped. */
const MAX_STALE = 64;

/** A timer stands still while the machine sleeps; the clock does not. So the clock is read this often. */
const MAX_WAIT_MS = 60_000;

export class SharedTimer {
  readonly #clock: EffectClock;
  #timers = newTimers();
  readonly #calls = new Map<string, { readonly atMs: number; readonly call: () => void }>();
  #cancelTimer: (() => void) | undefined;
  #armedAtMs = Infinity;

  constructor(clock: EffectClock) {
    this.#clock = clock;
  }

  /** Calls back once at that time; a later call under the same name replaces it. */
  set(name: string, atMs: number, call: () => void): void {
    this.#calls.set(name, { atMs, call });
    setTimer(this.#timers, atMs, name);
    if (this.#timers.heap.length > 2 * this.#calls.size + MAX_STALE) this.#dropStale();
    this.#arm();
  }

  clear(name: string): void {
    this.#calls.delete(name);
    if (this.#calls.size === 0) this.#disarm();
  }

  /** A run sets its timer with each step, and there may be millions of steps before it fires. */
  #dropStale(): void {
    this.#timers = newTimers();
    for (const [name, { atMs }] of this.#calls) setTimer(this.#timers, atMs, name);
  }

  #arm(): void {
    const nextMs = nextTimerMs(this.#timers) ?? Infinity;
    if (nextMs >= this.#armedAtMs) return;
    this.#disarm();
    this.#armedAtMs = nextMs;
    const waitMs = Math.max(0, nextMs - this.#clock.now());
    this.#cancelTimer = this.#clock.after(Math.min(waitMs, MAX_WAIT_MS), () => this.#fire());
  }

  #fire(): void {
    this.#armedAtMs = Infinity;
    this.#cancelTimer = undefined;
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
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
    this.#armedAtMs = Infinity;
  }
}
