/**
 * Whole runs on a real Temporal server, beside a hand-written workflow with the same activities:
 * the difference is the cost of the machine there. Needs a server, see `test/temporal`.
 */
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { MACHINE_CLOCK } from '../src/effects/clock.ts';
import { Extensions } from '../src/engine/loading/extensions.ts';
import { Breakers } from '../src/engine/run/breakers.ts';
import { createEffectActivity } from '../src/engine/temporal/activities.ts';
import type { TemporalBackend } from '../src/engine/temporal/client.ts';
import { DATA_CONVERTER } from '../src/engine/temporal/codec.ts';
import type { EffectTask } from '../src/engine/temporal/messages.ts';
import { loadActivityModule } from '../src/engine/temporal/temporal-sdk.ts';
import { openMemoryStore } from '../src/stores/memory.ts';
import { workflow } from '../src/workflow/authoring/define.ts';
import type { WorkflowPlan } from '../src/workflow/plan/plan.ts';
import { openStage, PACKAGES, whyNot, type Stage } from '../test/temporal/stage.ts';
import { AT_ONCE, fan } from './fan.ts';
import { inShuffledRounds } from './rounds.ts';
import type { ComparedBench, Row } from './result.ts';

const LIMIT = 1.2;
const STEPS = 100;
const MEMBERS = 200;
const ROUNDS = 4;

const functions = { double: (input: unknown) => ({ n: Number((input as { n: number }).n) * 2 }) };

export const bench: ComparedBench = {
  name: 'temporal: whole runs beside a workflow by hand',
  compare: async () => {
    if (whyNot('what a run on Temporal costs') !== undefined) return {};
    const stage = await openStage('bench');
    try {
      return { rows: await measure(stage) };
    } finally {
      await stage.close();
    }
  },
};

async function measure(stage: Stage): Promise<readonly Row[]> {
  await stage.worker({ functions, drainMs: 0 });
  const backend = await stage.client();
  const byHand = await handWritten(stage);
  try {
    return [
      await compared(`a run of ${STEPS} steps`, {
        errand: () => finish(backend, chain(STEPS), {}),
        byHand: () => byHand.execute('steps', [tasks(STEPS)]),
      }),
      await compared(`a fan-out of ${MEMBERS} at ${AT_ONCE}`, {
        errand: () => finish(backend, fan({ workflow }).plan, { items: numbers(MEMBERS) }),
        byHand: () => byHand.execute('fanOut', [tasks(MEMBERS), AT_ONCE]),
      }),
    ];
  } finally {
    await byHand.close();
  }
}

async function compared(
  name: string,
  { errand, byHand }: Readonly<Record<'errand' | 'byHand', () => Promise<unknown>>>,
): Promise<Row> {
  // the first of each includes work that a worker does only once
  await errand();
  await byHand();
  const rounds = await inShuffledRounds(ROUNDS, {
    errand: () => timed(errand),
    byHand: () => timed(byHand),
  });
  return {
    work: 'W10',
    name: `Temporal: ${name}`,
    unit: 'ms',
    ours: rounds.errand,
    limit: { is: 'the same activities in a workflow by hand', rounds: rounds.byHand },
    goal: { times: LIMIT },
  };
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

async function finish(backend: TemporalBackend, plan: WorkflowPlan, input: object): Promise<void> {
  const run = await backend.start(plan, input as never);
  const { status } = await run.result();
  if (status !== 'completed') throw new Error(`the run ended as ${status}`);
}

interface ByHand {
  execute(type: string, args: unknown[]): Promise<unknown>;
  close(): Promise<void>;
}

async function handWritten({ config }: Stage): Promise<ByHand> {
  const require = createRequire(join(PACKAGES, 'package.json'));
  const {
    Worker,
    NativeConnection,
    bundleWorkflowCode,
    DefaultLogger,
  } = require('@temporalio/worker');
  const { Connection, Client } = require('@temporalio/client');
  const breakers = new Breakers(openMemoryStore({ now: Date.now }), MACHINE_CLOCK, () => undefined);
  const base = process.cwd();
  const extensions = new Extensions({ registered: [], base, onWarning: () => undefined });
  const awaited = { ask: () => Promise.resolve(true), now: Date.now };
  const activity = createEffectActivity(
    { env: process.env, base, functions, extensions, breakers, awaited },
    loadActivityModule(PACKAGES),
  );
  const taskQueue = `${config.taskQueue}-by-hand`;
  const native = await NativeConnection.connect({ address: config.address });
  const worker = await Worker.create({
    connection: native,
    taskQueue,
    activities: { errandEffect: (task: EffectTask) => activity.run(task) },
    dataConverter: DATA_CONVERTER,
    workflowBundle: await bundleWorkflowCode({
      workflowsPath: join(import.meta.dirname, 'temporal-by-hand.ts'),
      logger: new DefaultLogger('ERROR'),
      webpackConfigHook: (config: { resolve: { modules: string[] } }) => ({
        ...config,
        resolve: {
          ...config.resolve,
          modules: [...config.resolve.modules, join(PACKAGES, 'node_modules')],
        },
      }),
    }),
  });
  const running: Promise<void> = worker.run();
  const connection = await Connection.connect({ address: config.address });
  const client = new Client({ connection, dataConverter: DATA_CONVERTER });
  return {
    execute: (type, args) =>
      client.workflow.execute(type, { workflowId: crypto.randomUUID(), taskQueue, args }),
    close: async () => {
      worker.shutdown();
      await running;
      await connection.close();
      await native.close();
    },
  };
}

function numbers(count: number): number[] {
  return Array.from({ length: count }, (_, index) => index);
}

/** The effects as the machine would request them. */
function tasks(count: number): EffectTask[] {
  return chain(count).nodes.map((node, n) => ({
    v: 1,
    run: 'by-hand',
    file: 'code:hand',
    request: {
      ref: { key: `k${n}`, type: 'call', target: 'double' },
      work: { type: 'call', function: 'double', arguments: { n } },
      node,
      path: `s${n}`,
      workflow: 'hand',
      attempt: 0,
      isIdempotent: false,
    },
  }));
}

function chain(steps: number): WorkflowPlan {
  const nodes = numbers(steps).map((n) => ({
    name: `s${n}`,
    type: 'call',
    function: 'double',
    arguments: { n },
    routes: [{ to: n === steps - 1 ? '$end' : `s${n + 1}` }],
  }));
  return workflow({ name: 'chain', entryPoint: 's0', nodes } as never).plan;
}
