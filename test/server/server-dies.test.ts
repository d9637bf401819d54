/** A server that dies while a command speaks to it: the command says so, and continues when the server is back. */
import { spawn } from 'node:child_process';
import { createServer, request as httpRequest, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it } from 'vitest';
import { LAUNCHER } from '../../src/cli/run-errand.cases.ts';
import type { ErrandError } from '../../src/errors/thrown/errand-error.ts';
import type { ErrorReport } from '../../src/errors/report/report.ts';
import { ServerClient } from '../../src/engine/remote/server-client.ts';
import { serverEvents } from '../../src/engine/remote/server-events.ts';
import { freePort } from '../free-port.ts';
import { newFolder, serve, type Served } from './served.ts';
import { ALL } from './workflows.ts';

const TOKEN = 'a-token-that-stays-0123456789';
const AWAY = 'does not answer';

interface Command {
  readonly ended: Promise<{ readonly exit: number | null; readonly stdout: string }>;
  /** Resolves when the command has printed this text. */
  printed(text: string): Promise<void>;
  all(): string;
}

function command(args: readonly string[], server: string): Command {
  const child = spawn(process.execPath, [LAUNCHER, ...args], {
    cwd: newFolder(),
    env: { PATH: process.env['PATH'] ?? '', ERRAND_SERVER: server, ERRAND_TOKEN: TOKEN },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let stdout = '';
  let stderr = '';
  let look = (): void => undefined;
  child.stdout.setEncoding('utf8').on('data', (part: string) => {
    stdout += part;
    look();
  });
  child.stderr.setEncoding('utf8').on('data', (part: string) => {
    stderr += part;
    look();
  });
  return {
    ended: new Promise((resolve) => {
      child.once('close', (exit) => resolve({ exit, stdout }));
    }),
    printed: (text) =>
      new Promise((resolve) => {
        look = () => {
          if ((stdout + stderr).includes(text)) resolve();
        };
        look();
      }),
    all: () => stdout + stderr,
  };
}

function start(more: { readonly folder?: string; readonly port?: number } = {}): Promise<Served> {
  return serve({ files: ALL, env: { ERRAND_TOKEN: TOKEN }, ...more });
}

it.each([
  ['run', () => ['run', 'ask', '--wait', '--json']],
  ['watch', (run: string) => ['watch', run, '--wait', '--json']],
])('errand %s continues when its server was killed and is back', async (_, args) => {
  const served = await start({ port: await freePort() });
  const ask = (at: Served, path: string, json: object) =>
    at.ask(path, { token: TOKEN, json, headers: { prefer: 'wait=60' } });
  const first = (await ask(served, '/v1/runs', { workflow: 'ask' })).json.run;
  const following = command(args(first), served.url);
  await following.printed('run:paused');
  const [, run = ''] = /"run":"(\w+)"/.exec(following.all()) ?? [];
  await served.stop('SIGKILL');
  // says so at once, and waits
  await following.printed(AWAY);
  const back = await start({ folder: served.folder, port: served.port });
  expect((await ask(back, `/v1/runs/${run}/answers`, { value: 'yes' })).status).toBe(200);
  const { exit, stdout } = await following.ended;
  const events = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { readonly seq: number });
  expect(exit).toBe(0);
  expect(events.map(({ seq }) => seq)).toEqual(events.map((_event, at) => at + 1));
  expect(events.at(-1)).toMatchObject({ type: 'run:completed', output: 'yes' });
});

it('says how to follow the run when the server stays away', async () => {
  const about = { type: 'run:started', workflow: 't', input: {} };
  const event = { seq: 1, run: 'r1', at: '2026-11-17T00:00:00Z', ...about };
  let connections = 0;
  const { url, close } = await listening((_, response) => {
    connections++;
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    // it dies after its first event, and answers with nothing from then on
    if (connections > 1) response.destroy();
    else
      response.write(`id: 1\nevent: run:started\ndata: ${JSON.stringify(event)}\n\n`, () =>
        response.destroy(),
      );
  });
  const warnings: ErrorReport[] = [];
  const { signal } = new AbortController();
  const following = serverEvents(new ServerClient({ url }), {
    run: 'r1',
    after: 0,
    signal,
    patienceMs: 0,
    onAway: (error) => void warnings.push(error),
  });
  const seen: unknown[] = [];
  const thrown = await (async () => {
    for await (const each of following) seen.push(each);
  })().catch((error: unknown) => error);
  expect(seen).toMatchObject([{ seq: 1 }]);
  expect(warnings).toMatchObject([{ kind: 'store.unavailable' }]);
  const { report } = thrown as ErrandError;
  expect(report.kind).toBe('store.unavailable');
  // repeating `errand run` would start a second run
  expect(report.action.detail).toContain('errand watch r1');
  await close();
});

it('starts one run though the answer to its start was lost', async () => {
  const served = await start();
  let starts = 0;
  const proxy = await listening((incoming, outgoing) => {
    const { method, url: path, headers } = incoming;
    const sent = httpRequest({ host: '127.0.0.1', port: served.port, method, path, headers });
    const isLost = method === 'POST' && starts++ === 0;
    incoming.pipe(sent);
    sent.on('response', (answer) => {
      if (isLost) outgoing.destroy();
      else answer.pipe(outgoing.writeHead(answer.statusCode ?? 0, answer.headers));
    });
  });
  const { exit, stdout } = await command(['run', 'hello'], proxy.url).ended;
  expect([exit, stdout]).toEqual([0, '"Hello you"\n']);
  expect(starts).toBe(2);
  expect((await served.ask('/v1/runs', { token: TOKEN })).json.runs).toHaveLength(1);
  await proxy.close();
});

async function listening(
  listener: RequestListener,
): Promise<{ url: string; readonly close: () => Promise<void> }> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
