/**
 * The time of a request to the server: a page of runs as a multiple of an answer that reads
 * nothing, and the time of an event from its commit to a reader in the same process.
 */
import type { ErrandServer } from '../src/server/index.ts';
import { median, type Bench, type Measurement } from './measure.ts';
import { eventMs, waitingServer, type WaitingServer } from './waiting-server.ts';

const RUNS = 50;
const TRIES = 200;
/** The most that a page of 50 runs may take, as a multiple of an answer that reads nothing. */
const MOST_TIMES = 60;
const EVENT_LIMIT_MS = 50;

export const bench: Bench = {
  name: 'requests to the server',
  run: async () => {
    const waiting = await waitingServer(RUNS, { store: 'memory' });
    try {
      return await measure(waiting);
    } finally {
      await waiting.close();
    }
  },
};

async function measure({ server, runs }: WaitingServer): Promise<readonly Measurement[]> {
  const health = await medianOf(server, '/health');
  const list = await medianOf(server, '/v1/runs');
  const late: number[] = [];
  const read = (path: string, headers: Readonly<Record<string, string>>) =>
    server.fetch(new Request(`http://localhost${path}`, { headers }));
  for (const run of runs.slice(0, 10)) late.push(await eventMs(server, run, read));
  return [
    { name: 'an answer that reads nothing', ms: health },
    { name: `a page of ${RUNS} runs`, ms: list, limitMs: health * MOST_TIMES },
    { name: 'an event, from its commit to a reader', ms: median(late), limitMs: EVENT_LIMIT_MS },
  ];
}

async function medianOf(server: ErrandServer, path: string): Promise<number> {
  const times: number[] = [];
  for (let n = 0; n < TRIES; n++) {
    const startMs = performance.now();
    await (await server.fetch(new Request(`http://localhost${path}`))).arrayBuffer();
    times.push(performance.now() - startMs);
  }
  return median(times);
}
