/**
 * Whole runs over the real AI SDK and a server on this machine. Time jumps to the next timer
 * whenever no effect is open, so that an hour of waiting costs nothing and every wait is known
 * exactly.
 */
import { MACHINE_CLOCK, type EffectClock } from '../../src/effects/clock.ts';
import { createEffectRunner, type EffectHost } from '../../src/engine/run/effect-runner.ts';
import type { RunResult } from '../../src/engine/backend.ts';
import { LocalBackend } from '../../src/engine/local/local-backend.ts';
import { memoryFiles } from '../../src/workflow/yaml/files.cases.ts';
import type { RunEvent } from '../../src/machine/state/events.ts';
import { costsOf, type Costs } from '../../src/history/cost-ledger.ts';
import type { RunStore } from '../../src/machine/ports/store-port.ts';
import { openMemoryStore } from '../../src/stores/memory.ts';
import { loadWorkflow } from '../../src/workflow/yaml/load-workflow.ts';
import type { WorkflowPlan } from '../../src/workflow/plan/plan.ts';
import { validateWorkflow } from '../../src/workflow/check/validate-workflow.ts';
import { requireSdks } from '../sdk-parity/install.ts';
import { SDKS } from './harness.ts';

const START_MS = Date.parse('2026-11-15T00:00:00Z');

export class JumpClock implements EffectClock {
  #nowMs = START_MS;
  /** Open effects: time stands still for them. */
  busy = 0;

  now(): number {
    return this.#nowMs;
  }

  after(ms: number, fire: () => void): () => void {
    const atMs = this.#nowMs + ms;
    let immediate: NodeJS.Immediate;
    const look = (): void => {
      if (this.busy > 0) {
        immediate = setImmediate(look);
        return;
      }
      this.#nowMs = Math.max(this.#nowMs, atMs);
      fire();
    };
    immediate = setImmediate(look);
    return () => clearImmediate(immediate);
  }

  advance(ms: number): void {
    this.#nowMs += ms;
  }
}

export interface Ran {
  readonly run: string;
  readonly result: RunResult;
  readonly events: readonly RunEvent[];
  readonly costs: Costs;
  /** `target ok` or `target kind`, for each call of a model. */
  readonly calls: readonly string[];
  /** Milliseconds between a failed call and the next request. */
  readonly waitsMs: readonly number[];
  /** The bound that validation prints. */
  readonly bound: number;
}

export type RunSetup = Partial<EffectHost> & {
  readonly env?: Readonly<Record<string, string>>;
  readonly clock?: JumpClock;
  readonly store?: RunStore;
  /**
   * The clock of the effects. Default: it stands still while one is open, so that hints are exact.
   */
  readonly effectClock?: EffectClock;
  /** Waits in the process even for long, instead of parking. Default: true. */
  readonly wait?: boolean;
};

export function planOf(
  file: object,
  env: Readonly<Record<string, string>> = {},
): { readonly plan: WorkflowPlan; readonly bound: number } {
  const files = memoryFiles({ 'main.yaml': JSON.stringify(file) });
  const loaded = loadWorkflow('main.yaml', files, env);
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.diagnostics, null, 2));
  const [verdict] = validateWorkflow('main.yaml', files, env).files;
  return { plan: loaded.plan, bound: verdict?.worstCase?.modelRequests ?? Infinity };
}

export function openRunner(setup: RunSetup, clock: JumpClock): LocalBackend {
  requireSdks();
  const { store = openMemoryStore({ now: () => clock.now() }), wait: _wait, ...host } = setup;
  const { effectClock = { ...MACHINE_CLOCK, now: () => clock.now() } } = setup;
  const effects = createEffectRunner({ env: {}, functions: {}, directory: SDKS, ...host });
  return new LocalBackend({
    store,
    clock,
    isShared: false,
    effects: {
      close: () => effects.close(),
      run: async (request, context) => {
        clock.busy++;
        try {
          return await effects.run(request, { ...context, clock: effectClock });
        } finally {
          clock.busy--;
        }
      },
    },
  });
}

export async function runFile(file: object, setup: RunSetup = {}): Promise<Ran> {
  const clock = setup.clock ?? new JumpClock();
  const store = setup.store ?? openMemoryStore({ now: () => clock.now() });
  const driver = openRunner({ ...setup, store }, clock);
  const { plan, bound } = planOf(file, setup.env);
  const handle = await driver.start(plan, {}, { wait: setup.wait ?? true });
  const result = await handle.result();
  const ran = await ranOf(store, handle.id, { result, bound });
  await driver.close();
  return ran;
}

export async function ranOf(
  store: RunStore,
  run: string,
  { result, bound }: Pick<Ran, 'result' | 'bound'>,
): Promise<Ran> {
  const events: RunEvent[] = [];
  // written by the driver, and kept as JSON
  for await (const commit of store.read(run))
    events.push(...(commit.events as unknown as RunEvent[]));
  const ofModels = events.filter(
    (event) =>
      event.type.startsWith('effect:') && 'effect' in event && event.effect.type === 'model',
  );
  return {
    run,
    result,
    events,
    costs: costsOf(events),
    calls: ofModels.flatMap((event) => {
      if (event.type === 'effect:succeeded') return [`${event.effect.target} ok`];
      return event.type === 'effect:failed' ? [`${event.effect.target} ${event.error.kind}`] : [];
    }),
    waitsMs: ofModels.flatMap((event, index) => {
      const before = ofModels[index - 1];
      if (event.type !== 'effect:requested' || before?.type !== 'effect:failed') return [];
      return [Date.parse(event.at) - Date.parse(before.at)];
    }),
    bound,
  };
}

/** One agent; `more` are fields of it, `header` of the workflow. */
export function oneAgent(model: unknown, more: object = {}, header: object = {}): object {
  return {
    workflow: { name: 't', entry_point: 'a', ...header },
    nodes: [{ name: 'a', prompt: 'Say hello.', tools: [], model, ...more }],
  };
}
