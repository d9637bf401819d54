/** A server with runs that wait for an answer, for the benches that send requests. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  createErrandServer,
  type ErrandServer,
  type ErrandServerOptions,
} from '../src/server/index.ts';

const ASK = `workflow: {name: ask, entry_point: q}
nodes: [{name: q, type: human_gate, prompt: Go?, options: [{label: Yes, value: yes}]}]
`;

export interface WaitingServer {
  readonly server: ErrandServer;
  /** The folder of its store, if that is a file. */
  readonly directory: string;
  readonly runs: readonly string[];
  close(): Promise<void>;
}

export async function waitingServer(
  runs: number,
  options: Pick<ErrandServerOptions, 'store'> = {},
): Promise<WaitingServer> {
  const directory = mkdtempSync(join(tmpdir(), 'errand-bench-'));
  writeFileSync(join(directory, 'ask.yaml'), ASK);
  const authorize = () => ({ name: 'bench', role: 'run' as const });
  const server = createErrandServer({ directory, env: {}, authorize, ...options });
  const started: string[] = [];
  for (let n = 0; n < runs; n++) started.push(await start(server));
  return {
    server,
    directory,
    runs: started,
    async close() {
      await server.close();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

async function start(server: ErrandServer): Promise<string> {
  const answer = await post(server, '/v1/runs', { workflow: 'ask' }, { prefer: 'wait=30' });
  return ((await answer.json()) as { readonly run: string }).run;
}

type Fetch = (path: string, headers: Readonly<Record<string, string>>) => Promise<Response>;

/**
 * The time from the commit of the answer to a run, to the reader of its events, who had all earlier
 * ones.
 */
export async function eventMs(own: ErrandServer, run: string, read: Fetch): Promise<number> {
  const headers = { accept: 'text/event-stream' };
  const { body } = await read(`/v1/runs/${run}/events?type=gate:answered`, headers);
  if (body === null) throw new Error('there is no stream');
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let text = (await reader.read()).value ?? '';
  const answered = post(own, `/v1/runs/${run}/answers`, { value: 'yes' });
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
