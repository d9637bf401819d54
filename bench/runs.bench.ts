/**
 * Whole runs on a real SQLite file: the resumption of a long run from the start of its process, and
 * the memory of thousands of waiting runs.
 */
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildOnce } from './door/installed.ts';
import type { Bench, Figure, Measurement } from './measure.ts';

/** The same number as in `runs-child.mjs`. */
const STEPS = 1000;
const RESUME_MS = 70;
const RESUMES = 15;
const WAITING_RUNS = 10_000;
const WAITING_MB = 110;

export const bench: Bench = {
  name: 'runs: whole runs on SQLite',
  run: async () => {
    buildOnce();
    const directory = mkdtempSync(join(tmpdir(), 'errand-bench-'));
    try {
      return [resume(directory), waiting(directory)];
    } finally {
      rmSync(directory, { recursive: true, force: true });
    }
  },
};

/**
 * From the start of the process to the first event of the new leg, in the built package, with
 * Node's compile cache, as in the command.
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
    name: `resume of a run of ${STEPS} steps, from process start`,
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

function waiting(directory: string): Figure {
  const megabytes = Number(runScript(join(directory, 'waiting'), 'waiting', String(WAITING_RUNS)));
  return {
    name: `${WAITING_RUNS} waiting runs, live heap`,
    value: megabytes,
    unit: 'MB',
    limit: WAITING_MB,
  };
}

function runScript(home: string, task: string, what = '', compiled = ''): string {
  const script = join(import.meta.dirname, 'runs-child.mjs');
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    // every flag slows the start: Node's own snapshot of compiled code was made without it
    [...(task === 'waiting' ? ['--expose-gc'] : []), script, home, task, what, compiled],
    { encoding: 'utf8' },
  );
  if (status !== 0) throw new Error(`${task} ended with ${status}\n${stderr}`);
  return stdout.trim();
}
