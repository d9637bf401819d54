/**
 * A real Temporal server for the tests: a named one, an installed one, or one that Go builds once
 * and keeps outside the checkout. Prints which it took; without a server it prints loudly what was
 * not proved.
 */
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { connect } from 'node:net';
import { homedir, tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { setTimeout as after } from 'node:timers/promises';
import { freePort } from '../free-port.ts';

const VERSION = 'v1.5.1';
const BUILD_MS = 25 * 60_000;
const READY_MS = 300_000;

export interface TemporalServer {
  readonly address: string;
  /** Kills it and restarts it on the same data. */
  restart(whileDown?: () => Promise<void>): Promise<void>;
  stop(): Promise<void>;
}

/** Writes to the terminal of the person who runs the tests, even if the reporter hides output. */
export function say(text: string): void {
  process.stderr.write(`\ntemporal: ${text}\n`);
}

/** The program, or the reason why there is none. */
export function findProgram(): { readonly path: string } | { readonly missing: string } {
  const installed = onPath('temporal');
  if (installed !== undefined) return { path: installed };
  const built = join(cacheFolder(), `temporal-${VERSION}`, 'temporal');
  if (existsSync(built)) return { path: built };
  const go = onPath('go');
  if (go === undefined)
    return {
      missing: 'install `temporal` (Temporal’s command line tool) or Go, or set TEMPORAL_ADDRESS',
    };
  return build(go, built);
}

/** Builds once, even if several ask at the same time. */
function build(go: string, target: string): ReturnType<typeof findProgram> {
  const folder = join(target, '..');
  const lock = `${folder}.lock`;
  mkdirSync(join(folder, '..'), { recursive: true });
  if (!takeLock(lock)) return awaitBuild(target, lock);
  try {
    say(`building the server ${VERSION} with Go, once; some minutes`);
    mkdirSync(folder, { recursive: true });
    const { status, stderr } = spawnSync(
      go,
      ['install', `github.com/temporalio/cli/cmd/temporal@${VERSION}`],
      { env: { ...process.env, GOBIN: folder }, encoding: 'utf8', timeout: BUILD_MS },
    );
    if (status === 0 && existsSync(target)) return { path: target };
    return { missing: `Go could not build it: ${stderr.trim().split('\n').at(-1) ?? ''}` };
  } finally {
    rmSync(lock, { recursive: true, force: true });
  }
}

function takeLock(lock: string): boolean {
  try {
    mkdirSync(lock);
    return true;
  } catch {
    // a killed process left it behind
    if (!existsSync(lock) || Date.now() - statSync(lock).mtimeMs < BUILD_MS) return false;
    rmSync(lock, { recursive: true, force: true });
    return takeLock(lock);
  }
}

function awaitBuild(target: string, lock: string): ReturnType<typeof findProgram> {
  const pause = new Int32Array(new SharedArrayBuffer(4));
  while (existsSync(lock)) Atomics.wait(pause, 0, 0, 500);
  return existsSync(target) ? { path: target } : { missing: 'another process could not build it' };
}

/** Whether this machine can build a server. */
export function hasGo(): boolean {
  return onPath('go') !== undefined;
}

function cacheFolder(): string {
  const base = process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache');
  return join(base, 'errand');
}

function onPath(program: string): string | undefined {
  return (process.env['PATH'] ?? '')
    .split(delimiter)
    .map((folder) => join(folder, program))
    .find((file) => existsSync(file));
}

/** Also makes `namespaces`. */
export async function startServer(
  program: string,
  namespaces: readonly string[],
): Promise<TemporalServer> {
  const folder = mkdtempSync(join(tmpdir(), 'errand-temporal-'));
  const port = await freePort();
  const address = `127.0.0.1:${port}`;
  const launch = async (): Promise<ChildProcess> => {
    const child = spawn(
      program,
      [
        'server',
        'start-dev',
        '--headless',
        `--ip=127.0.0.1`,
        `--port=${port}`,
        '--log-level=error',
        `--db-filename=${join(folder, 'temporal.db')}`,
        ...namespaces.flatMap((namespace) => ['--namespace', namespace]),
      ],
      { stdio: 'ignore' },
    );
    await untilOpen(port);
    return child;
  };
  let child = await launch();
  return {
    address,
    restart: async (whileDown = () => Promise.resolve()) => {
      await kill(child);
      await whileDown();
      child = await launch();
    },
    stop: async () => {
      await kill(child);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, 'exit');
  child.kill('SIGKILL');
  await gone;
}

async function untilOpen(port: number): Promise<void> {
  const endMs = performance.now() + READY_MS;
  for (;;) {
    if (await isOpen(port)) return;
    if (performance.now() > endMs) throw new Error('The Temporal server does not come up');
    await after(50);
  }
}

function isOpen(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => resolve((socket.destroy(), true)));
    socket.once('error', () => resolve(false));
  });
}

// `npm test` builds it before the tests begin
if (import.meta.main && process.env['TEMPORAL_ADDRESS'] === undefined) findProgram();
