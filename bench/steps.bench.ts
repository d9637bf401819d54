/**
 * The cost of a `call` step in an application that calls `errand.start`: in memory, and durable in
 * SQLite. The durable limit is the least that any program could do: insert the same bytes as rows
 * of a bare table, with a commit for each.
 */
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Errand } from '../src/engine/errand-interface.ts';
import { builds, type Build } from './built-package.ts';
import { chain } from './chain.ts';
import type { Bench, Figure, Measurement } from './measure.ts';
import {
  casesInRounds,
  spentOn,
  spreadText,
  summaryOf,
  type Case,
  type Rounds,
  type Spent,
} from './spent.ts';

type Durability = 'full' | 'normal';

/** In processor time, at any length. */
const STEP_MS = 0.015;
const LENGTHS = [200, 1000];
const AT_ONCE = 50;
const DISK_MB = 0.5;

/**
 * The most that a step may cost, relative to the limit. A sync is no work of the processor, so the
 * clock measures `full`.
 */
const DURABLE: Readonly<
  Record<Durability, { alone: number; together: number; steps: number; by: keyof Spent }>
> = {
  normal: { alone: 2, together: 1.25, steps: 1000, by: 'cpuMs' },
  full: { alone: 1.25, together: 1.4, steps: 200, by: 'wallMs' },
};

export const bench: Bench = {
  name: 'steps: a call step through openErrand and errand.start',
  run: async () => {
    const directory = mkdtempSync(join(tmpdir(), 'errand-bench-'));
    const loaded = await builds();
    try {
      return [
        ...(await inMemory(loaded)),
        ...(await durable(directory, loaded, 'normal')),
        ...(await durable(directory, loaded, 'full')),
        ...(await disk(directory, loaded)),
      ];
    } finally {
      rmSync(directory, { recursive: true, force: true });
    }
  },
};

/** A chain of nodes, as in most workflows, and one node that repeats. */
const SHAPES = { chain, loop } as const;

function loop({ workflow }: Build, steps: number) {
  return workflow({
    name: 'loop',
    entryPoint: 'lookup',
    limits: { maxIterations: steps + 1 },
    nodes: [
      {
        name: 'lookup',
        type: 'call',
        function: 'countDown',
        routes: [{ to: '$end', when: '{{ lookup.output.left <= 0 }}' }, { to: 'lookup' }],
      },
    ],
  });
}

/** Every run of a loop counts from its own start. */
function functions(steps: number) {
  let left = 0;
  return {
    lookup: (input: unknown) => input,
    countDown: () => ({ left: (left = left <= 0 ? steps - 1 : left - 1) }),
  };
}

async function inMemory(loaded: readonly Build[]): Promise<Measurement[]> {
  const opened: Errand[] = [];
  const cases: Case[] = [];
  for (const build of loaded)
    for (const [shape, define] of Object.entries(SHAPES))
      for (const steps of LENGTHS) {
        const errand = await build.openErrand({ store: 'memory', functions: functions(steps) });
        const file = define(build, steps);
        opened.push(errand);
        cases.push({
          name: `W1: in memory, a ${shape} of ${steps}${build.name}`,
          run: () => spentOn(steps, () => complete(errand, file)),
        });
      }
  const rounds = await casesInRounds(40, cases);
  for (const errand of opened) await errand.close();
  return cases.map(({ name }) => within(rounds, name, STEP_MS));
}

async function complete(errand: Errand, file: Parameters<Errand['start']>[0]): Promise<void> {
  const run = await errand.start(file);
  const { status } = await run.result();
  if (status !== 'completed') throw new Error(`a run ended as ${status}`);
}

function within(rounds: Rounds, name: string, limitMs: number): Measurement {
  const found = summaryOf(rounds, name, 'cpuMs');
  return { name, ms: found.ms, limitMs, note: `of the processor, ${spreadText(found)}` };
}

