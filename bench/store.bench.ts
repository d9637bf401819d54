/**
 * The cost of a durable step, beside the least that any program could do: encode the text of the
 * same two events, and commit it as one row of a bare table. Both run in turns, and the best round
 * of each counts, so that a busy machine disturbs neither.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { RunStore } from '../src/machine/ports/store-port.ts';
import { openSqliteStore } from '../src/stores/sqlite/sqlite.ts';
import type { Bench, Measurement } from './measure.ts';

type Durability = 'full' | 'normal';
/** Milliseconds per step. */
type Measured = () => number | Promise<number>;

const RUNS_AT_ONCE = 50;
const STEP_AT_ONCE_MS = 0.025;

export const bench: Bench = {
  name: 'store alone: a durable commit of two events',
  run: async () => {
    const directory = mkdtempSync(join(tmpdir(), 'errand-bench-'));
    try {
      return [
        await oneAfterTheOther(directory, { durability: 'normal', limit: 2, rounds: 30 }),
        await oneAfterTheOther(directory, { durability: 'full', limit: 1.5, rounds: 12 }),
        await manyRuns(directory),
        await manyStepsOfOneRun(directory),
      ];
    } finally {
      rmSync(directory, { recursive: true, force: true });
    }
  },
};

async function oneAfterTheOther(
  directory: string,
  { durability, limit, rounds }: { durability: Durability; limit: number; rounds: number },
): Promise<Measurement> {
  // long enough to include the checkpoints of the write-ahead log that steps cause
  const steps = durability === 'normal' ? 4000 : 500;
  const bare = openBare(join(directory, `bare-${durability}.db`), durability);
  const store = await openStore(join(directory, `step-${durability}.db`), durability);
  const step = await newRun(store, 'run');
  const [bareMs = 0, ms = 0] = await inTurns(rounds, [
    () => perStep(steps, () => bare.insert(steps, 1)),
    () => perStep(steps, () => repeat(steps, step)),
  ]);
  bare.close();
  await store.close();
  return beside(bareMs, { name: `durability ${durability}`, ms, limit });
}

async function manyRuns(directory: string): Promise<Measurement> {
  const store = await openStore(join(directory, 'runs.db'), 'full');
  const runs = await Promise.all(
    Array.from({ length: RUNS_AT_ONCE }, (_, index) => newRun(store, `run-${index}`)),
  );
  const each = 100;
  const [ms = 0] = await inTurns(10, [
    () => perStep(each * RUNS_AT_ONCE, () => Promise.all(runs.map((step) => repeat(each, step)))),
  ]);
  await store.close();
  return { name: 'durability full, 50 runs at once', ms, limitMs: STEP_AT_ONCE_MS };
}

/** Groups the bare rows into transactions of as many rows as steps run at a time. */
async function manyStepsOfOneRun(directory: string): Promise<Measurement> {
  const steps = 4000;
  const bare = openBare(join(directory, 'bare-at-once.db'), 'normal');
  const store = await openStore(join(directory, 'at-once.db'), 'normal');
  const step = await newRun(store, 'run');
  const [bareMs = 0, ms = 0] = await inTurns(12, [
    () => perStep(steps, () => bare.insert(steps, RUNS_AT_ONCE)),
    () => perStep(steps, () => atOnce(steps, step)),
  ]);
  bare.close();
  await store.close();
  return beside(bareMs, { name: 'durability normal, 50 of one run at once', ms, limit: 2.5 });
}

function openStore(path: string, durability: Durability): Promise<RunStore> {
  return openSqliteStore({ path, now: () => Date.now(), durability });
}

/** Creates a run, and returns a function that makes its next step. */
async function newRun(store: RunStore, id: string): Promise<() => Promise<unknown>> {
  const { claim, head } = await store.create({
    id,
    workflow: 'bench',
    file: null,
    plan: '{}',
    input: {},
    startedAt: '2026-11-10T12:00:00.000Z',
    events: [{ type: 'run:started' }],
    statusRow: { status: 'running', costUsdMicros: 0 },
    owner: { id: 'bench', host: 'here', pid: 1, processStartedAt: '0' },
    leaseMs: 60_000,
  });
  let seq = head.nextSeq;
  return () => {
    const commit = { claim, seq, events: twoEvents(id, seq) };
    seq += 2;
    return store.append(commit);
  };
}

function twoEvents(run: string, seq: number): readonly object[] {
  const at = '2026-11-10T12:00:00.000Z';
  const effect = { key: 'f3b1c2d4e5a69788', type: 'call', target: 'lookup' };
  const where = { run, at, node: 'lookup', path: 'lookup' };
  return [
    { seq, type: 'effect:succeeded', ...where, effect },
    { seq: seq + 1, type: 'effect:requested', ...where, effect, attempt: 0 },
  ];
}

interface Bare {
  /** Inserts `rows` rows, `together` of them in each transaction. */
  insert(rows: number, together: number): void;
  close(): void;
}

function openBare(path: string, durability: Durability): Bare {
  const db = new DatabaseSync(path);
  db.exec(`
    PRAGMA journal_mode = WAL;
    PRAGMA synchronous = ${durability === 'full' ? 'FULL' : 'NORMAL'};
    CREATE TABLE events (
      id INTEGER PRIMARY KEY, run INTEGER NOT NULL, seq INTEGER NOT NULL, count INTEGER NOT NULL,
      events TEXT NOT NULL
    ) STRICT;
  `);
  const insert = db.prepare('INSERT INTO events (run, seq, count, events) VALUES (?, ?, ?, ?)');
  const begin = db.prepare('BEGIN');
  const commit = db.prepare('COMMIT');
  let seq = 1;
  return {
    insert: (rows, together) => {
      for (let row = 0; row < rows; row++) {
        if (together > 1 && row % together === 0) begin.run();
        insert.run(1, seq, 2, JSON.stringify(twoEvents('run', seq)));
        if (together > 1 && row % together === together - 1) commit.run();
        seq += 2;
      }
    },
    close: () => db.close(),
  };
}

/** The best round of each. */
async function inTurns(rounds: number, measured: readonly Measured[]): Promise<readonly number[]> {
  const best = measured.map(() => Infinity);
  for (let round = 0; round < rounds; round++) {
    for (const [index, measure] of measured.entries()) {
      best[index] = Math.min(best[index] ?? Infinity, await measure());
    }
  }
  return best;
}

async function perStep(steps: number, work: () => unknown): Promise<number> {
  const start = performance.now();
  await work();
  return (performance.now() - start) / steps;
}

/** Bounds it by a multiple of the time of the bare rows. */
function beside(
  bareMs: number,
  { name, ms, limit }: { name: string; ms: number; limit: number },
): Measurement {
  const note = `${(ms / bareMs).toFixed(2)}× bare, at most ${limit}×`;
  return { name, ms, limitMs: bareMs * limit, note };
}

async function atOnce(steps: number, step: () => Promise<unknown>): Promise<void> {
  const each = steps / RUNS_AT_ONCE;
  await Promise.all(Array.from({ length: RUNS_AT_ONCE }, () => repeat(each, step)));
}

async function repeat(times: number, step: () => Promise<unknown>): Promise<void> {
  for (let done = 0; done < times; done++) await step();
}
