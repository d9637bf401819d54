/** Processes that a test starts: the one that is killed at a commit, and the command itself. */
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { LAUNCHER } from '../../src/cli/run-errand.cases.ts';
import { hasOwnProcess, sharedErrand } from '../cli/shared/command.ts';
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

const KILLABLE = join(import.meta.dirname, 'killable.ts');
/** Inside the checkout, so that Node finds packages from there. */
const BUNDLES = join(import.meta.dirname, '../../node_modules/.cache');

export interface Bundled {
  readonly script: string;
  readonly remove: () => void;
}

/**
 * The process to be killed, bundled into one file: hundreds are started, and each would open all
 * the sources.
 */
export function bundleKillable(): Promise<Bundled> {
  return bundle(KILLABLE);
}

export async function bundle(input: string): Promise<Bundled> {
  // most callers bundle nothing
  const { rolldown } = await import('rolldown');
  mkdirSync(BUNDLES, { recursive: true });
  const dir = mkdtempSync(join(BUNDLES, 'errand-killable-'));
  const bundler = await rolldown({
    input,
    external: [/^node:/, /quickjs/],
    plugins: [{ name: 'placed', resolveId: stayInPlace }],
    platform: 'node',
    logLevel: 'silent',
  });
  await bundler.write({ dir, format: 'esm', entryFileNames: '[name].mjs' });
  await bundler.close();
  return {
    script: join(dir, `${basename(input, '.ts')}.mjs`),
    remove: () => rmSync(dir, { recursive: true, force: true }),
  };
}

export interface CommandOptions {
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Options for Node itself. */
  readonly node?: readonly string[];
}

export function startErrand(args: readonly string[], options: CommandOptions): Started {
  return start([...(options.node ?? []), LAUNCHER, ...args], options);
}

export function errand(args: readonly string[], options: CommandOptions): Promise<Ended> {
  return startErrand(args, options).ended;
}

let count = 0;

/**
 * A command that is not killed and gets no options for Node: most run in a process that has loaded
 * the command.
 */
export async function anyErrand(
  args: readonly string[],
  { cwd, env = {} }: Omit<CommandOptions, 'node'>,
): Promise<Ended> {
  if (hasOwnProcess(`${++count} ${args[0]}`)) return errand(args, { cwd, env });
  const surroundings = { cwd, env: { PATH: process.env['PATH'] ?? '', ...env } };
  return { ...(await sharedErrand(args, surroundings)), signal: null };
}

/** Keeps a file in its place if it finds others from there. */
function stayInPlace(id: string, importer?: string): { id: string; external: true } | null {
  if (importer === undefined || !id.startsWith('.')) return null;
  const path = resolve(dirname(importer), id);
  return /[/\\]effects[/\\](sandbox|module)[/\\]/.test(path)
    ? { id: pathToFileURL(path).href, external: true }
    : null;
}

/** Runs one leg, and dies at the given point. */
export function killable(job: KillableJob, script = KILLABLE): Promise<Ended> {
  return start([script, JSON.stringify(job)], { cwd: process.cwd() }).ended;
}

export function startScript(
  script: string,
  args: readonly string[],
  options: CommandOptions,
): Started {
  return start([script, ...args], options);
}

export function runScript(script: string, ...args: readonly string[]): Promise<Ended> {
  return startScript(script, args, { cwd: process.cwd() }).ended;
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
