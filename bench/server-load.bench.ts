/**
 * A server in a separate process under load from another one: whether it answers, how its memory
 * grows, the cost of readers that stall, and the delay of an event of another process.
 */
import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import type { ErrandServer } from '../src/server/index.ts';
import { median } from './measure.ts';
import { eventMs, waitingServer } from './waiting-server.ts';

const RATE = 1000;
const WARM_SECONDS = 5;
const SECONDS = 30;
const RUNS = 50;
/** Memory after the load, as a multiple of the memory after the warm-up. */
const MOST_GROWTH = 1.25;
/**
 * One core answers 1,000 requests per second in a quarter of its time, whatever else the machine
 * does.
 */
const MOST_CPU_MS = 0.25;
const READERS = 256;
const MOST_READERS_MB = 64;
const EVENTS = 10;
const MOST_EVENT_MS = 400;

interface Served {
  readonly url: string;
  readonly port: number;
  readonly token: string;
  readonly pid: number;
}

interface Load {
  readonly sent: number;
  readonly failed: number;
  readonly broken: number;
  readonly tookMs: number;
}

export const name = 'a server under load';

export async function run() {
  const waiting = await waitingServer(RUNS);
  const { directory, server, runs } = waiting;
  const child = spawn(
    process.execPath,
    [join(import.meta.dirname, '../bin/errand.mjs'), 'serve', '--port', '0', '--format', 'json'],
    { cwd: directory, env: { PATH: process.env['PATH'] }, stdio: ['ignore', 'pipe', 'inherit'] },
  );
  try {
    const served = await firstLine(child);
    return [
      ...(await loaded(served)),
      await readers(served, runs),
      await late(served, server, runs),
    ];
  } finally {
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill();
    await ended;
    await waiting.close();
  }
}

async function loaded(served: Served) {
  await load(served, WARM_SECONDS);
  const before = memoryMb(served.pid);
  const cpuBefore = cpuMs(served.pid);
  const { sent, failed, broken, tookMs } = await load(served, SECONDS);
  const cpu = (cpuMs(served.pid) - cpuBefore) / sent;
  const growth = memoryMb(served.pid) / before;
  const rate = Math.round((sent * 1000) / tookMs);
  const lost = (failed + broken) / sent;
  return [
    {
      name: `5xx and broken answers, of ${sent} to GET /v1/runs, ${rate} a second`,
      value: lost * 100,
      unit: '%',
      limit: 0,
      ratio: lost === 0 ? 0 : Infinity,
    },
    {
      name: 'CPU time of one answer to GET /v1/runs with 50 runs',
      value: cpu,
      unit: 'ms',
      limit: MOST_CPU_MS,
      ratio: cpu / MOST_CPU_MS,
    },
    {
      name: 'memory after the load, to that before',
      value: growth,
      unit: 'times',
      limit: MOST_GROWTH,
      ratio: growth / MOST_GROWTH,
    },
  ];
}

/** Readers that take nothing, each with a stream of a waiting run. */
async function readers(served: Served, runs: readonly string[]) {
  const before = memoryMb(served.pid);
  const open: Socket[] = [];
  for (let n = 0; n < READERS; n++) open.push(await standing(served, runs[n % runs.length] ?? ''));
  const value = Math.max(0, memoryMb(served.pid) - before);
  for (const socket of open) socket.destroy();
  const ratio = value / MOST_READERS_MB;
  return {
    name: `${READERS} readers that stand still`,
    value,
    unit: 'MB',
    limit: MOST_READERS_MB,
    ratio,
  };
}

function standing({ port, token }: Served, run: string): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1');
    const lines = [
      `GET /v1/runs/${run}/events HTTP/1.1`,
      'Host: 127.0.0.1',
      'Accept: text/event-stream',
      `Authorization: Bearer ${token}`,
    ];
    socket.once('error', reject).write(`${lines.join('\r\n')}\r\n\r\n`);
    socket.once('data', () => resolve(socket.pause()));
  });
}

/** The time from the commit in this process to a reader of the other one. */
async function late({ url, token }: Served, own: ErrandServer, runs: readonly string[]) {
  const times: number[] = [];
  const read = (path: string, headers: Readonly<Record<string, string>>) =>
    fetch(`${url}${path}`, { headers: { ...headers, authorization: `Bearer ${token}` } });
  for (const each of runs.slice(0, EVENTS)) times.push(await eventMs(own, each, read));
  const value = median(times);
  const ratio = value / MOST_EVENT_MS;
  return { name: 'an event of another process', value, unit: 'ms', limit: MOST_EVENT_MS, ratio };
}

async function load({ url, token }: Served, seconds: number): Promise<Load> {
  const script = join(import.meta.dirname, 'server-load.mjs');
  const args = [script, `${url}/v1/runs`, token, String(RATE), String(seconds)];
  return JSON.parse(
    await lineOf(spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })),
  ) as Load;
}

async function firstLine(child: ChildProcess): Promise<Served> {
  // the contract of the command
  return JSON.parse(await lineOf(child)) as Served;
}

function lineOf(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = '';
    child.stdout?.setEncoding('utf8').on('data', (part: string) => {
      text += part;
      if (text.includes('\n')) resolve(text.split('\n')[0] ?? '');
    });
    child.once('exit', (code) => reject(new Error(`it ended with ${code}`)));
  });
}

function memoryMb(pid: number): number {
  const kilobytes = execFileSync('ps', ['-o', 'rss=', '-p', String(pid)], { encoding: 'utf8' });
  return Number(kilobytes) / 1024;
}

/** Linux counts in hundredths of a second. */
function cpuMs(pid: number): number {
  // the fields after the program's name, which may contain blanks
  const [, fields = ''] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ');
  const [user = 0, system = 0] = fields.split(' ').slice(11, 13).map(Number);
  return (user + system) * 10;
}
