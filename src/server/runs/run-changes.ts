/**
 * Changes of runs, for callers who wait for one: at once if this process executes the run, and
 * through the store if another one does. All who wait for the same run share one poll.
 */
import type { EffectClock } from '../../effects/clock.ts';
import type { RunStatusName } from '../../machine/ports/store-port.ts';
import type { RunEvent } from '../../machine/state/events.ts';

/** A run as a waiter has seen it. */
export interface Seen {
  /** The number of the last event. */
  readonly seq: number;
  /** Given if a change of the status alone counts: a process can die without an event. */
  readonly status?: RunStatusName;
}

export interface RunChangesOptions {
  readonly clock: EffectClock;
  /** Whether the log has an event after this one. */
  readonly hasMore: (run: string, seq: number) => Promise<boolean>;
  readonly statusOf: (run: string) => Promise<RunStatusName>;
}

const POLL_MS = 200;

interface Waiter extends Seen {
  readonly wake: () => void;
}

interface Watched {
  readonly waiters: Set<Waiter>;
  cancelTimer: (() => void) | undefined;
}

export class RunChanges {
  readonly #options: RunChangesOptions;
  readonly #watched = new Map<string, Watched>();

  constructor(options: RunChangesOptions) {
    this.#options = options;
  }

  /** Called with every event of this process. */
  note({ run, seq }: Pick<RunEvent, 'run' | 'seq'>): void {
    const watched = this.#watched.get(run);
    if (watched === undefined) return;
    for (const waiter of watched.waiters) if (waiter.seq < seq) waiter.wake();
  }

  /** Wakes all who wait: the run was stopped or taken here, or the server stops. */
  wakeAll(run?: string): void {
    const all = run === undefined ? [...this.#watched.keys()] : [run];
    for (const each of all)
      for (const waiter of this.#watched.get(each)?.waiters ?? []) waiter.wake();
  }

  /** Resolves when the run has changed since it was seen, or may have, or the signal is aborted. */
  async changed(run: string, seen: Seen, signal: AbortSignal): Promise<void> {
    if (signal.aborted) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const wake = (): void => resolve();
    const waiter: Waiter = { ...seen, wake };
    const watched = this.#watch(run);
    watched.waiters.add(waiter);
    signal.addEventListener('abort', wake, { once: true });
    try {
      await promise;
    } finally {
      signal.removeEventListener('abort', wake);
      watched.waiters.delete(waiter);
      if (watched.waiters.size === 0) this.#forget(run, watched);
    }
  }

  #watch(run: string): Watched {
    const known = this.#watched.get(run);
    if (known !== undefined) return known;
    const watched: Watched = { waiters: new Set(), cancelTimer: undefined };
    this.#watched.set(run, watched);
    this.#arm(run, watched);
    return watched;
  }

  #forget(run: string, watched: Watched): void {
    watched.cancelTimer?.();
    if (this.#watched.get(run) === watched) this.#watched.delete(run);
  }

  #arm(run: string, watched: Watched): void {
    watched.cancelTimer = this.#options.clock.after(POLL_MS, () => {
      void this.#poll(run, watched).then(() => {
        if (this.#watched.get(run) === watched) this.#arm(run, watched);
      });
    });
  }

  async #poll(run: string, { waiters }: Watched): Promise<void> {
    try {
      const behind = Math.min(...Array.from(waiters, ({ seq }) => seq));
      const hasMore = await this.#options.hasMore(run, behind);
      const byStatus = [...waiters].some(({ status }) => status !== undefined);
      const now = byStatus ? await this.#options.statusOf(run) : undefined;
      for (const { seq, status, wake } of waiters) {
        const isBehind = hasMore && seq === behind;
        if (isBehind || (status !== undefined && status !== now)) wake();
      }
    } catch {
      // waiting callers read the run themselves, and get the failure of the store
      for (const { wake } of waiters) wake();
    }
  }
}
