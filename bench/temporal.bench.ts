/**
 * Whole runs on a real Temporal server, beside a hand-written workflow with the same activities: what
 * the machine costs there is what it costs more than nothing. Needs a server, see `test/temporal`.
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
import { loadActivityModule } from '../src/engine/temporal/sdk.ts';
import { openMemoryStore } from '../src/stores/memory.ts';
import { workflow } from '../src/workflow/authoring/define.ts';
import type { WorkflowPlan } from '../src/workflow/plan/plan.ts';
import { openStage, PACKAGES, whyNot, type Stage } from '../test/temporal/stage.ts';
import type { Bench, Measurement } from './measure.ts';

const LIMIT = 1.2;
const STEPS = 100;
const MEMBERS = 200;
const AT_ONCE = 50;
const ROUNDS = 4;

const functions = { double: (input: unknown) => ({ n: Number((input as { n: number }).n) * 2 }) };

export const bench: Bench = {
  name: 'temporal: whole runs beside a workflow by hand',
  run: async () => {
    if (whyNot('what a run on Temporal costs') !== undefined) return [];
    const stage = await openStage('bench');
    try {
      return await measure(stage);
    } finally {
      await stage.close();
    }
  },
};

async function measure(stage: Stage): Promise<readonly Measurement[]> {
  await stage.worker({ functions, drainMs: 0 });
  const backend = await stage.client();
  const byHand = await handWritten(stage);
  try {
    return [
      await compared(`a run of ${STEPS} steps`, {
        errand: () => finish(backend, chain(), {}),
        byHand: () => byHand.execute('steps', [tasks(STEPS)]),
      }),
      await compared(`a fan-out of ${MEMBERS} at ${AT_ONCE}`, {
        errand: () => finish(backend, fan(), { items: numbers(MEMBERS) }),
        byHand: () => byHand.execute('fanOut', [tasks(MEMBERS), AT_ONCE]),
      }),
    ];
  } finally {
    await byHand.close();
  }
}

/** In turn, so that both have the same machine; of each the quickest. */
async function compared(
  name: string,
  ways: { readonly errand: () => Promise<unknown>; readonly byHand: () => Promise<unknown> },
): Promise<Measurement> {
  let ms = Infinity;
  let handMs = Infinity;
  for (let round = 0; round < ROUNDS; round++) {
    handMs = Math.min(handMs, await timed(ways.byHand));
    ms = Math.min(ms, await timed(ways.errand));
  }
  const note = `${(ms / handMs).toFixed(2)}× the same by hand, at most ${LIMIT}×`;
  return { name, ms, limitMs: handMs * LIMIT, note };
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

/** As the machine would ask for them. */
function tasks(count: number): EffectTask[] {
  return numbers(count).map((n) => ({
    v: 1,
    run: 'by-hand',
    file: 'code:hand',
    request: {
      ref: { key: `k${n}`, type: 'call', target: 'double' },
      work: { type: 'call', function: 'double', arguments: { n } },
      node: { name: `s${n}`, type: 'call' } as never,
      path: `s${n}`,
      workflow: 'hand',
      attempt: 0,
      isIdempotent: false,
    },
  }));
}

function chain(): WorkflowPlan {
  const nodes = numbers(STEPS).map((n) => ({
    name: `s${n}`,
    type: 'call',
    function: 'double',
    arguments: { n },
    routes: [{ to: n === STEPS - 1 ? '$end' : `s${n + 1}` }],
  }));
  return workflow({ name: 'chain', entryPoint: 's0', nodes } as never).plan;
}

function fan(): WorkflowPlan {
  return workflow({
    name: 'fan',
    entryPoint: 'each',
    input: { items: { type: 'array' } },
    forEach: [
      {
        name: 'each',
        source: 'workflow.input.items',
        as: 'item',
        maxConcurrent: AT_ONCE,
        agent: { name: 'one', type: 'call', function: 'double', arguments: { n: '{{ item }}' } },
      },
    ],
  }).plan;
}
