/** The server in an application: any host of `fetch`, a base path, and its own word on who may. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import { afterEach, describe, expect, it } from 'vitest';
import {
  createErrandServer,
  type ErrandServer,
  type ErrandServerOptions,
} from '../../src/server/errand-server.ts';
import { openMemoryStore } from '../../src/stores/memory.ts';
import { answerOf, embedded, newFolder, type Answer } from './served.ts';
import { ALL } from './workflows.ts';

const opened: ErrandServer[] = [];

afterEach(async () => {
  for (const server of opened.splice(0)) await server.close();
});

function embed(...args: Parameters<typeof embedded>): ReturnType<typeof embedded>['ask'] {
  const { server, ask } = embedded(...args);
  opened.push(server);
  return ask;
}

describe('an embedded server', () => {
  it('drives a run from start to answer to result', async () => {
    const ask = embed(ALL);
    const started = await ask('/v1/runs', {
      json: { workflow: 'ask' },
      headers: { prefer: 'wait=60' },
    });
    expect([started.status, started.json.status]).toEqual([201, 'paused']);
    const { run } = started.json;
    const answered = await ask(`/v1/runs/${run}/answers`, { json: { value: 'yes' } });
    expect(answered.json).toMatchObject({ gate: 'question', by: 'http:ada' });
    const result = await ask(`/v1/runs/${run}/result`, { headers: { prefer: 'wait=60' } });
    expect(result.json).toEqual({ output: 'yes' });
  });

  it('has its base path in every path, Location and link', async () => {
    const ask = embed(ALL, { basePath: '/api/errand' });
    const started = await ask('/v1/runs', {
      json: { workflow: 'large' },
      headers: { prefer: 'wait=60' },
    });
    const { run, output, nextMoves } = started.json;
    expect(started.headers.get('location')).toBe(`/api/errand/v1/runs/${run}`);
    expect(output.href).toMatch(/^\/api\/errand\/v1\/runs\//);
    for (const { path } of nextMoves) expect(path).toMatch(/^\/api\/errand\/v1\//);
    const refused = await ask('/v1/runs/nobody');
    expect(refused.headers.get('link')).toContain('/api/errand/v1/catalog/run.not_found');
    await ask('/v1/runs', { json: { workflow: 'hello' } });
    expect((await ask('/v1/runs?limit=1')).headers.get('link')).toMatch(
      /^<\/api\/errand\/v1\/runs\?/,
    );
    expect((await ask('/openapi.json')).json.servers).toEqual([{ url: '/api/errand' }]);
  });

  it('takes nobody from its host as nobody, and a slip of a program without types too', async () => {
    const found = new Map([['ada', { name: 'ada', role: 'run' }]]);
    const authorize = (request: Request): unknown => found.get(request.headers.get('x-user') ?? '');
    const ask = embed(ALL, untyped({ authorize }));
    const nobody = await ask('/v1/runs', { headers: { 'x-user': 'bob' } });
    expect([nobody.status, nobody.json.kind]).toEqual([401, 'request.unauthenticated']);
    expect((await ask('/v1/runs', { headers: { 'x-user': 'ada' } })).status).toBe(200);
  });

  it('names its host where the code of the host fails, and not itself', async () => {
    const lines: string[] = [];
    const onLog = (line: string): void => void lines.push(line);
    const down = embed(ALL, {
      onLog,
      authorize: () => Promise.reject(new Error('no connection to the users')),
    });
    const failed = await down('/v1/runs');
    expect([failed.status, failed.json.kind]).toEqual([500, 'extension.contract']);
    expect(JSON.stringify(failed.json)).not.toContain('users');
    expect(lines.join()).toContain('authorize of the host threw: no connection to the users');
    const slip = embed(ALL, untyped({ onLog, authorize: () => ({ name: 'ada', role: 'admin' }) }));
    const unknown = await slip('/v1/runs');
    expect([unknown.status, unknown.json.kind]).toEqual([500, 'extension.contract']);
    expect(lines.join()).toContain('the roles are read, run, edit');
  });

  it('asks its host who may, and never about the Host', async () => {
    const ask = embed(ALL, {
      authorize: (request) =>
        request.headers.get('x-user') === null ? null : { name: 'bob', role: 'read' },
    });
    expect((await ask('/v1/runs')).status).toBe(401);
    const bob = { 'x-user': 'bob', host: 'any.example' };
    expect((await ask('/v1/runs', { headers: bob })).status).toBe(200);
    const refused = await ask('/v1/runs', { json: { workflow: 'hello' }, headers: bob });
    expect([refused.status, refused.json.kind]).toEqual([403, 'request.forbidden']);
    expect((await ask('/health', { headers: { host: 'any.example' } })).status).toBe(200);
  });

  it('makes a token where neither tokens nor a host decide', async () => {
    const server = createErrandServer({ directory: newFolder(ALL), store: 'memory', env: {} });
    opened.push(server);
    const ask = (headers: Record<string, string>) =>
      server.fetch(new Request('http://localhost/v1/runs', { headers })).then(answerOf);
    expect((await ask({})).status).toBe(401);
    expect((await ask({ authorization: `Bearer ${server.token}` })).status).toBe(200);
  });

  it('only stores runs where another server carries them on', async () => {
    const { front, worker } = frontAndWorker();
    const { json, status } = await front('/v1/runs', { workflow: 'hello' });
    expect([status, json.status]).toEqual([201, 'interrupted']);
    await expect
      .poll(async () => (await worker()(`/v1/runs/${json.run}`)).json.status)
      .toBe('completed');
  });

  it('keeps the answers of a start for the server that executes the run', async () => {
    const { front, worker } = frontAndWorker();
    const { json } = await front('/v1/runs', { workflow: 'ask', answers: { question: 'yes' } });
    await expect
      .poll(async () => (await worker()(`/v1/runs/${json.run}`)).json)
      .toMatchObject({ status: 'completed', output: 'yes' });
    const { json: log } = await worker()(`/v1/runs/${json.run}/events?type=gate:answered`);
    expect(log.events).toMatchObject([{ gate: 'question', value: 'yes', by: 'prepared' }]);
  });

  it('names the gate of an answer that it leaves for another server', async () => {
    const { front, worker } = frontAndWorker();
    const { json } = await front('/v1/runs', { workflow: 'ask' });
    await expect
      .poll(async () => (await worker()(`/v1/runs/${json.run}`)).json.status)
      .toBe('paused');
    const { status, json: left } = await front(`/v1/runs/${json.run}/answers`, { value: 'yes' });
    expect([status, left]).toEqual([202, { gate: 'question', value: 'yes', by: 'http:a' }]);
  });

  it('is behind a server of Node, as Express hands requests on', async () => {
    const { server } = embedded(ALL, { basePath: '/errand' });
    opened.push(server);
    const listener = getRequestListener((request) => server.fetch(request), {
      overrideGlobalObjects: false,
    });
    const http = createServer((incoming, outgoing) => void listener(incoming, outgoing));
    await new Promise<void>((resolve) => void http.listen(0, '127.0.0.1', resolve));
    const { port } = http.address() as AddressInfo;
    const runs = `http://127.0.0.1:${port}/errand/v1/runs`;
    const started = await fetch(runs, {
      method: 'POST',
      headers: { 'content-type': 'application/json', prefer: 'wait=60' },
      body: JSON.stringify({ workflow: 'hello' }),
    });
    const { run, output } = (await started.json()) as { run: string; output: string };
    expect([started.status, output]).toEqual([201, 'Hello you']);
    expect(started.headers.get('location')).toBe(`/errand/v1/runs/${run}`);
    const headers = { accept: 'text/event-stream' };
    expect(await (await fetch(`${runs}/${run}/events`, { headers })).text()).toContain(
      'event: end\n',
    );
    http.close();
    http.closeAllConnections();
  });

  it('lists at once what another server on the same store has started', async () => {
    const directory = newFolder(ALL);
    const store = `sqlite:${directory}/errand.db`;
    const [one, other] = [embed({}, { directory, store }), embed({}, { directory, store })];
    const ids = async (): Promise<string[]> =>
      (await one('/v1/runs')).json.runs.map(({ run }: { run: string }) => run);
    expect(await ids()).toEqual([]);
    const started = await other('/v1/runs', { json: { workflow: 'ask' } });
    expect(await ids()).toEqual([started.json.run]);
  });

  it('refuses options that cannot be used', () => {
    const wrong = [
      { basePath: 'errand' },
      { basePath: '/errand/' },
      { allowOrigin: ['x'] },
      { publicUrl: 'ftp://x' },
      { allowHost: ['http://x'] },
    ];
    for (const options of wrong)
      expect(() => createErrandServer({ files: [], store: 'memory', env: {}, ...options })).toThrow(
        expect.objectContaining({ kind: 'validation.input' }),
      );
    const slips = [
      { readonly: true },
      { temporal: {} },
      { files: 'orders.yaml' },
      { allowOrigin: [7] },
      { readOnly: 'yes' },
      { authorize: 'ada' },
      { maxRuns: 0 },
      { maxRuns: 1.5 },
    ];
    for (const options of slips) {
      const [option = ''] = Object.keys(options);
      expect(() => createErrandServer(untyped({ store: 'memory', env: {}, ...options }))).toThrow(
        expect.objectContaining({ kind: 'validation.input', details: { option } }),
      );
    }
    const env = { ERRAND_TOKENS: 'ada' };
    expect(() => createErrandServer({ store: 'memory', env })).toThrow(
      expect.objectContaining({ kind: 'validation.input' }),
    );
  });
});

/** Options as a program without types gives them. */
function untyped(options: object): ErrandServerOptions {
  return options;
}

