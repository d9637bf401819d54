/**
 * A private PostgreSQL server for tests: in a temporary folder, on the loopback, ended with them.
 */
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, globSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as after } from 'node:timers/promises';
import pg from 'pg';
import { freePort } from './free-port.ts';

export interface PostgresServer {
  readonly url: string;
  /** Kills it by a signal that it cannot catch: data that is not durable is lost. */
  kill(): Promise<void>;
  /** Starts it again on the same data. */
  start(): Promise<void>;
  remove(): Promise<void>;
}

/** The folder of its programs; undefined if it is not installed. */
export function postgresPrograms(): string | undefined {
  const places = ['/usr/local/bin', '/usr/bin', ...globSync('/usr/lib/postgresql/*/bin')];
  return places.find((place) => existsSync(join(place, 'initdb')));
}

/** PostgreSQL refuses to run as root, who has to use another name. */
const AS_OTHER: readonly string[] =
  process.getuid?.() === 0
    ? ['setpriv', '--reuid=nobody', '--regid=nogroup', '--clear-groups']
    : [];

export async function startPostgres(programs: string): Promise<PostgresServer> {
  const folder = mkdtempSync(join(tmpdir(), 'errand-postgres-'));
  chmodSync(folder, 0o777);
  const data = join(folder, 'data');
  const port = await freePort();
  const url = `postgres://errand@127.0.0.1:${port}/postgres`;
  const [initdb, ...args] = command(
    join(programs, 'initdb'),
    '-D',
    data,
    '-U',
    'errand',
    '-A',
    'trust',
    '-N',
  );
  const made = spawnSync(initdb ?? '', args, { encoding: 'utf8', cwd: folder });
  if (made.status !== 0) throw new Error(`initdb ended with ${made.status}: ${made.stderr}`);
  let server: ChildProcess | undefined;
  const stop = async (signal: NodeJS.Signals): Promise<void> => {
    if (server === undefined || server.exitCode !== null || server.signalCode !== null) return;
    const ended = once(server, 'exit');
    server.kill(signal);
    await ended;
  };
  const kill = async (): Promise<void> => {
    const sessions = childrenOf(server?.pid);
    await stop('SIGKILL');
    // each session is a process, and would answer for a while after its server has died
    for (const session of sessions) killNow(session);
    while (sessions.some(isRunning)) await after(10);
  };
  const start = async (): Promise<void> => {
    const [program, ...options] = command(
      join(programs, 'postgres'),
      '-D',
      data,
      '-p',
      String(port),
      '-h',
      '127.0.0.1',
      '-k',
      folder,
    );
    server = spawn(program ?? '', options, { cwd: folder, stdio: 'ignore' });
    // a server that does not start ends by itself, or the test that waits for it does
    while (!(await answers(url))) {
      if (server.exitCode !== null) throw new Error('PostgreSQL does not start');
      await after(50);
    }
  };
  await start();
  return {
    url,
    kill,
    start,
    remove: async () => {
      await stop('SIGQUIT');
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function answers(url: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url });
  return client.connect().then(
    () => client.end().then(() => true),
    () => false,
  );
}

function command(...words: readonly string[]): readonly string[] {
  return [...AS_OTHER, ...words];
}

function childrenOf(parent: number | undefined): readonly number[] {
  const { stdout } = spawnSync('ps', ['-A', '-o', 'pid=,ppid='], { encoding: 'utf8' });
  return stdout
    .trim()
    .split('\n')
    .map((line) => line.trim().split(/\s+/).map(Number))
    .flatMap(([pid, ppid]) => (pid !== undefined && ppid === parent ? [pid] : []));
}

function killNow(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // it has noticed that its server has died
  }
}

/** A process that nobody has collected yet no longer runs. */
function isRunning(pid: number): boolean {
  const { stdout } = spawnSync('ps', ['-o', 'stat=', '-p', String(pid)], { encoding: 'utf8' });
  return stdout.trim() !== '' && !stdout.trim().startsWith('Z');
}
