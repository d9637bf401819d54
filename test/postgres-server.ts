/** A PostgreSQL server of one's own for tests: in a temporary folder, on the loopback, ended with them. */
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, globSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as after } from 'node:timers/promises';
import pg from 'pg';

export interface PostgresServer {
  readonly url: string;
  /** By a signal that it cannot catch: what it had not made durable is gone. */
  kill(): Promise<void>;
  /** Again, with the data that is there. */
  start(): Promise<void>;
  remove(): Promise<void>;
}

/** Where its programs are; undefined where it is not installed. */
export function postgresPrograms(): string | undefined {
  const places = ['/usr/local/bin', '/usr/bin', ...globSync('/usr/lib/postgresql/*/bin')];
  return places.find((place) => existsSync(join(place, 'initdb')));
}

/** It refuses to be run by root, who has to lend it another name. */
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
    for (let tries = 0; !(await answers(url)); tries++) {
      if (tries > 600 || server.exitCode !== null) throw new Error('PostgreSQL does not start');
      await after(50);
    }
  };
  await start();
  return {
    url,
    kill: () => stop('SIGKILL'),
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

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const address = probe.address();
  probe.close();
  if (typeof address !== 'object' || address === null) throw new Error('no port');
  return address.port;
}
