/**
 * Whole runs on a real SQLite file: a fan-out beside the same rows written bare, the resumption of a
 * long run from the start of its process, and what thousands of waiting runs weigh.
 */
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { createErrand, type Errand } from '../src/engine/errand.ts';
import { openSqliteStore } from '../src/stores/sqlite/sqlite.ts';
import { workflow } from '../src/workflow/authoring/define.ts';
import type { Bench, Measurement } from './measure.ts';

const ITEMS = 1000;
const FAN_OUT_LIMIT = 2.5;
/** Both sides run compiled by then; the first of them are what a process does once. */
const ROUNDS = 100;
const RESUME_MS = 70;
const RESUMES = 15;
const WAITING_RUNS = 10_000;
const WAITING_MB = 110;

export const bench: Bench = {
  name: 'runs: whole runs on SQLite',
  run: async () => {
    const directory = mkdtempSync(join(tmpdir(), 'errand-bench-'));
    try {
      return [await fanOut(directory), resume(directory), waiting(directory)];
    } finally {
      rmSync(directory, { recursive: true, force: true });
    }
  },
};

async function open(path: string): Promise<Errand> {
  const store = await openSqliteStore({ path, now: Date.now, durability: 'normal' });
  return createErrand({ store, functions: { double: (input) => input } });
}

const fan = workflow({
  name: 'fan',
  entryPoint: 'each',
  input: { items: { type: 'array' } },
  forEach: [
    {
      name: 'each',
      source: 'workflow.input.items',
      as: 'item',
      maxConcurrent: 50,
      agent: { name: 'one', type: 'call', function: 'double', arguments: { n: '{{ item }}' } },
    },
  ],
});

/** The same commits as rows of a bare table, in the same transactions. */
async function fanOut(directory: string): Promise<Measurement> {
  const items = Array.from({ length: ITEMS }, (_, index) => index);
  const times: number[] = [];
  const bare: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const path = join(directory, `fan-${round}.db`);
    const errand = await open(path);
    const start = performance.now();
    const run = await errand.start(fan, { input: { items } });
    const { status } = await run.result();
    times.push(performance.now() - start);
    if (status !== 'completed') throw new Error(`the fan-out ended as ${status}`);
    await errand.close();
    bare.push(writeBare(join(directory, `bare-${round}.db`), rowsOf(path)));
  }
  const bareMs = Math.min(...bare);
  const ms = Math.min(...times);
  return {
    name: `fan-out of ${ITEMS} at 50, durability normal`,
    ms,
    limitMs: bareMs * FAN_OUT_LIMIT,
    note: `${(ms / bareMs).toFixed(2)}× the bare rows, at most ${FAN_OUT_LIMIT}×`,
  };
}

function rowsOf(path: string): readonly string[] {
  const db = new DatabaseSync(path, { readOnly: true });
  const rows = db.prepare('SELECT events FROM events ORDER BY id').all();
  db.close();
  return rows.map((row) => String(row['events']));
}

function writeBare(path: string, rows: readonly string[]): number {
  const db = new DatabaseSync(path);
  db.exec(`
    PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;
    CREATE TABLE events (id INTEGER PRIMARY KEY, events TEXT NOT NULL) STRICT;
  `);
  const insert = db.prepare('INSERT INTO events (events) VALUES (?)');
  const start = performance.now();
  for (const row of rows) insert.run(JSON.stringify(JSON.parse(row)));
  const ms = performance.now() - start;
  db.close();
  return ms;
}

/**
 * From the start of the process to the first event of the new leg, in the built package, with what
 * Node keeps of compiled code, as the command has it.
 */
function resume(directory: string): Measurement {
  const home = join(directory, 'resume');
  const run = runScript(home, 'prepare');
  const compiled = join(directory, 'compiled');
  resumeOnce(home, run, compiled);
  const rounds = Array.from({ length: RESUMES }, () => ({
    bare: timed(['--eval', '0']),
    cold: resumeOnce(home, run),
    warm: resumeOnce(home, run, compiled),
  }));
  const best = (of: 'bare' | 'cold' | 'warm'): number =>
    Math.min(...rounds.map((each) => each[of]));
  return {
    name: `resume of a run of ${ITEMS} steps, from process start`,
    ms: best('warm'),
    limitMs: RESUME_MS,
    note: `${best('cold').toFixed(0)} ms where Node has nothing compiled; ${best('bare').toFixed(0)} ms is a Node that does nothing`,
  };
}

/** Resumes a copy, because every leg makes the log longer. */
function resumeOnce(home: string, run: string, compiled = ''): number {
  const copy = `${home}-once`;
  rmSync(copy, { recursive: true, force: true });
  cpSync(home, copy, { recursive: true });
  return Number(runScript(copy, 'resume', run, compiled));
}

function timed(args: readonly string[]): number {
  const start = performance.now();
  spawnSync(process.execPath, args);
  return performance.now() - start;
}

function waiting(directory: string): Measurement {
  const megabytes = Number(runScript(join(directory, 'waiting'), 'waiting', String(WAITING_RUNS)));
  return {
    name: `${WAITING_RUNS} waiting runs, live heap in MB (printed as ms)`,
    ms: megabytes,
    limitMs: WAITING_MB,
  };
}

function runScript(home: string, task: string, what = '', compiled = ''): string {
  const script = join(import.meta.dirname, 'runs-child.mjs');
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    // every flag costs a start: the code that Node brings along was compiled without it
    [...(task === 'waiting' ? ['--expose-gc'] : []), script, home, task, what, compiled],
    { encoding: 'utf8' },
  );
  if (status !== 0) throw new Error(`${task} ended with ${status}\n${stderr}`);
  return stdout.trim();
}
