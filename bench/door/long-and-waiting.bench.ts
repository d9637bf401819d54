/**
 * Scale: a run of up to a million events, resumed, viewed and listed, and stores with up to 100,000
 * runs that wait at a gate. Runs made all of it, in SQLite. Processor time.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createErrand, type Errand } from '../../src/engine/errand.ts';
import { openSqliteStore } from '../../src/stores/sqlite/sqlite.ts';
import { workflow } from '../../src/workflow/authoring/define.ts';
import { untilGate } from '../gated.ts';
import type { Compared, ComparedBench, Curve } from '../result.ts';
import { spentOn } from '../spent.ts';

const EVENTS = [10_000, 100_000, Number(process.env['ERRAND_BENCH_EVENTS'] ?? 1_000_000)];
const WAITING = [1000, 10_000, Number(process.env['ERRAND_BENCH_WAITING'] ?? 100_000)];
const TOGETHER = 100;
/**
 * Caches of the processor and of the database cause differences up to this factor, whatever the
 * code does.
 */
const FLAT = 1.5;

interface Work {
  readonly name: string;
  readonly rounds: number;
  /** Repetitions in a round. */
  readonly times: number;
  readonly run: (errand: Errand, ids: readonly string[]) => Promise<unknown>;
}

function list(which: string): Work {
  return {
    name: `the newest 20 to 50 runs, ${which}`,
    rounds: 10,
    times: 20,
    // of another length each time: the store keeps a page until something is written
    run: (errand) => errand.list({ limit: 20 + (asked++ % 31) }),
  };
}

let asked = 0;
let answered = 0;

const SHORT = untilGate(workflow, 1);

const WHILE_MANY_WAIT: readonly Work[] = [
  list('all of them waiting'),
  {
    name: 'an answer that ends one of the runs that wait',
    rounds: 5,
    times: 20,
    run: async (errand, ids) => {
      const run = ids[answered++] ?? '';
      const leg = await errand.resume(run, { answer: { value: 'yes', by: 'bench' } });
      return leg.result();
    },
  },
  {
    name: 'a new run beside those that wait, to its gate',
    rounds: 5,
    times: 20,
    run: (errand) => rested(errand, SHORT),
  },
];

const OF_A_LONG_RUN: readonly Work[] = [
  {
    name: 'an event of a long run when it is resumed',
    rounds: 5,
    times: 1,
    run: async (errand, [run = '']) => (await errand.resume(run)).result(),
  },
  {
    name: 'an event of a long run when it is looked at',
    rounds: 3,
    times: 1,
    run: (errand, [run = '']) => errand.get(run),
  },
];

export const bench: ComparedBench = {
  name: 'scale: long runs, and runs that wait',
  compare: async () => {
    const folder = mkdtempSync(join(tmpdir(), 'errand-bench-'));
    try {
      return { curves: [...(await ofLongRuns(folder)), ...(await whileManyWait(folder))] };
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
};

type Points = Map<string, { at: number; rounds: readonly number[] }[]>;

async function ofLongRuns(folder: string): Promise<readonly Curve[]> {
  const points: Points = new Map();
  for (const at of EVENTS) {
    const errand = await open(join(folder, `${at}.db`));
    const ids = [await rested(errand, untilGate(workflow, Math.round(at / 3)))];
    for (const work of OF_A_LONG_RUN) note(points, at, await measured(work, errand, ids, at));
    note(points, at, await measured(list('one of them long'), errand, ids));
    await errand.close();
  }
  return curvesOf(points, 'events in the run');
}

async function whileManyWait(folder: string): Promise<readonly Curve[]> {
  const points: Points = new Map();
  const ids: string[] = [];
  const errand = await open(join(folder, 'waiting.db'));
  for (const at of WAITING) {
    while (ids.length < at)
      ids.push(
        ...(await Promise.all(Array.from({ length: TOGETHER }, () => rested(errand, SHORT)))),
      );
    for (const work of WHILE_MANY_WAIT) note(points, at, await measured(work, errand, ids));
  }
  await errand.close();
  return curvesOf(points, 'runs that wait at a gate');
}

function note(points: Points, at: number, [name, rounds]: readonly [string, number[]]): void {
  points.set(name, [...(points.get(name) ?? []), { at, rounds }]);
}

function curvesOf(points: Points, along: string): Required<Compared>['curves'] {
  return [...points].map(([name, each]) => ({
    work: 'scale',
    name,
    unit: 'µs',
    along,
    points: each,
    flat: FLAT,
  }));
}

/** The cost of each piece of the work. */
async function measured(
  { name, rounds, times, run }: Work,
  errand: Errand,
  ids: readonly string[],
  pieces = 1,
): Promise<readonly [string, number[]]> {
  const spent: number[] = [];
  // the first rounds include work that a process does only once
  for (let round = 0; round < rounds + 2; round++) {
    const { cpuMs } = await spentOn(times * pieces, async () => {
      for (let index = 0; index < times; index++) await run(errand, ids);
    });
    if (round >= 2) spent.push(cpuMs * 1000);
  }
  return [name, spent];
}

async function open(path: string): Promise<Errand> {
  return createErrand({
    store: await openSqliteStore({ path, now: Date.now, durability: 'normal' }),
  });
}

/** The id of a new run that has reached its gate. */
async function rested(errand: Errand, flow: ReturnType<typeof untilGate>): Promise<string> {
  const run = await errand.start(flow);
  const { status } = await run.result();
  if (status !== 'paused') throw new Error(`a run is ${status}`);
  return run.id;
}
