/**
 * Changes of all runs: those of this process as they happen, those of others through the store,
 * which is polled only while someone listens.
 */
import type { EffectClock } from '../../effects/clock.ts';
import type { Engine } from '../../engine/errand.ts';
import type { RunSummary } from '../../machine/ports/store-port.ts';
import type { RunEvent } from '../../machine/state/events.ts';

const POLL_MS = 300;
/** How many of the newest runs are compared; older ones are compared until they have ended. */
const NEWEST = 200;

export interface AllChangesOptions {
  readonly engine: () => Promise<Engine>;
  readonly clock: EffectClock;
}

export class AllChanges {
  readonly #options: AllChangesOptions;
  readonly #listeners = new Set<(run: string) => void>();
  /** How each run stood when it was last compared. */
  #seen: ReadonlyMap<string, string> | undefined;
  #cancelTimer: (() => void) | undefined;

  constructor(options: AllChangesOptions) {
    this.#options = options;
  }

  /** Called with every event of this process. */
  note({ run }: Pick<RunEvent, 'run'>): void {
    for (const listener of this.#listeners) listener(run);
  }

  /** Returns what ends it. */
  listen(listener: (run: string) => void): () => void {
    this.#listeners.add(listener);
    if (this.#listeners.size === 1) void this.#poll();
    return () => {
      this.#listeners.delete(listener);
      if (this.#listeners.size > 0) return;
      this.#cancelTimer?.();
      this.#seen = undefined;
    };
  }

  async #poll(): Promise<void> {
    try {
      const now = await this.#compare();
      for (const [run, form] of now)
        if (this.#seen !== undefined && this.#seen.get(run) !== form) this.note({ run });
      this.#seen = now;
    } catch {
      // the next poll tries again; readers of a run get the failure of the store themselves
    }
    if (this.#listeners.size === 0) return;
    this.#cancelTimer = this.#options.clock.after(POLL_MS, () => void this.#poll());
  }

  async #compare(): Promise<ReadonlyMap<string, string>> {
    const engine = await this.#options.engine();
    const onDamage = (): void => undefined;
    const newest = await engine.list({ limit: NEWEST, onDamage });
    const open = await engine.list({ statuses: ['running', 'interrupted'], onDamage });
    const forms = new Map<string, string>();
    for (const summary of [...newest, ...open]) {
      if (forms.has(summary.run)) continue;
      forms.set(summary.run, await this.#form(engine, summary));
    }
    return forms;
  }

  /** A run that is executed changes with its log; any other with its row. */
  async #form(engine: Engine, summary: RunSummary): Promise<string> {
    const { run, status, waiting, costUsdMicros, endedAt } = summary;
    const seq = status === 'running' ? (await engine.record(run)).head.nextSeq : 0;
    return JSON.stringify([status, waiting?.until, waiting?.gate, costUsdMicros, endedAt, seq]);
  }
}
