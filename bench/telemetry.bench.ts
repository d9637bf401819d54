/**
 * The cost of telemetry for a durable step: nothing while nobody has registered a provider, and
 * little with one and a batching exporter. By CPU time, in turns, because a busy machine slows both
 * sides. Each figure has bounds of the true value; if the limit lies between them, it is undecided,
 * neither met nor missed.
 */
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type * as Api from '@opentelemetry/api';
import { createErrand, type Errand } from '../src/engine/errand.ts';
import { createTelemetry } from '../src/telemetry/telemetry.ts';
import { workflow } from '../src/workflow/authoring/define.ts';
import { median, type Measurement } from './measure.ts';
import type { Bounds } from './result.ts';

const STEPS = 200;
const WARM_UP = 100;
const IDLE_SHARE = 0.01;
const STEP_LIMIT_MS = 0.01;
/**
 * The most looks: each measures more while the limit lies between the bounds; after the last the
 * result stands.
 */
const MAX_LOOKS = 6;
/** Standard deviations for 99.9 % at each look: so all of them together are right with 99 %. */
const CERTAIN = 3.29;
/** Pairs of short measurements, for each look. */
const PAIRS = 400;
/**
 * Batches for each look: the true figure lies between the least and the most of twelve with 99.9 %.
 */
const BATCHES = 12;
/** With many pairs, some are undisturbed. */
const BATCH_PAIRS = 40;

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
    const share = await compare(plain, idle);
    const base = quick(plain);
    const traced = await open(true);
    const provider = register();
    const added = await addedBy(plain, traced);
    const counted = await open(true);
    const meters = registerMeters();
    // as many as the last batch has: with more, the fastest would be faster
    for (let round = 0; round < BATCH_PAIRS; round++) await measure(counted);
    await provider.shutdown();
    await meters.shutdown();
    for (const { errand } of [plain, idle, traced, counted]) await errand.close();
    return [
      { name: 'a step without telemetry', ms: base },
      {
        name: 'the same without a registered provider',
        ms: base * (1 + share.middle),
        limitMs: base * (1 + IDLE_SHARE),
        boundsMs: { low: base * (1 + share.low), high: base * (1 + share.high) },
        note: `${percent(share.middle)} more (99 %: ${percent(share.low)} to ${percent(share.high)}, ${share.count} pairs), at most ${percent(IDLE_SHARE)}`,
      },
      {
        name: 'what a provider and a batching exporter add to a step',
        ms: added.middle,
        limitMs: STEP_LIMIT_MS,
        boundsMs: added,
        note: `99 %: ${microseconds(added.low)} to ${microseconds(added.high)}, ${added.count} batches`,
      },
      {
        name: 'what metrics add to that',
        ms: quick(counted) - quick(traced),
      },
    ];
  },
};

interface Figure extends Bounds {
  readonly middle: number;
  readonly count: number;
}

/** The extra time of the second side, from pairs that follow each other at once. */
function compare(first: Side, second: Side): Promise<Figure> {
  return untilDecided(first, second, IDLE_SHARE, async () => {
    forget(first, second);
    await inTurns(first, second, PAIRS);
    return first.perStepMs.map((ms, pair) => (second.perStepMs[pair] ?? ms) / ms - 1);
  });
}

/**
 * The extra time of the second side if neither was disturbed: batch by batch, which gives bounds.
 */
function addedBy(first: Side, second: Side): Promise<Figure> {
  return untilDecided(first, second, STEP_LIMIT_MS, async () => {
    const added: number[] = [];
    for (let batch = 0; batch < BATCHES; batch++) {
      forget(first, second);
      await inTurns(first, second, BATCH_PAIRS);
      added.push(quick(second) - quick(first));
    }
    return added;
  });
}

async function untilDecided(
  first: Side,
  second: Side,
  limit: number,
  look: () => Promise<readonly number[]>,
): Promise<Figure> {
  await inTurns(first, second, WARM_UP);
  const values: number[] = [];
  for (let looks = 1; ; looks++) {
    values.push(...(await look()));
    const figure = figureOf(values);
    if (figure.high <= limit || figure.low > limit || looks === MAX_LOOKS) return figure;
  }
}

/** The median and the bounds of the true one. Ranks suffice, so a disturbed value counts as one. */
function figureOf(values: readonly number[]): Figure {
  const sorted = values.toSorted((a, b) => a - b);
  const count = sorted.length;
  const aside = (CERTAIN * Math.sqrt(count)) / 2;
  const at = (rank: number): number =>
    sorted[Math.min(count - 1, Math.max(0, Math.round(rank)))] ?? 0;
  return {
    low: at(count / 2 - aside),
    middle: median(sorted),
    high: at(count / 2 + aside),
    count,
  };
}

async function inTurns(first: Side, second: Side, rounds: number): Promise<void> {
  for (let round = 0; round < rounds; round++)
    for (const side of round % 2 === 0 ? [first, second] : [second, first]) await measure(side);
}

function forget(...sides: readonly Side[]): void {
  for (const { perStepMs } of sides) perStepMs.length = 0;
}

function percent(share: number): string {
  return `${(share * 100).toFixed(2)} %`;
}

function microseconds(ms: number): string {
  return `${(ms * 1000).toFixed(2)} µs`;
}

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

/** Registers a provider as a host does; its exporter takes the batches and drops them. */
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

/** With a reader that never collects: a step only pays for recording. */
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
