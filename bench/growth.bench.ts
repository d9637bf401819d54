/**
 * Costs that must not grow: a step of a long run, an event of a long log that is resumed, a node of
 * a long file that is checked and resumed, and the list and the start of a run in a full store.
 * Fails if a curve bends.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Errand } from '../src/engine/errand-interface.ts';
import { builds, type Build } from './built-package.ts';
import { untilGate } from './gated.ts';
import type { Bench, Measurement } from './measure.ts';
import { casesInRounds, spentOn, spreadText, summaryOf, type Spent } from './spent.ts';

/** The most that a piece may cost at the largest size, relative to the smallest. */
const FLAT = 1.5;

/** The cost of each piece, measured at two sizes. */
interface Curve {
  readonly name: string;
  readonly small: number;
  readonly large: number;
  readonly rounds: number;
  /** Prepares that size, and returns the measurement. */
  readonly at: (size: number) => Promise<() => Promise<Spent>>;
}

export const bench: Bench = {
  name: 'growth: what must not depend on how much there is',
  run: async () => {
    const directory = mkdtempSync(join(tmpdir(), 'errand-bench-'));
    try {
      const measured: Measurement[] = [];
      const [build] = await builds();
      if (build === undefined) return measured;
      for (const curve of curvesOf(build, directory)) measured.push(await flatness(curve));
      return measured;
    } finally {
      rmSync(directory, { recursive: true, force: true });
    }
  },
};

async function flatness({ name, small, large, rounds, at }: Curve): Promise<Measurement> {
  const few = { name: 'few', run: await at(small) };
  const many = { name: 'many', run: await at(large) };
  const spent = await casesInRounds(rounds, [few, many]);
  const one = summaryOf(spent, few.name, 'cpuMs');
  const other = summaryOf(spent, many.name, 'cpuMs');
  return {
    name: `${name}, at ${large}`,
    ms: other.ms,
    limitMs: one.ms * FLAT,
    note: `${(other.ms / one.ms).toFixed(2)}× the one at ${small}, at most ${FLAT}×; of the processor, ${spreadText(other)}`,
  };
}

function curvesOf(build: Build, directory: string): readonly Curve[] {
  const single = chain(build, 1);
  return [
    {
      name: 'a step of a run',
      small: 1000,
      large: 100_000,
      rounds: 5,
      at: async (steps) => {
        const errand = await build.openErrand({ store: 'memory', functions: { next } });
        const file = loop(build, steps);
        await complete(errand, loop(build, 5000));
        return () => spentOn(steps, () => complete(errand, file));
      },
    },
    {
      name: 'an event of a log that is resumed',
      small: 10_000,
      large: 300_000,
      rounds: 4,
      at: async (events) => {
        const errand = await opened(build, join(directory, `resume-${events}.db`));
        const file = untilGate(build.workflow, Math.round(events / 3));
        const { id } = await errand.start(file);
        await (await errand.attach(id)).result();
        return () => spentOn(events, async () => (await errand.resume(id)).result());
      },
    },
    {
      name: 'a node of a file that is checked and started',
      small: 500,
      large: 5000,
      rounds: 4,
      at: async (nodes) => {
        const errand = await build.openErrand({ store: 'memory', functions: { next } });
        return () => spentOn(nodes, async () => (await errand.start(chain(build, nodes))).result());
      },
    },
    ...[
      { name: 'a page of the list of runs', work: (errand: Errand) => errand.list({ limit: 50 }) },
      {
        name: 'the start of a run',
        work: (errand: Errand) => complete(errand, single),
      },
    ].map(({ name, work }, index) => ({
      name: `${name} in a store`,
      small: 100,
      large: 20_000,
      rounds: 30,
      at: async (runs: number) => {
        const errand = await opened(build, join(directory, `store-${index}-${runs}.db`));
        for (let begun = 0; begun < runs; begun += 100)
          await Promise.all(Array.from({ length: 100 }, () => complete(errand, single)));
        return () => spentOn(1, () => work(errand));
      },
    })),
  ];
}

let count = 0;
const next = () => ({ n: ++count });

async function opened({ openErrand, openSqliteStore }: Build, path: string): Promise<Errand> {
  const store = await openSqliteStore({ path, now: Date.now, durability: 'normal' });
  return openErrand({ store, functions: { next } });
}

async function complete(errand: Errand, file: Parameters<Errand['start']>[0]): Promise<void> {
  count = 0;
  const run = await errand.start(file);
  const { status } = await run.result();
  if (status !== 'completed') throw new Error(`a run ended as ${status}`);
}

function loop({ workflow }: Build, steps: number) {
  return workflow({
    name: 'loop',
    entryPoint: 'step',
    limits: { maxIterations: steps + 1 },
    nodes: [
      {
        name: 'step',
        type: 'call',
        function: 'next',
        routes: [{ to: '$end', when: `{{ step.output.n >= ${steps} }}` }, { to: 'step' }],
      },
    ],
  });
}

function chain({ workflow }: Build, nodes: number) {
  return workflow({
    name: 'chain',
    entryPoint: 'step-0',
    limits: { maxIterations: nodes + 1 },
    nodes: Array.from({ length: nodes }, (_, index) => ({
      name: `step-${index}`,
      type: 'call' as const,
      function: 'next',
      ...(index + 1 < nodes ? { routes: [{ to: `step-${index + 1}` }] } : {}),
    })),
  });
}