async function durable(
  directory: string,
  loaded: readonly Build[],
  durability: Durability,
): Promise<Measurement[]> {
  const { alone, together, steps, by } = DURABLE[durability];
  const opened: Errand[] = [];
  const cases: Case[] = [];
  const judged: { name: string; limit: string; most: number }[] = [];
  for (const [index, build] of loaded.entries()) {
    const path = join(directory, `${durability}-${index}.db`);
    const store = await build.openSqliteStore({ path, now: Date.now, durability });
    const errand = await build.openErrand({ store, functions: functions(steps) });
    const file = loop(build, steps);
    const short = chain(build, steps / AT_ONCE);
    opened.push(errand);
    await complete(errand, file);
    const bare = bareRows(join(directory, `bare-${durability}-${index}.db`), durability, path);
    const name = `W2: SQLite ${durability}`;
    const limit = `the rows bare${build.name}`;
    const own = [`${name}, one run${build.name}`, `${name}, ${AT_ONCE} runs at once${build.name}`];
    const [one = '', many = ''] = own;
    judged.push(
      { name: one, limit, most: alone },
      { name: many, limit: atOnce(limit), most: together },
    );
    cases.push(
      { name: limit, run: () => spentOn(steps, () => bare(steps, 1)) },
      {
        name: atOnce(limit),
        run: () => spentOn(steps, () => bare(steps, durability === 'full' ? AT_ONCE : 1)),
      },
      { name: one, run: () => spentOn(steps, () => complete(errand, file)) },
      {
        name: many,
        run: () =>
          spentOn(steps, () =>
            Promise.all(Array.from({ length: AT_ONCE }, () => complete(errand, short))),
          ),
      },
    );
  }
  const rounds = await casesInRounds(durability === 'full' ? 20 : 30, cases);
  for (const errand of opened) await errand.close();
  return judged.map((each) => beside(rounds, each, by));
}

/**
 * With a sync for each commit, commits at the same time share one; without syncs they share
 * nothing.
 */
function atOnce(limit: string): string {
  return `${limit}, as many at once`;
}

function beside(
  rounds: Rounds,
  { name, limit, most }: { name: string; limit: string; most: number },
  by: keyof Spent,
): Measurement {
  const own = summaryOf(rounds, name, by);
  const bare = summaryOf(rounds, limit, by);
  const what = by === 'cpuMs' ? 'of the processor' : 'by the clock';
  const ratio = `${(own.ms / bare.ms).toFixed(2)}× the bare rows (${(bare.ms * 1000).toFixed(1)} µs), at most ${most}×`;
  return {
    name,
    ms: own.ms,
    limitMs: bare.ms * most,
    note: `${ratio}; ${what}, ${spreadText(own)}`,
  };
}

/** Inserts rows of the same size as those of a run in that file, grouped into transactions. */
function bareRows(
  path: string,
  durability: Durability,
  from: string,
): (rows: number, together: number) => void {
  const stored = new DatabaseSync(from, { readOnly: true });
  const { bytes } = {
    ...stored.prepare('SELECT avg(octet_length(events)) AS bytes FROM events').get(),
  };
  stored.close();
  const text = 'x'.repeat(Math.round(Number(bytes)));
  const db = new DatabaseSync(path);
  db.exec(`
    PRAGMA journal_mode = WAL; PRAGMA synchronous = ${durability === 'full' ? 'FULL' : 'NORMAL'};
    CREATE TABLE events (id INTEGER PRIMARY KEY, events TEXT NOT NULL) STRICT;
  `);
  const insert = db.prepare('INSERT INTO events (events) VALUES (?)');
  const begin = db.prepare('BEGIN');
  const commit = db.prepare('COMMIT');
  return (rows, together) => {
    for (let row = 0; row < rows; row++) {
      if (together > 1 && row % together === 0) begin.run();
      insert.run(text);
      if (together > 1 && row % together === together - 1) commit.run();
    }
  };
}

/** The file of a chain also holds its plan, which is a third of it. */
async function disk(directory: string, loaded: readonly Build[]): Promise<Figure[]> {
  const steps = 1000;
  const measured: Figure[] = [];
  for (const [index, build] of loaded.entries())
    for (const [shape, define] of Object.entries(SHAPES)) {
      const path = join(directory, `disk-${shape}-${index}.db`);
      const errand = await build.openErrand({
        store: await build.openSqliteStore({ path, now: Date.now, durability: 'normal' }),
        functions: functions(steps),
      });
      await complete(errand, define(build, steps));
      await errand.close();
      const name = `disk: file of a ${shape} of ${steps} steps${build.name}`;
      measured.push({ name, value: statSync(path).size / 1_000_000, unit: 'MB', limit: DISK_MB });
    }
  return measured;
}
