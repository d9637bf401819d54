/** A driver whose clock and effects the test controls: it can play any order of events. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { EffectRunner } from '../../src/engine/run/effect-runner.ts';
import { LocalBackend } from '../../src/engine/local/local-backend.ts';
import { VirtualClock } from '../../src/rehearsal/world/virtual-clock.ts';
import type { EffectResult } from '../../src/effects/effect-port.ts';
import type { RunEvent } from '../../src/machine/state/events.ts';
import type { RunStore } from '../../src/machine/ports/store-port.ts';
import { openMemoryStore } from '../../src/stores/memory.ts';
import { loadWorkflow } from '../../src/workflow/yaml/load-workflow.ts';
import type { WorkflowPlan } from '../../src/workflow/plan/plan.ts';
import { storeWith } from '../../src/stores/watched-store.cases.ts';

interface Performing {
  readonly path: string;
  readonly attempt: number;
  readonly settle: (result: EffectResult) => void;
}

export interface StageOptions {
  /** How an effect reacts to a stop. Default: it ends at once. */
  readonly onAbort?: 'ends' | 'ignores';
}

export class Stage {
  readonly clock = new VirtualClock(Date.UTC(2026, 0, 1));
  readonly #store: RunStore = openMemoryStore({ now: () => this.clock.now() });
  readonly #options: StageOptions;
  readonly performing = new Map<string, Performing>();
  /** Paths, in the order in which they began. */
  readonly begun: string[] = [];
  driver: LocalBackend;

  constructor(options: StageOptions = {}) {
    this.#options = options;
    this.driver = this.#newDriver();
  }

  /** Ends an effect that has begun and was not stopped. */
  end(path: string, result: EffectResult): boolean {
    const effect = this.performing.get(path);
    if (effect === undefined) return false;
    this.performing.delete(path);
    effect.settle(result);
    return true;
  }

  /** Resolves after everything that can happen now has happened. */
  async turn(): Promise<void> {
    for (let count = 0; count < 12; count++) await nextTurn();
  }

  async pass(ms: number): Promise<void> {
    await this.clock.passUntil(this.clock.sleep(ms));
    await this.turn();
  }

  async events(run: string): Promise<readonly RunEvent[]> {
    const events: RunEvent[] = [];
    // written by the driver, and kept as JSON
    for await (const commit of this.#store.read(run))
      events.push(...(commit.events as unknown as RunEvent[]));
    return events;
  }

  /** Stops its driver; another one finds what it left. */
  async restart(): Promise<void> {
    await this.driver.close();
    this.driver = this.#newDriver();
  }

  #newDriver(): LocalBackend {
    // the log outlives the driver that wrote it
    const store = storeWith(this.#store, { close: () => Promise.resolve() });
    return new LocalBackend({ store, effects: this.#effects(), clock: this.clock });
  }

  #effects(): EffectRunner {
    return {
      run: ({ path }, { signal, attempt }) =>
        new Promise((settle) => {
          this.begun.push(path);
          this.performing.set(path, { path, attempt, settle });
          signal.addEventListener('abort', () => {
            if (this.#options.onAbort !== 'ignores') this.end(path, CANCELLED);
          });
        }),
      close: () => Promise.resolve(),
    };
  }
}

export const OK: EffectResult = { ok: true, output: { fine: true } };
export const BAD: EffectResult = {
  ok: false,
  failure: { kind: 'work.bad', message: 'It does not work', outcome: 'failed' },
};
const CANCELLED: EffectResult = {
  ok: false,
  failure: { kind: 'cancelled.tool', message: 'It was stopped', outcome: 'partial' },
};

/** The first file is the workflow. */
export function planOf(files: Readonly<Record<string, object>>): WorkflowPlan {
  const texts = new Map(
    Object.entries(files).map(([name, value]) => [name, JSON.stringify(value, null, 1)]),
  );
  const [first = ''] = texts.keys();
  const loaded = loadWorkflow(first, {
    resolve: (_, to) => to.replace(/^\.\//, ''),
    read: (path) => {
      const text = texts.get(path);
      return text === undefined ? { ok: false, reason: 'it is not there' } : { ok: true, text };
    },
  });
  if (loaded.ok) return loaded.plan;
  throw new Error(loaded.diagnostics.map(({ message }) => message).join('; '));
}

export function call(name: string, more: object = {}): object {
  return { name, type: 'call', function: 'f', ...more };
}
