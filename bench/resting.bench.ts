/**
 * The memory of thousands of runs that rest at a gate, each kept by its handle: the peak of the
 * process since its start.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildOnce } from './door/installed.ts';
import { median, type Bench, type Figure } from './measure.ts';

const RUNS = 10_000;
const PEAK_MB = 110;
const ROUNDS = 3;

export const bench: Bench = {
  name: 'resting: runs at a gate in SQLite',
  run: () => {
    buildOnce();
    return [peak()];
  },
};

function peak(): Figure {
  const bare = median(Array.from({ length: ROUNDS }, () => megabytesOf(0)));
  const full = median(Array.from({ length: ROUNDS }, () => megabytesOf(RUNS)));
  return {
    name: `W7: peak memory of a process with ${RUNS} resting runs`,
    value: full,
    unit: 'MB',
    limit: PEAK_MB,
    note: `${bare.toFixed(0)} MB without a run`,
  };
}

function megabytesOf(runs: number): number {
  const home = mkdtempSync(join(tmpdir(), 'errand-bench-'));
  try {
    const script = join(import.meta.dirname, 'resting-child.mjs');
    const { status, stdout, stderr } = spawnSync(process.execPath, [script, home, String(runs)], {
      encoding: 'utf8',
    });
    if (status !== 0) throw new Error(`the process ended with ${status}\n${stderr}`);
    return Number(stdout);
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}
