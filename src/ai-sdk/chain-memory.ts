/**
 * The memory that calls of a chain share: which model pauses until when, which breaker is open,
 * and the latest failure behind it. A chain has one; entries with a `cooldownKey` share one in the process.
 */
import type { ErrorReport } from '../errors/report/report.ts';
import {
  askBreaker,
  breakerFailed,
  breakerSucceeded,
  CLOSED,
  type BreakerState,
} from '../machine/policy/breaker.ts';
import {
  beginProbe,
  cooldownUntilMs,
  noteCooldown,
  noteSpentQuota,
  settleCooldown,
  type SharedCooldowns,
} from '../machine/policy/cooldown.ts';

/**
 * Pause for a spent quota without a known end: long enough not to ask at each call, short enough to
 * notice a paid bill.
 */
const QUOTA_PAUSE_MS = 15 * 60_000;

/** How many names are kept before expired ones are dropped. */
const MAX_NAMES = 1000;

type Cooldowns = Map<string, { readonly untilMs: number; probe: string | undefined }>;

export interface FailedCall {
  readonly error: ErrorReport;
  /** The failure that says for how long the model pauses. */
  readonly pausesAs: ErrorReport;
  /** When the failed call would ask this model again; 0 when it does not. */
  readonly pausedUntilMs: number;
  readonly nowMs: number;
}

export class ChainMemory {
  readonly #cooldowns: Cooldowns = new Map();
  readonly #breakers = new Map<string, BreakerState>();
  readonly #latest = new Map<string, ErrorReport>();
  readonly #running = new Set<string>();
  readonly #waiting = new Set<() => void>();

  /** When the model may be called; Infinity while another call probes it. */
  readyAtMs(name: string, nowMs: number): number {
    return cooldownUntilMs(this.#view(nowMs), name);
  }

  latestFailure(name: string): ErrorReport | undefined {
    return this.#latest.get(name);
  }

  /** Begins a call; undefined when it may be made, else until when the breaker refuses it. */
  begin(name: string, key: string, nowMs: number): number | undefined {
    const asked = askBreaker(this.#breakers.get(name) ?? CLOSED, nowMs);
    if (!asked.allowed) return asked.untilMs;
    this.#setBreaker(name, asked.next);
    this.#running.add(key);
    beginProbe(this.#view(nowMs), name, key);
    return undefined;
  }

  succeeded(name: string, key: string, nowMs: number): void {
    this.#running.delete(key);
    this.#latest.delete(name);
    settleCooldown(this.#view(nowMs), name);
    this.#setBreaker(name, breakerSucceeded(this.#breakers.get(name) ?? CLOSED));
    this.#wakeAll();
  }

  failed(name: string, key: string, { error, pausesAs, pausedUntilMs, nowMs }: FailedCall): void {
    this.#running.delete(key);
    this.#latest.set(name, error);
    const view = this.#view(nowMs);
    noteCooldown(view, name, pausesAs, pausedUntilMs);
    if (error.kind === 'provider.quota_exhausted')
      noteSpentQuota(view, name, nowMs + (error.provider?.retryAfterMs ?? QUOTA_PAUSE_MS));
    this.#setBreaker(name, breakerFailed(this.#breakers.get(name) ?? CLOSED, pausesAs.kind, nowMs));
    this.#forgetWhatIsOver(nowMs);
    this.#wakeAll();
  }

  /** The caller gave the call up, which says nothing about the model. */
  abandoned(name: string, key: string, nowMs: number): void {
    this.#running.delete(key);
    const state = this.#breakers.get(name) ?? CLOSED;
    this.#setBreaker(name, breakerFailed(state, 'cancelled.call', nowMs));
    this.#wakeAll();
  }

  /** Calls back at the next change; the returned function stops that. */
  onChange(wake: () => void): () => void {
    this.#waiting.add(wake);
    return () => this.#waiting.delete(wake);
  }

  #view(nowMs: number): SharedCooldowns {
    return { cooldowns: this.#cooldowns, nowMs, effects: this.#running };
  }

  #setBreaker(name: string, state: BreakerState): void {
    if (state === CLOSED) this.#breakers.delete(name);
    else this.#breakers.set(name, state);
  }

  /** Drops expired names: applications with a key for each tenant name many. */
  #forgetWhatIsOver(nowMs: number): void {
    if (this.#cooldowns.size > MAX_NAMES)
      for (const [name, { untilMs }] of this.#cooldowns)
        if (untilMs <= nowMs) this.#cooldowns.delete(name);
    for (const name of this.#latest.keys()) {
      if (this.#latest.size <= MAX_NAMES) break;
      this.#latest.delete(name);
    }
  }

  #wakeAll(): void {
    for (const wake of this.#waiting) wake();
  }
}

/** Shared by everything in the process that names the same `cooldownKey`. */
export const PROCESS_MEMORY = /* @__PURE__ */ new ChainMemory();
