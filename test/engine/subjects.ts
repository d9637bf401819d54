/** The backends that the cases run on, with one way to take a run through all its legs. */
import { join } from 'node:path';
import { setTimeout as after } from 'node:timers/promises';
import { createEffectRunner } from '../../src/engine/run/effect-runner.ts';
import type { BackendResumeOptions, RunHandle, RunResult } from '../../src/engine/backend.ts';
import { LocalBackend } from '../../src/engine/local/local-backend.ts';
import { SimulatedBackend } from '../../src/rehearsal/simulated-run.ts';
import { asEvent } from '../../src/engine/run/subscription.ts';
import type { Answer } from '../../src/machine/gates/gate-answer.ts';
import type { RunEvent } from '../../src/machine/state/events.ts';
import type { RunStore } from '../../src/machine/ports/store-port.ts';
import { openMemoryStore } from '../../src/stores/memory.ts';
import { completeInput } from '../../src/workflow/plan/inputs.ts';
import type { WorkflowPlan } from '../../src/workflow/plan/plan.ts';
import { act, isHanging, planOf, type DriverCase } from './case.ts';
import { outcomeOf, type Refused, type CaseOutcome } from './case-outcome.ts';
import { toReport } from '../../src/errors/thrown/to-report.ts';
import { createMcpServers, type McpServers } from '../../src/effects/mcp/mcp-servers.ts';
import { until } from '../temporal/killing.ts';
import { ROOT } from '../temporal/stage.ts';

export interface CaseBackend {
  start(plan: WorkflowPlan, input: object, options: object): Promise<RunHandle>;
  resume(run: string, options?: BackendResumeOptions): Promise<RunHandle>;
  answer(run: string, answer: Answer): Promise<RunHandle | undefined>;
  cancel(run: string, by: string): Promise<RunHandle | undefined>;
}

export interface Subject {
  readonly name: string;
  tell(each: DriverCase): Promise<CaseOutcome>;
}

export interface Carrying {
  readonly backend: CaseBackend;
  /** Continues when the time that the run waits for has come. */
  readonly atTime: (run: string, untilMs: number) => Promise<RunHandle>;
  readonly read: (run: string) => Promise<readonly RunEvent[]>;
}

/** Runs from the start through every leg for which the case has an answer. */
export async function carryThrough(
  each: DriverCase,
  plan: WorkflowPlan,
  by: Carrying,
): Promise<CaseOutcome> {
  const { backend } = by;
  const input = completeInput(plan, each.input ?? {});
  const results: (RunResult | Refused)[] = [];
  const handle = await backend.start(plan, input, {
    ...(each.gates === false ? { gates: false } : {}),
    ...(each.prepared === undefined ? {} : { answers: each.prepared }),
    ...(each.bound === undefined ? {} : { bound: each.bound }),
  });
  const { id } = handle;
  const { cancelsAfter } = each;
  if (cancelsAfter !== undefined) {
    const hasHappened = async (): Promise<boolean> =>
      (await by.read(id)).some(({ type }) => type === cancelsAfter);
    await until(() => (cancelsAfter === 'hanging' ? isHanging(plan) : hasHappened()));
    await backend.cancel(id, 'cancel');
  }
  const steps = stepsOf(each, { id, plan }, by);
  let result = await handle.result();
  results.push(result);
  for (let step = steps(result); step !== undefined; step = steps(result)) {
    try {
      result = (await (await step())?.result()) ?? result;
      results.push(result);
    } catch (refusal) {
      results.push({ status: 'refused', error: toReport(refusal) });
    }
  }
  return outcomeOf(results, await by.read(id));
}

type Step = () => Promise<RunHandle | undefined>;

/** The steps after a leg has ended; undefined if there are none. */
function stepsOf(
  each: DriverCase,
  { id, plan: before }: { readonly id: string; readonly plan: WorkflowPlan },
  { backend, atTime }: Carrying,
): (result: RunResult) => Step | undefined {
  const answers = [...(each.answers ?? [])];
  const further = [...(each.goesOn ?? [])];
  let late: Answer | undefined;
  let cancels = each.cancels ?? 0;
  return (result) => {
    if (cancels-- > 0) return () => backend.cancel(id, 'cancel');
    const { waiting } = result.status === 'paused' ? result : {};
    if (waiting?.reason === 'time') return () => atTime(id, Date.parse(waiting.until ?? ''));
    if (waiting !== undefined && late !== undefined) {
      const again = late;
      late = undefined;
      return () => backend.answer(id, again);
    }
    if (waiting !== undefined && answers.length > 0) {
      const { gate, opening } = waiting;
      const answer = { value: answers.shift() ?? null, by: 'test' };
      if (each.repeatsAnswers === true) late = { ...answer, gate, opening };
      return () => backend.answer(id, answer);
    }
    const next = further.shift();
    if (next === undefined) return undefined;
    const { files, ...how } = next;
    const plan = files === undefined ? {} : { plan: planOf(each, files, before) };
    return () => backend.resume(id, { ...how, ...plan });
  };
}

/** The protocol's client is among the SDKs that only tests load. */
export function mcpServers(): McpServers {
  return createMcpServers({ env: process.env, directory: join(ROOT, 'test', 'sdks') });
}

export const LOCAL: Subject = {
  name: 'local',
  tell: async (each) => {
    const store = openMemoryStore({ now: Date.now });
    const effects = createEffectRunner({
      env: process.env,
      directory: process.cwd(),
      functions: { act },
      tools: { act },
      servers: mcpServers(),
    });
    const backend = new LocalBackend({ store, effects, isShared: false });
    try {
      return await carryThrough(each, planOf(each), {
        backend,
        atTime: async (run, untilMs) => {
          await after(Math.max(0, untilMs - Date.now()));
          return backend.resume(run);
        },
        read: (run) => stored(store, run),
      });
    } finally {
      await backend.close();
    }
  },
};

export const SIMULATED: Subject = {
  name: 'simulated',
  tell: async (each) => {
    const plan = planOf(each);
    const { effects = {} } = each;
    const backend = new SimulatedBackend(plan, {
      outputs: Object.fromEntries(
        Object.entries(effects).map(([path, { output = {} }]) => [path, output]),
      ),
      fails: Object.fromEntries(
        Object.entries(effects).map(([path, { fails = [null] }]) => [path, fails]),
      ),
      hangs: Object.fromEntries(
        Object.entries(effects).flatMap(([path, { whenStopped }]) =>
          whenStopped === undefined ? [] : [[path, whenStopped]],
        ),
      ),
    });
    const { world } = backend;
    return carryThrough(each, plan, {
      backend,
      atTime: async (run, untilMs) => {
        await world.clock.passUntil(world.clock.sleep(Math.max(0, untilMs - world.clock.now())));
        return backend.resume(run);
      },
      read: (run) => stored(world.store, run),
    });
  },
};

export async function stored(
  store: Pick<RunStore, 'read'>,
  run: string,
): Promise<readonly RunEvent[]> {
  const events: RunEvent[] = [];
  for await (const commit of store.read(run)) events.push(...commit.events.map(asEvent));
  return events;
}
