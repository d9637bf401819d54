/**
 * Runs whose process is gone are taken over for as long as whoever does it is open: one of this
 * machine within moments, one of another when its lease is over. A few at a time, so that those who
 * look at the same store share the work; one that was refused is let be for a while.
 */
import type { EffectClock } from '../effects/clock.ts';
import { isKind } from '../errors/errand-error.ts';
import type { RunSummary } from '../machine/store-port.ts';

export interface AdoptionOptions {
  readonly clock: EffectClock;
  readonly orphans: () => Promise<readonly RunSummary[]>;
  /** Resumes it; refused where what it needs is not here, because another process may have it. */
  readonly take: (run: string) => Promise<unknown>;
  readonly onWarning: (thrown: unknown) => void;
}

/** Between two looks. */
const LOOK_MS = 2000;

/** Taken over in one look. */
const MOST = 50;

/** How long one that was refused is let be. */
const REFUSED_MS = 60_000;

export class Adoption {
  readonly #options: AdoptionOptions;
  /** By run: when it may be tried again. */
  readonly #refused = new Map<string, number>();
  #looking: Promise<void> = Promise.resolve();
  #isOver = false;
  /** What fails each time is told of once. */
  #isTold = false;
  #takeBack: (() => void) | undefined;

  constructor(options: AdoptionOptions) {
    this.#options = options;
  }

  /** Fulfilled after the first look, and rejected where that fails. */
  async begin(): Promise<void> {
    await this.#look();
    this.#arm();
  }

  /** No run is taken over after that. */
  async stop(): Promise<void> {
    this.#isOver = true;
    this.#takeBack?.();
    await this.#looking;
  }

  #arm(): void {
    if (this.#isOver) return;
    this.#takeBack = this.#options.clock.after(LOOK_MS, () => {
      this.#looking = this.#lookAgain();
    });
  }

  async #lookAgain(): Promise<void> {
    try {
      await this.#look();
      this.#isTold = false;
    } catch (thrown) {
      if (!this.#isTold) this.#options.onWarning(thrown);
      this.#isTold = true;
    }
    this.#arm();
  }

  async #look(): Promise<void> {
    const orphans = await this.#options.orphans();
    const known = new Set(orphans.map(({ run }) => run));
    for (const run of this.#refused.keys()) if (!known.has(run)) this.#refused.delete(run);
    const nowMs = this.#options.clock.now();
    const due = orphans.filter(({ run }) => (this.#refused.get(run) ?? 0) <= nowMs);
    for (const orphan of due.slice(0, MOST)) if (!this.#isOver) await this.#take(orphan);
  }

  /** One that cannot go on as it is stays where it is, and keeps no other from going on. */
  async #take({ run }: RunSummary): Promise<void> {
    try {
      await this.#options.take(run);
    } catch (refusal) {
      // another process was quicker
      if (isKind(refusal, 'run.already_active')) return;
      if (!this.#refused.has(run)) this.#options.onWarning(refusal);
      this.#refused.set(run, this.#options.clock.now() + REFUSED_MS);
    }
  }
}
