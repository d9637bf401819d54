/**
 * What a durable step costs, beside the cheapest thing that SQLite can do: one row, one commit. Both
 * are measured in turns, so that a busy machine slows both.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import type { Claim, RunStore } from '../src/machine/store-port.ts';
import { openSqliteStore } from '../src/stores/sqlite.ts';

export interface BenchLine {
  readonly name: string;
  readonly value: number;
  readonly unit: string;
  readonly limit: number;
  /** Of the value to its limit: at most 1 is within it. */
  readonly ratio: number;
}

type Durability = 'full' | 'normal';
/** Microseconds for one step. */
type Measured = () => Promise<number>;

export const name = 'store';

export async function run(): Promise<readonly BenchLine[]> {
  const directory = mkdtempSync(join(tmpdir(), 'errand-bench-'));
  try {
    return [
      await durableStep(directory, { durability: 'normal', limit: 2, rounds: 40, steps: 250 }),
      await durableStep(directory, { durability: 'full', limit: 1.5, rounds: 20, steps: 50 }),
      await concurrentRuns(directory),
      await fanOut(directory),
    ];
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

async function durableStep(
  directory: string,
  {
    durability,
    limit,
    rounds,
    steps,
  }: { durability: Durability; limit: number; rounds: number; steps: number },
): Promise<BenchLine> {
  const bare = openBare(join(directory, `bare-${durability}.db`), durability);
  const store = await openStore(join(directory, `step-${durability}.db`), durability);
  const step = await oneRun(store, 'run');
  const [bareUs, storeUs] = await inTurns(rounds, [
    async () => perStep(steps, () => bare.insert(1)),
    async () => perStepAwaited(steps, step),
  ]);
  bare.close();
  await store.close();
  return line(`durable step, ${durability} (${micros(storeUs)}), bare (${micros(bareUs)})`, {
    value: storeUs / bareUs,
    unit: '× bare',
    limit,
  });
}

async function concurrentRuns(directory: string): Promise<BenchLine> {
  const runs = 50;
  const store = await openStore(join(directory, 'concurrent.db'), 'full');
  const steps = await Promise.all(
    Array.from({ length: runs }, (_, index) => oneRun(store, `run-${index}`)),
  );
  const each = 40;
  const [value] = await inTurns(12, [
    async () => {
      const began = performance.now();
      await Promise.all(steps.map((step) => repeat(each, step)));
      return ((performance.now() - began) * 1000) / (runs * each);
    },
  ]);
  await store.close();
  return line('step with 50 runs at once, full', { value, unit: 'µs', limit: 25 });
}

/** 1,000 commits of one run after the other's completion, 50 under way at a time. */
async function fanOut(directory: string): Promise<BenchLine> {
  const items = 1000;
  const width = 50;
  const bare = openBare(join(directory, 'bare-fan-out.db'), 'normal');
  const store = await openStore(join(directory, 'fan-out.db'), 'normal');
  let runs = 0;
  const [bareUs, storeUs] = await inTurns(12, [
    async () => {
      const began = performance.now();
      for (let at = 0; at < items; at += width) bare.insert(width);
      return ((performance.now() - began) * 1000) / items;
    },
    async () => {
      const step = await oneRun(store, `fan-out-${++runs}`);
      const began = performance.now();
      await Promise.all(Array.from({ length: width }, () => repeat(items / width, step)));
      return ((performance.now() - began) * 1000) / items;
    },
  ]);
  bare.close();
  await store.close();
  return line(`1,000 commits at 50 (${micros(storeUs)}), bare (${micros(bareUs)})`, {
    value: storeUs / bareUs,
    unit: '× bare',
    limit: 2.5,
  });
}

const OWNER = { id: 'bench', host: 'here', pid: 1, processStartedAt: '0' };

function openStore(path: string, durability: Durability): Promise<RunStore> {
  return openSqliteStore({ path, now: () => Date.now(), durability });
}

/** Creates a run, and gives what makes its next step. */
async function oneRun(store: RunStore, id: string): Promise<() => Promise<unknown>> {
  const { claim, head } = await store.create({
    id,
    workflow: 'bench',
    file: null,
    plan: '{}',
    input: {},
    startedAt: '2026-11-10T12:00:00.000Z',
    events: [{ type: 'run:started' }],
    standing: { status: 'running', costUsdMicros: 0 },
    owner: OWNER,
    leaseMs: 60_000,
  });
  let seq = head.nextSeq;
  return () => {
    const commit = { claim, seq, events: twoEvents(claim, seq) };
    seq += 2;
    return store.append(commit);
  };
}

function twoEvents({ run }: Claim, seq: number): readonly object[] {
  const at = '2026-11-10T12:00:00.000Z';
  const effect = { key: 'f3b1c2d4e5a69788', type: 'call', target: 'lookup' };
  const where = { run, at, node: 'lookup', path: 'lookup' };
  return [
    { seq, type: 'effect:succeeded', ...where, effect },
    { seq: seq + 1, type: 'effect:requested', ...where, effect, attempt: 0 },
  ];
}

interface Bare {
  /** So many rows in one transaction. */
  insert(rows: number): void;
  close(): void;
}

/** The same row without anything around it: no chain, no head, no claim. */
function openBare(path: string, durability: Durability): Bare {
  const db = new DatabaseSync(path);
  db.exec(`
    PRAGMA journal_mode = WAL;
    PRAGMA synchronous = ${durability === 'full' ? 'FULL' : 'NORMAL'};
    CREATE TABLE events (
      id INTEGER PRIMARY KEY, run INTEGER NOT NULL, seq INTEGER NOT NULL, count INTEGER NOT NULL,
      checksum TEXT NOT NULL, events TEXT NOT NULL
    ) STRICT;
  `);
  const insert = db.prepare(
    'INSERT INTO events (run, seq, count, checksum, events) VALUES (?, ?, ?, ?, ?)',
  );
  const begin = db.prepare('BEGIN IMMEDIATE');
  const commit = db.prepare('COMMIT');
  const text = JSON.stringify(twoEvents({ run: 'run', epoch: 1 }, 2));
  const checksum = '0123456789abcdef0123456789abcdef';
  let seq = 0;
  return {
    insert(rows) {
      if (rows > 1) begin.run();
      for (let row = 0; row < rows; row++) insert.run(1, ++seq, 2, checksum, text);
      if (rows > 1) commit.run();
    },
    close: () => db.close(),
  };
}

/** Medians, after a first round that counts for nothing. */
async function inTurns<T extends readonly Measured[]>(
  rounds: number,
  measured: readonly [...T],
): Promise<{ [index in keyof T]: number }> {
  const times: number[][] = measured.map(() => []);
  for (let round = 0; round <= rounds; round++) {
    for (const [index, measure] of measured.entries()) {
      const time = await measure();
      if (round > 0) times[index]?.push(time);
    }
  }
  // one median for each measure that was given
  return times.map(median) as { [index in keyof T]: number };
}

function median(values: readonly number[]): number {
  return values.toSorted((one, other) => one - other)[values.length >> 1] ?? Number.NaN;
}

function perStep(steps: number, step: () => void): number {
  const began = performance.now();
  for (let done = 0; done < steps; done++) step();
  return ((performance.now() - began) * 1000) / steps;
}

async function perStepAwaited(steps: number, step: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await repeat(steps, step);
  return ((performance.now() - began) * 1000) / steps;
}

async function repeat(times: number, step: () => Promise<unknown>): Promise<void> {
  for (let done = 0; done < times; done++) await step();
}

function line(what: string, measured: { value: number; unit: string; limit: number }): BenchLine {
  return { name: what, ...measured, ratio: measured.value / measured.limit };
}

function micros(value: number): string {
  return `${value.toFixed(1)} µs`;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  for (const { name: what, value, unit, limit, ratio } of await run()) {
    console.log(`${what}: ${value.toFixed(2)} ${unit}, limit ${limit}, ratio ${ratio.toFixed(2)}`);
  }
}
