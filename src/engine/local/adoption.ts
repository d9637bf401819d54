/**
 * Resumes runs whose process is gone, while the engine is open: a run of this machine within moments,
 * a run of another machine when its lease ends. Takes a few per poll, so that processes on the same
 * store share the work. A run that was refused is not tried again for a while.
 */
import type { EffectClock } from '../../effects/clock.ts';
import { isKind } from '../../errors/thrown/errand-error.ts';
import type { RunSummary } from '../../machine/ports/store-port.ts';

export interface AdoptionOptions {
  readonly clock: EffectClock;
  readonly orphans: () => Promise<readonly RunSummary[]>;
  /** Resumes it; refused where what it needs is not here, because another process may have it. */
  readonly take: (run: string) => Promise<unknown>;
  readonly onWarning: (thrown: unknown) => void;
}

/** Time between two polls. */
const POLL_MS = 2000;

/** Most runs that one poll adopts. */
const MAX_PER_POLL = 50;

/** How long a run that was refused is left alone. */
const RETRY_AFTER_MS = 60_000;

export class Adoption {
  readonly #options: AdoptionOptions;
  /** By run: when it may be tried again. */
  readonly #refused = new Map<string, number>();
  #polling: Promise<void> = Promise.resolve();
  #isOver = false;
  /** Whether a failure that repeats has been reported. */
  #hasWarned = false;
  #cancelTimer: (() => void) | undefined;

  constructor(options: AdoptionOptions) {
    this.#options = options;
  }

  /** Resolves after the first poll, and rejects when that fails. */
  async begin(): Promise<void> {
    await this.#poll();
    this.#arm();
  }

  /** No run is taken over after that. */
  async stop(): Promise<void> {
    this.#isOver = true;
    this.#cancelTimer?.();
    await this.#polling;
  }

  #arm(): void {
    if (this.#isOver) return;
    this.#cancelTimer = this.#options.clock.after(POLL_MS, () => {
      this.#polling = this.#pollAgain();
    });
  }

  async #pollAgain(): Promise<void> {
    try {
      await this.#poll();
      this.#hasWarned = false;
    } catch (thrown) {
      if (!this.#hasWarned) this.#options.onWarning(thrown);
      this.#hasWarned = true;
    }
    this.#arm();
  }

  async #poll(): Promise<void> {
    const orphans = await this.#options.orphans();
    const known = new Set(orphans.map(({ run }) => run));
    for (const run of this.#refused.keys()) if (!known.has(run)) this.#refused.delete(run);
    const nowMs = this.#options.clock.now();
    const due = orphans.filter(({ run }) => (this.#refused.get(run) ?? 0) <= nowMs);
    for (const orphan of due.slice(0, MAX_PER_POLL)) if (!this.#isOver) await this.#adopt(orphan);
  }

  /**
   * Adopts one run. A run that cannot be resumed here stays as it is and does not keep the next from
   * resuming.
   */
  async #adopt({ run }: RunSummary): Promise<void> {
    try {
      await this.#options.take(run);
    } catch (refusal) {
      // another process was quicker
      if (isKind(refusal, 'run.already_active')) return;
      if (!this.#refused.has(run)) this.#options.onWarning(refusal);
      this.#refused.set(run, this.#options.clock.now() + RETRY_AFTER_MS);
    }
  }
}