it('that is closed opens no store for a request that comes after', async () => {
  const { server, ask } = embedded(ALL);
  await server.close();
  for (const answer of [
    await ask('/v1/runs', { json: { workflow: 'hello' } }),
    await ask('/v1/runs'),
    await ask('/ready'),
  ])
    expect([answer.status, answer.json.kind]).toEqual([503, 'store.unavailable']);
});

/** Two servers share it, and neither closes it. */
function unclosed(store: ReturnType<typeof openMemoryStore>): typeof store {
  return new Proxy(store, {
    get: (target, name) => {
      if (name === 'close') return () => Promise.resolve();
      const member: unknown = Reflect.get(target, name, target);
      return typeof member === 'function' ? member.bind(target) : member;
    },
  });
}

type Asks = (path: string, body?: object) => Promise<Answer>;

/** A server that only stores runs, and one on the same store that executes them, once it is asked for. */
function frontAndWorker(): { front: Asks; worker: () => Asks } {
  const store = unclosed(openMemoryStore({ now: Date.now }));
  const directory = newFolder(ALL);
  const authorize = () => ({ name: 'a', role: 'run' as const });
  const open = (options: object): Asks => {
    const server = createErrandServer({ directory, env: {}, store, authorize, ...options });
    opened.push(server);
    return async (path, body) => {
      const headers = { 'content-type': 'application/json' };
      const sent =
        body === undefined ? {} : { method: 'POST', headers, body: JSON.stringify(body) };
      return answerOf(await server.fetch(new Request(`http://localhost${path}`, sent)));
    };
  };
  let executing: Asks | undefined;
  return { front: open({ carryOn: false }), worker: () => (executing ??= open({})) };
}
