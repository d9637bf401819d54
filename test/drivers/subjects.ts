/** The drivers that the cases are run on, with one way to carry a run through all its rests. */
import { setTimeout as after } from 'node:timers/promises';
import { createEffectRunner } from '../../src/drivers/effect-runner.ts';
import {
  LocalDriver,
  type ResumeOptions,
  type RunHandle,
  type RunResult,
} from '../../src/drivers/local.ts';
import { SimulatedDriver } from '../../src/drivers/simulated.ts';
import { asEvent } from '../../src/drivers/subscription.ts';
import type { Answer } from '../../src/machine/answers.ts';
import type { RunEvent } from '../../src/machine/events.ts';
import type { RunStore } from '../../src/machine/store-port.ts';
import { openMemoryStore } from '../../src/stores/memory.ts';
import { completeInput } from '../../src/workflow/inputs.ts';
import type { WorkflowPlan } from '../../src/workflow/model.ts';
import { act, planOf, type DriverCase } from './case.ts';
import { toldOf, type Told } from './told.ts';

export interface CaseDriver {
  start(plan: WorkflowPlan, input: object, options: object): Promise<RunHandle>;
  resume(run: string, options?: ResumeOptions): Promise<RunHandle>;
  answer(run: string, answer: Answer): Promise<RunHandle | undefined>;
  cancel(run: string, by: string): Promise<RunHandle | undefined>;
}

export interface Subject {
  readonly name: string;
  tell(each: DriverCase): Promise<Told>;
}

export interface Carrying {
  readonly driver: CaseDriver;
  /** The time that the run waits for has come. */
  readonly atTime: (run: string, untilMs: number) => Promise<RunHandle>;
  readonly read: (run: string) => Promise<readonly RunEvent[]>;
}

/** From the start through every rest that the case has an answer for. */
export async function carryThrough(
  each: DriverCase,
  plan: WorkflowPlan,
  by: Carrying,
): Promise<Told> {
  const { driver } = by;
  const input = completeInput(plan, each.input ?? {});
  const answers = [...(each.answers ?? [])];
  const results: RunResult[] = [];
  let resumes = each.resumes ?? 0;
  let handle: RunHandle | undefined = await driver.start(plan, input, {
    ...(each.gates === false ? { gates: false } : {}),
    ...(each.prepared === undefined ? {} : { answers: each.prepared }),
  });
  const { id } = handle;
  while (handle !== undefined) {
    const result: RunResult = await handle.result();
    results.push(result);
    if (each.cancels === true && result.status === 'paused')
      handle = await driver.cancel(id, 'cancel');
    else if (result.status === 'paused' && result.waiting.reason === 'time')
      handle = await by.atTime(id, Date.parse(result.waiting.until ?? ''));
    else if (result.status === 'paused' && answers.length > 0)
      handle = await driver.answer(id, { value: answers.shift() ?? null, by: 'test' });
    else if (result.status === 'failed' && resumes-- > 0) handle = await driver.resume(id);
    else handle = undefined;
  }
  return toldOf(results, await by.read(id));
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
    });
    const driver = new LocalDriver({ store, effects, isShared: false });
    try {
      return await carryThrough(each, planOf(each), {
        driver,
        atTime: async (run, untilMs) => {
          await after(Math.max(0, untilMs - Date.now()));
          return driver.resume(run);
        },
        read: (run) => stored(store, run),
      });
    } finally {
      await driver.close();
    }
  },
};

export const SIMULATED: Subject = {
  name: 'simulated',
  tell: async (each) => {
    const plan = planOf(each);
    const { effects = {} } = each;
    const driver = new SimulatedDriver(plan, {
      outputs: Object.fromEntries(
        Object.entries(effects).map(([path, { output = {} }]) => [path, output]),
      ),
      fails: Object.fromEntries(
        Object.entries(effects).map(([path, { fails = [null] }]) => [path, fails]),
      ),
    });
    const { world } = driver;
    return carryThrough(each, plan, {
      driver,
      atTime: async (run, untilMs) => {
        await world.clock.passUntil(world.clock.sleep(Math.max(0, untilMs - world.clock.now())));
        return driver.resume(run);
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
