/** Processes that a test starts: the one that is killed at a commit, and the command itself. */
import { spawn } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { KillableJob } from './killable.ts';

export interface Ended {
  readonly exit: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Started {
  readonly pid: number | undefined;
  kill(signal: NodeJS.Signals): void;
  readonly ended: Promise<Ended>;
}

const BINARY = join(import.meta.dirname, '../../bin/errand.mjs');
const KILLABLE = join(import.meta.dirname, 'killable.ts');

export interface CommandOptions {
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Options for Node itself. */
  readonly node?: readonly string[];
}

export function startErrand(args: readonly string[], options: CommandOptions): Started {
  return start([...(options.node ?? []), BINARY, ...args], options);
}

export function errand(args: readonly string[], options: CommandOptions): Promise<Ended> {
  return startErrand(args, options).ended;
}

/** Does one leg, and dies where it is told to. */
export function killable(job: KillableJob): Promise<Ended> {
  return start([KILLABLE, JSON.stringify(job)], { cwd: process.cwd() }).ended;
}

function start(args: readonly string[], { cwd, env }: CommandOptions): Started {
  const child = spawn(process.execPath, args, {
    cwd,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      PATH: process.env['PATH'] ?? '',
      // the sources are compiled once, not for each of hundreds of processes
      NODE_COMPILE_CACHE: join(tmpdir(), 'errand-survival-cache'),
      ...env,
    },
  });
  const said = { stdout: '', stderr: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => (said.stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (said.stderr += text));
  return {
    pid: child.pid,
    kill: (signal) => void child.kill(signal),
    ended: new Promise((resolve, reject) => {
      child.once('error', reject);
      child.once('close', (exit, signal) => resolve({ exit, signal, ...said }));
    }),
  };
}
