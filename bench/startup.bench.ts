/**
 * The time of the command as a person has it: installed, from `dist`. If a bare Node takes 40 ms,
 * help may take 120 ms and the validation of a small file 250 ms; if a bare Node is slower, the
 * limits grow with it.
 */
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { buildOnce } from './door/installed.ts';
import { elapsedMs, type Bench, type Measurement } from './measure.ts';

const ROOT = dirname(import.meta.dirname);
const BARE_MS = 40;
const TRIES = 15;

const SMALL = `workflow: {name: small, entry_point: label, runtime: {simulate: {clerk: [{answer: {ok: true}}]}}}
nodes:
  - {name: label, type: agent, model: sim/clerk, prompt: Hello, tools: [], output: {ok: {type: boolean}}}
`;

/** The typed words, and for some a limit on a machine whose bare Node takes 40 ms. */
const COMMANDS: readonly (readonly [typed: string, limitMs?: number])[] = [
  ['--help', 120],
  ['validate small.yaml', 250],
  ['explain provider.rate_limited', 250],
  ['runs', 250],
  ['run small.yaml --quiet'],
];

export const bench: Bench = {
  name: 'startup of the installed command',
  run: () => {
    const folder = mkdtempSync(join(tmpdir(), 'errand-startup-'));
    try {
      return measure(folder);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
};

function measure(folder: string): readonly Measurement[] {
  buildOnce();
  const installed = join(folder, 'node_modules/errand');
  // a link would lead back to the checkout, which starts from its sources
  for (const part of ['bin', 'dist', 'package.json'])
    cpSync(join(ROOT, part), join(installed, part), { recursive: true });
  writeFileSync(join(folder, 'small.yaml'), SMALL);
  const binary = join(installed, 'bin/errand.mjs');
  const programs = [['--eval', ''], ...COMMANDS.map(([typed]) => [binary, ...typed.split(' ')])];
  // the first run fills the compile cache and makes the store
  for (const args of programs) mustRun(args, folder);
  // in turns, so that a busy moment of the machine disturbs all of them alike; the fastest time is
  // the command's own
  const rounds = Array.from({ length: TRIES }, () =>
    programs.map((args) => elapsedMs(() => mustRun(args, folder))),
  );
  const [bareMs = 0, ...times] = programs.map((_, at) =>
    Math.min(...rounds.map((round) => round[at] ?? Infinity)),
  );
  return COMMANDS.map(([typed, limitMs], at): Measurement => {
    const ms = times[at] ?? 0;
    const note = `${(ms / bareMs).toFixed(1)} × a bare Node`;
    return {
      name: `errand ${typed}`,
      ms,
      note,
      ...(limitMs === undefined ? {} : { limitMs: (limitMs / BARE_MS) * bareMs }),
    };
  });
}

function mustRun(args: readonly string[], cwd: string): void {
  const env = { PATH: process.env['PATH'] ?? '' };
  const { status, stderr } = spawnSync(process.execPath, args, { cwd, env, encoding: 'utf8' });
  if (status !== 0) throw new Error(`node ${args.join(' ')} ended with ${status}\n${stderr}`);
}
