/** Importing the built core costs at most 45 ms more than a Node that does nothing. */
import { spawnSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { buildOnce } from './door/installed.ts';
import { elapsedMs, median, type Bench, type Measurement } from './measure.ts';

const ROOT = dirname(import.meta.dirname);
const ENTRIES = ['dist/index.js', 'dist/errors/index.js'];
const ALLOWED_MS = 45;
const TRIES = 15;

export const bench: Bench = {
  name: 'import of the core, in a process of its own',
  run: () => {
    buildOnce();
    const programs = ['', ...ENTRIES.map((entry) => `import ${JSON.stringify(urlOf(entry))};`)];
    // in turns, so that a busy moment of the machine disturbs all of them alike
    const rounds = Array.from({ length: TRIES }, () => programs.map(run));
    const [bareMs = 0, ...times] = programs.map((_, index) =>
      median(rounds.map((round) => round[index] ?? 0)),
    );
    return ENTRIES.map((name, index): Measurement => ({
      name,
      ms: times[index] ?? 0,
      limitMs: bareMs + ALLOWED_MS,
    }));
  },
};

function run(program: string): number {
  return elapsedMs(() => mustRun(['--input-type=module', '--eval', program]));
}

function mustRun(args: readonly string[]): void {
  const { status, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`node ${args.join(' ')} ended with ${status}\n${stderr}`);
}

function urlOf(entry: string): string {
  return pathToFileURL(join(ROOT, entry)).href;
}
