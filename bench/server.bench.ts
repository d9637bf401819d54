/**
 * What a request to the server takes: a page of runs as a multiple of an answer that reads nothing, and
 * how long an event takes from its commit to a reader in the same process.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createErrandServer, type ErrandServer } from '../src/server/index.ts';
import { median, type Bench, type Measurement } from './measure.ts';

const RUNS = 50;
const TRIES = 200;
/** A page of 50 runs may take as long as so many answers that read nothing. */
const MOST_TIMES = 60;
const EVENT_LIMIT_MS = 50;

const ASK = `workflow: {name: ask, entry_point: q}
nodes: [{name: q, type: human_gate, prompt: Go?, options: [{label: Yes, value: yes}]}]
`;

export const bench: Bench = {
  name: 'requests to the server',
  run: async () => {
    const directory = mkdtempSync(join(tmpdir(), 'errand-server-'));
    writeFileSync(join(directory, 'ask.yaml'), ASK);
    const authorize = () => ({ name: 'bench', role: 'run' as const });
    const server = createErrandServer({ directory, store: 'memory', env: {}, authorize });
    try {
      return await measure(server);
    } finally {
      await server.close();
      rmSync(directory, { recursive: true, force: true });
    }
  },
};

async function measure(server: ErrandServer): Promise<readonly Measurement[]> {
  const runs: string[] = [];
  for (let n = 0; n < RUNS; n++) runs.push(await started(server));
  const health = await medianOf(server, '/health');
  const list = await medianOf(server, '/v1/runs');
  const late: number[] = [];
  for (const run of runs.slice(0, 10)) late.push(await eventMs(server, run));
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

async function started(server: ErrandServer): Promise<string> {
  const answer = await post(server, '/v1/runs', { workflow: 'ask' }, { prefer: 'wait=30' });
  return ((await answer.json()) as { readonly run: string }).run;
}

/** The reader has all there is, then the question is answered. */
async function eventMs(server: ErrandServer, run: string): Promise<number> {
  const headers = { accept: 'text/event-stream' };
  const path = `http://localhost/v1/runs/${run}/events?type=gate:answered`;
  const { body } = await server.fetch(new Request(path, { headers }));
  if (body === null) throw new Error('there is no stream');
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let text = (await reader.read()).value ?? '';
  const answered = post(server, `/v1/runs/${run}/answers`, { value: 'yes' });
  while (!text.includes('gate:answered')) text += (await reader.read()).value ?? '';
  const seenMs = Date.now();
  const [, at = ''] = /"at":"([^"]+)"/.exec(text) ?? [];
  await reader.cancel();
  await answered;
  return seenMs - Date.parse(at);
}

function post(
  server: ErrandServer,
  path: string,
  body: object,
  headers: Readonly<Record<string, string>> = {},
): Promise<Response> {
  return server.fetch(
    new Request(`http://localhost${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    }),
  );
}
