/**
 * Scale: steps per second on one PostgreSQL server with 1, 2 and 4 processes, beside DBOS on the
 * same server. By the clock, because the server does much of the work; the rounds take turns, so
 * that both have the same machine.
 */
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import pg from 'pg';
import { postgresPrograms, startPostgres } from '../../test/postgres-server.ts';
import { median } from '../measure.ts';
import type { ComparedBench, Curve, Peer, Row } from '../result.ts';
import { install, ROOT } from './installed.ts';
import { peerAddress, peerVersion } from './peers.ts';
import { inShuffledRounds, type Way } from '../rounds.ts';

const STEPS = 10;
const RUNS = 100;
const AT_ONCE = 10;
const ROUNDS = 3;
const PROCESSES = [1, 2, 4];
const DBOS = '@dbos-inc/dbos-sdk';

/** The cost of a step, in the process that makes it. */
const CPU_US: number[] = [];

export const bench: ComparedBench = {
  name: 'scale: PostgreSQL with several processes',
  compare: async ({ withPeers }) => {
    const programs = postgresPrograms();
    if (programs === undefined) return {};
    const installed = install();
    const server = await startPostgres(programs);
    try {
      const errand = `file://${join(installed.folder, 'node_modules/errand/dist/index.js')}`;
      const kinds: Readonly<Record<string, string>> = {
        errand,
        ...(withPeers ? { dbos: peerAddress(DBOS) } : {}),
      };
      const urls = Object.fromEntries(
        await Promise.all(
          Object.keys(kinds).map(async (kind) => [kind, await database(server.url, kind)] as const),
        ),
      );
      const ways = Object.entries(kinds).flatMap(([kind, from]) =>
        PROCESSES.map((processes): [string, Way] => [
          `${kind} ${processes}`,
          () => stepsPerSecond(processes, [kind, urls[kind] ?? '', from]),
        ]),
      );
      return compared(await inShuffledRounds(ROUNDS, Object.fromEntries(ways)), withPeers);
    } finally {
      await server.remove();
      installed.remove();
    }
  },
};

function compared(rounds: Readonly<Record<string, readonly number[]>>, withPeers: boolean) {
  const version = withPeers ? peerVersion(DBOS) : '';
  const name = `steps a second, ${AT_ONCE} runs of ${STEPS} steps at a time in each process`;
  const curve: Curve = {
    work: 'scale',
    name: 'PostgreSQL: steps a second',
    unit: 'steps/s',
    along: 'processes',
    points: PROCESSES.map((at) => ({ at, rounds: rounds[`errand ${at}`] ?? [] })),
  };
  const rows = PROCESSES.map((processes): Row => {
    const peer: Peer = { name: 'DBOS', version, rounds: rounds[`dbos ${processes}`] ?? [] };
    const goal = withPeers ? { goal: { least: median(peer.rounds) } } : {};
    return {
      work: 'scale',
      name: `PostgreSQL, ${processes} process${processes === 1 ? '' : 'es'}: ${name}`,
      unit: 'steps/s',
      ours: rounds[`errand ${processes}`] ?? [],
      ...(withPeers ? { peers: [peer] } : {}),
      ...goal,
    };
  });
  const cpu: Row = {
    work: 'scale',
    name: 'PostgreSQL: processor time of a step in its process',
    unit: 'µs',
    ours: CPU_US,
  };
  return { rows: [...rows, cpu], curves: [curve] };
}

/** Makes a database for each, so that neither finds the other's tables. */
async function database(url: string, name: string): Promise<string> {
  const client = new pg.Client(url);
  await client.connect();
  await client.query(`CREATE DATABASE ${name}`);
  await client.end();
  return url.replace(/\/postgres$/, `/${name}`);
}

async function stepsPerSecond(
  processes: number,
  [kind, url, from]: readonly [string, string, string],
): Promise<number> {
  const child = (): ChildProcess =>
    fork(
      join(import.meta.dirname, 'postgres-child.mjs'),
      [kind, url, String(RUNS), String(STEPS), String(AT_ONCE), from],
      { cwd: ROOT, stdio: ['ignore', 'ignore', 'inherit', 'ipc'], execArgv: ['--no-deprecation'] },
    );
  const first = child();
  // alone, because the first one makes the tables
  await said(first);
  const others = Array.from({ length: processes - 1 }, child);
  await Promise.all(others.map(said));
  const start = performance.now();
  const done = [first, ...others].map(async (each) => Number(await said(each)));
  for (const each of [first, ...others]) each.send('go');
  const cpuUs = await Promise.all(done);
  const seconds = (performance.now() - start) / 1000;
  await Promise.all([first, ...others].map(gone));
  if (kind === 'errand') CPU_US.push(median(cpuUs));
  return (processes * RUNS * STEPS) / seconds;
}

/** The next message of a process; a process that ends instead has failed. */
async function said(child: ChildProcess): Promise<unknown> {
  const ended = once(child, 'exit').then(([code]) => {
    throw new Error(`A process ended with ${String(code)}`);
  });
  const received = once(child, 'message').then(([message]) => message as unknown);
  // the later of the two adds nothing
  ended.catch(() => undefined);
  return Promise.race([received, ended]);
}

async function gone(child: ChildProcess): Promise<void> {
  if (child.exitCode === null) await once(child, 'exit');
}
