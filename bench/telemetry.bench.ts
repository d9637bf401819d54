/**
 * What telemetry costs a durable step: nothing while nobody has registered a provider, and little with one
 * and a batching exporter. By CPU time, in turns, because a busy machine makes both sides slower.
 */
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type * as Api from '@opentelemetry/api';
import { createErrand, type Errand } from '../src/engine/errand.ts';
import { createTelemetry } from '../src/telemetry/telemetry.ts';
import { workflow } from '../src/workflow/authoring/define.ts';
import { median, type Measurement } from './measure.ts';

const STEPS = 200;
/** Short ones: of many, some are undisturbed. */
const ROUNDS = 400;
const IDLE_SHARE = 0.01;
const STEP_LIMIT_MS = 0.01;

const load = createRequire(join(import.meta.dirname, '../test/otel-sdk/package.json'));
const { trace, context, metrics } = load('@opentelemetry/api') as typeof Api;

const steps = workflow({
  name: 'steps',
  entryPoint: 'step',
  limits: { maxIterations: 2 * STEPS },
  nodes: [
    {
      name: 'step',
      type: 'call',
      function: 'step',
      routes: [{ to: '$end', when: '{{ output.n >= 200 }}' }, { to: 'step' }],
    },
  ],
});

interface Side {
  readonly errand: Errand;
  readonly perStepMs: number[];
}

export const bench = {
  name: 'telemetry: what it costs a durable step',
  run: async (): Promise<readonly Measurement[]> => {
    let n = 0;
    const functions = { step: () => ({ n: (n = (n % STEPS) + 1) }) };
    const open = async (isWatched: boolean): Promise<Side> => {
      const telemetry = isWatched ? { telemetry: createTelemetry() } : {};
      return {
        errand: await createErrand({ store: 'memory', functions, ...telemetry }),
        perStepMs: [],
      };
    };
    const plain = await open(false);
    const idle = await open(true);
    for (let round = 0; round < ROUNDS; round++)
      for (const side of round % 2 === 0 ? [plain, idle] : [idle, plain]) await measure(side);
    const base = quick(plain);
    const unwatched = quick(idle);
    const traced = await open(true);
    const provider = register();
    for (let round = 0; round < ROUNDS; round++) await measure(traced);
    const counted = await open(true);
    const meters = registerMeters();
    for (let round = 0; round < ROUNDS; round++) await measure(counted);
    await provider.shutdown();
    await meters.shutdown();
    for (const { errand } of [plain, idle, traced, counted]) await errand.close();
    return [
      { name: 'a step without telemetry', ms: base },
      {
        name: 'the same without a registered provider',
        ms: unwatched,
        limitMs: base * (1 + IDLE_SHARE),
        note: `${((unwatched / base - 1) * 100).toFixed(2)} % more, at most ${IDLE_SHARE * 100} %`,
      },
      {
        name: 'what a provider and a batching exporter add to a step',
        ms: quick(traced) - base,
        limitMs: STEP_LIMIT_MS,
      },
      {
        name: 'what metrics add to that',
        ms: quick(counted) - quick(traced),
      },
    ];
  },
};

/** The middle of the quickest tenth. */
function quick({ perStepMs }: Side): number {
  const sorted = perStepMs.toSorted((a, b) => a - b);
  return median(sorted.slice(0, Math.ceil(sorted.length / 10)));
}

async function measure({ errand, perStepMs }: Side): Promise<void> {
  const before = process.cpuUsage();
  const run = await errand.start(steps);
  const { status } = await run.result();
  const { user, system } = process.cpuUsage(before);
  if (status !== 'completed') throw new Error(`the run ended as ${status}`);
  perStepMs.push((user + system) / 1000 / STEPS);
}

interface Provider {
  shutdown(): Promise<void>;
}

/** As a host does; its exporter takes the batches and drops them. */
function register(): Provider {
  const sdk = load('@opentelemetry/sdk-trace') as {
    BatchSpanProcessor: new (options: object) => object;
    TracerProvider: new (options: object) => Provider & Api.TracerProvider;
  };
  const { AsyncLocalStorageContextManager } = load('@opentelemetry/context-async-hooks') as {
    AsyncLocalStorageContextManager: new () => Api.ContextManager;
  };
  const exporter = {
    export: (_spans: unknown, done: (result: { code: number }) => void) => done({ code: 0 }),
    shutdown: () => Promise.resolve(),
  };
  const provider = new sdk.TracerProvider({
    spanProcessors: [new sdk.BatchSpanProcessor({ exporter, maxQueueSize: 65_536 })],
  });
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  trace.setGlobalTracerProvider(provider);
  return provider;
}

/** With a reader that never collects: recording is what a step pays. */
function registerMeters(): Provider {
  const { MeterProvider, PeriodicExportingMetricReader, InMemoryMetricExporter } = load(
    '@opentelemetry/sdk-metrics',
  ) as {
    MeterProvider: new (options: object) => Provider & Api.MeterProvider;
    PeriodicExportingMetricReader: new (options: object) => object;
    InMemoryMetricExporter: new (temporality: number) => object;
  };
  const reader = new PeriodicExportingMetricReader({
    exporter: new InMemoryMetricExporter(1),
    exportIntervalMillis: 3_600_000,
  });
  const provider = new MeterProvider({ readers: [reader] });
  metrics.setGlobalMeterProvider(provider);
  return provider;
}
