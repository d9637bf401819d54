/** The document of the API against the server: every documented answer is given, and no other one. */
import { Ajv2020 } from 'ajv/dist/2020.js';
import { symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { ErrandError } from '../../src/errors/thrown/errand-error.ts';
import type { RunStore } from '../../src/machine/ports/store-port.ts';
import { createErrandServer, type ErrandServerOptions } from '../../src/server/errand-server.ts';
import { openMemoryStore } from '../../src/stores/memory.ts';
import { requireSdks } from '../sdk-parity/install.ts';
import { answerOf, newFolder, type Answer, type Json } from './served.ts';
import { ALL, HELLO } from './workflows.ts';

const TOKEN = 'a-token-of-the-environment';
const READER = 'a-token-that-only-reads-x';
const env = { ERRAND_TOKENS: `ada:${TOKEN}:edit,ci:${READER}:read` };

interface Operation {
  readonly operationId: string;
  readonly method: string;
  readonly path: string;
  readonly responses: Record<string, { content?: Record<string, { schema: object }> }>;
  readonly requestBody?: { content: Record<string, unknown> };
  readonly security: readonly object[];
}

const closing: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

class Checked {
  readonly folder = newFolder(ALL);
  readonly seen = new Set<string>();
  readonly wrong: string[] = [];
  operations: readonly Operation[] = [];
  #ajv = new Ajv2020({ strict: false, validateFormats: false });

  async readDocument(): Promise<void> {
    const { json } = await this.ask(this.server({}), 'GET', '/openapi.json');
    this.#ajv.addSchema(json, 'api');
    this.operations = Object.entries(json.paths).flatMap(([path, methods]) =>
      Object.entries(methods as Record<string, Operation>).map(([method, operation]) => ({
        ...operation,
        method: method.toUpperCase(),
        path,
      })),
    );
  }

  server(options: ErrandServerOptions): ReturnType<typeof createErrandServer> {
    const server = createErrandServer({
      directory: this.folder,
      store: 'memory',
      env,
      allowEdit: true,
      ...options,
    });
    closing.push(() => server.close());
    return server;
  }

  async ask(
    server: ReturnType<typeof createErrandServer>,
    method: string,
    path: string,
    {
      body,
      headers = {},
      token = TOKEN,
    }: { body?: string; headers?: Record<string, string>; token?: string } = {},
  ): Promise<Answer> {
    const request = new Request(`http://localhost${path}`, {
      method,
      headers: { ...(token === '' ? {} : { authorization: `Bearer ${token}` }), ...headers },
      ...(body === undefined ? {} : { body }),
    });
    const response = await server.fetch(request, { address: 'here' });
    const isStream = response.headers.get('content-type') === 'text/event-stream';
    // a stream may never end
    if (isStream) await response.body?.cancel();
    const answer = isStream
      ? { status: response.status, headers: response.headers, text: '', json: undefined }
      : await answerOf(response);
    this.#note(method, path.split('?')[0] ?? '', answer);
    return answer;
  }

  json(
    server: ReturnType<typeof createErrandServer>,
    path: string,
    value: unknown,
    more: Record<string, string> = {},
  ): Promise<Answer> {
    return this.ask(server, 'POST', path, {
      body: JSON.stringify(value),
      headers: { 'content-type': 'application/json', ...more },
    });
  }

  #note(method: string, path: string, { status, headers, json, text }: Answer): void {
    const operation = this.operations.find(
      (each) =>
        each.method === method &&
        new RegExp(`^${each.path.replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(path),
    );
    if (operation === undefined) return;
    const what = `${operation.operationId} ${status}`;
    const documented = operation.responses[String(status)] ?? operation.responses['default'];
    if (documented === undefined) {
      this.wrong.push(`${what} is not documented: ${text.slice(0, 200)}`);
      return;
    }
    this.seen.add(
      operation.responses[String(status)] === undefined ? `${operation.operationId} default` : what,
    );
    const [media = ''] = (headers.get('content-type') ?? '').split(';');
    if (text === '') return;
    const content = documented.content?.[media];
    if (content === undefined) this.wrong.push(`${what} has the media type ${media}`);
    else if (media.endsWith('json'))
      this.#validate(what, json, [
        'paths',
        operation.path,
        method.toLowerCase(),
        'responses',
        operation.responses[String(status)] === undefined ? 'default' : String(status),
        'content',
        media,
        'schema',
      ]);
  }

  #validate(what: string, json: Json, place: readonly string[]): void {
    const at = place
      .map((part) => part.replaceAll('~', '~0').replaceAll('/', '~1'))
      .map(encodeURIComponent)
      .join('/');
    const check = this.#ajv.getSchema(`api#/${at}`);
    if (check?.(json) !== true)
      this.wrong.push(`${what}: ${JSON.stringify(check?.errors?.slice(0, 2))}`);
  }
}

/** A store whose every call fails so, once it is open. */
function failing(kind: 'store.unavailable' | 'store.corrupt'): RunStore {
  const store = openMemoryStore({ now: Date.now });
  return new Proxy(store, {
    get: (target, name) => {
      const member: unknown = Reflect.get(target, name, target);
      if (typeof member !== 'function') return member;
      // a damaged run does not keep the others from being listed
      const calls = [
        'get',
        'summary',
        'read',
        'create',
        ...(kind === 'store.corrupt' ? [] : ['list']),
      ];
      if (!calls.includes(String(name))) return member.bind(target);
      const thrown = (): never => {
        throw new ErrandError({ kind, message: 'The store fails' });
      };
      return name === 'read' ? thrown : async () => thrown();
    },
  });
}

const filled = (path: string): string =>
  path.replace('{run}', 'nobody').replace('{name}', 'hello').replace('{kind}', 'run.not_found');

it('gives every documented answer, and none that is not documented', async () => {
  const checked = new Checked();
  await checked.readDocument();
  const { operations } = checked;
  expect(operations.length).toBeGreaterThan(25);

  // what every route refuses
  const limited = checked.server({});
  for (let n = 0; n < 12; n++)
    await checked.ask(limited, 'GET', '/v1/runs', { token: 'wrong-wrong-wrong' });
  const plain = checked.server({});
  for (const { method, path, security, requestBody } of operations) {
    const target = filled(path);
    const media = Object.keys(requestBody?.content ?? {})[0];
    const typed = media === undefined ? {} : { headers: { 'content-type': media }, body: 'x' };
    await checked.ask(plain, method, target, { headers: { host: 'evil.example' } });
    await checked.ask(plain, method, `${target}?unknown=1`);
    if (security.length > 0) {
      await checked.ask(plain, method, target, { token: '' });
      await checked.ask(limited, method, target, { token: 'wrong-wrong-wrong' });
      await checked.ask(plain, method, target, { token: READER, ...typed });
    }
    if (media === undefined) continue;
    await checked.ask(plain, method, target, {
      body: 'x',
      headers: { 'content-type': 'text/html' },
    });
    await checked.ask(plain, method, target, {
      body: 'x'.repeat(1024 * 1024 + 1),
      headers: { 'content-type': media },
    });
  }

  // stores that fail
  for (const kind of ['store.unavailable', 'store.corrupt'] as const)
    for (const store of [
      failing(kind),
      ...(kind === 'store.unavailable'
        ? [`sqlite:${join(checked.folder, 'hello.yaml/x.db')}`]
        : []),
    ]) {
      const server = checked.server({ store, carryOn: false });
      const begun = await checked.ask(server, 'POST', '/session');
      const cookie = begun.headers.get('set-cookie')?.split(';')[0] ?? '';
      for (const { method, path, requestBody } of operations) {
        const media = Object.keys(requestBody?.content ?? {})[0];
        const body = media === 'application/yaml' ? HELLO : JSON.stringify(bodyOf(path));
        const headers = {
          ...(media === undefined ? {} : { 'content-type': media }),
          'if-match': '"x"',
        };
        const sent = media === undefined ? {} : { body };
        await checked.ask(server, method, filled(path), { headers, ...sent });
        // whether a session was ended stands in the store
        const withSession = { ...headers, cookie, origin: 'http://localhost' };
        await checked.ask(server, method, filled(path), {
          token: '',
          headers: withSession,
          ...sent,
        });
      }
    }

  await scenario(checked);
  await slowCancel(checked);
  await mcp(checked);
  expect(checked.wrong).toEqual([]);
  const documented = operations.flatMap(({ operationId, responses }) =>
    Object.keys(responses).map((status) => `${operationId} ${status}`),
  );
  expect(documented.filter((each) => !checked.seen.has(each))).toEqual([]);
});

/** The package that it needs is where the tests have it. */
async function mcp(checked: Checked): Promise<void> {
  requireSdks();
  const directory = newFolder({ 'hello.yaml': HELLO });
  symlinkSync(join(import.meta.dirname, '../sdks/node_modules'), join(directory, 'node_modules'));
  const server = checked.server({ directory });
  const accept = { accept: 'application/json, text/event-stream' };
  const ping = { jsonrpc: '2.0', id: 1, method: 'ping' };
  for (const [message, headers] of [
    [ping, {}],
    [ping, { 'mcp-protocol-version': '2099-01-01' }],
    [{ jsonrpc: '2.0', method: 'notifications/initialized' }, {}],
  ] as const)
    await checked.json(server, '/mcp', message, { ...accept, ...headers });
  await checked.json(server, '/mcp', ping, { accept: 'text/plain' });
}

function bodyOf(path: string): object {
  if (path.endsWith('answers')) return { value: 'yes' };
  if (path === '/v1/runs') return { workflow: 'hello' };
  return path === '/v1/classify' ? { status: 500 } : {};
}

/** What succeeds, and what only one route refuses. */
async function scenario(checked: Checked): Promise<void> {
  const server = checked.server({ maxRuns: 1 });
  const get = (path: string, headers: Record<string, string> = {}) =>
    checked.ask(server, 'GET', path, { headers });
  const post = (path: string, value: unknown, headers: Record<string, string> = {}) =>
    checked.json(server, path, value, headers);
  const wait = { prefer: 'wait=60' };
  const yaml = { 'content-type': 'application/yaml' };
  for (const path of [
    '/health',
    '/ready',
    '/metrics',
    '/openapi.json',
    '/v1/workflows',
    '/v1/gates',
    '/v1/catalog',
    '/v1/catalog/run.not_found',
    '/v1/runs',
  ])
    await get(path);
  await get('/v1/catalog/no.kind');
  await checked.ask(server, 'POST', '/session');
  await checked.ask(server, 'DELETE', '/session');
  await post('/v1/classify', { status: 429 });
  await post('/v1/classify', {});

  const workflow = await get('/v1/workflows/hello');
  const etag = workflow.headers.get('etag') ?? '';
  await get('/v1/workflows/hello', { 'if-none-match': etag });
  await get('/v1/workflows/nobody');
  await get('/v1/workflows/hello/plan');
  await get('/v1/workflows/nobody/plan');
  await checked.ask(server, 'POST', '/v1/workflows/hello/validate', { body: HELLO, headers: yaml });
  await checked.ask(server, 'POST', '/v1/workflows/nobody/validate', {
    body: HELLO,
    headers: yaml,
  });
  const put = (name: string, body: string, match: string) =>
    checked.ask(server, 'PUT', `/v1/workflows/${name}`, {
      body,
      headers: { ...yaml, 'if-match': match },
    });
  await put('nobody', HELLO, etag);
  await put('hello', HELLO, '"x"');
  await put('hello', 'x', etag);
  await put('hello', HELLO, etag);

  const done = (await post('/v1/runs', { workflow: 'hello' }, wait)).json.run;
  await post('/v1/runs', { workflow: 'hello' }, { 'idempotency-key': 'k', ...wait });
  await post('/v1/runs', { workflow: 'hello' }, { 'idempotency-key': 'k' });
  await post('/v1/runs', { workflow: 'nobody' });
  const failed = (await post('/v1/runs', { workflow: 'fails' }, wait)).json.run;
  const asked = (await post('/v1/runs', { workflow: 'ask' }, wait)).json.run;
  const cut = (await post('/v1/runs', { workflow: 'cut' }, wait)).json.run;
  const broken = await get(`/v1/runs/${cut}/result`);
  expect([broken.status, broken.json.kind]).toEqual([502, 'provider.stream_interrupted']);
  const tag = (await get(`/v1/runs/${done}`)).headers.get('etag') ?? '';
  await get(`/v1/runs/${done}`, { 'if-none-match': tag });
  await get(`/v1/runs/${done}/steps?limit=1`);
  for (const part of ['moves', 'view']) {
    const own = (await get(`/v1/runs/${done}/${part}`)).headers.get('etag') ?? '';
    await get(`/v1/runs/${done}/${part}`, { 'if-none-match': own });
  }
  for (const run of [done, failed, asked, 'nobody'])
    for (const part of [
      '',
      '/result',
      '/value',
      '/costs',
      '/audit',
      '/explain',
      '/drift',
      '/record',
      '/events',
    ])
      await get(`/v1/runs/${run}${part}`);
  await get(`/v1/runs/${done}/value?path=nobody`);
  await get(`/v1/runs/${done}/events`, { accept: 'text/event-stream' });
  await get(`/v1/runs/${done}/events`, { accept: 'application/jsonl' });
  await get(`/v1/runs/${done}/events?after=99`, { accept: 'text/event-stream' });
  for (const verb of ['resume', 'answers', 'cancel'])
    await post(`/v1/runs/nobody/${verb}`, bodyOf(verb));
  await post(`/v1/runs/${done}/resume`, {});
  await post(`/v1/runs/${done}/cancel`, {});
  await post(`/v1/runs/${failed}/resume`, {}, wait);
  await post(`/v1/runs/${asked}/answers`, { value: 'maybe' });
  await post(`/v1/runs/${asked}/answers`, { value: 'yes' });
  await post(`/v1/runs/${asked}/answers`, { value: 'yes' });
  const slow = (await post('/v1/runs', { workflow: 'slow', input: { seconds: '100' } })).json.run;
  await post('/v1/runs', { workflow: 'hello' });
  await post(`/v1/runs/${failed}/resume`, {});
  const cancelled = (await post(`/v1/runs/${slow}/cancel`, {})).json;
  expect(cancelled.status).toBe('cancelled');
  await get(`/v1/runs/${slow}/result`);
  const late = (await post('/v1/runs', { workflow: 'ask' }, wait)).json.run;

  // a run of a workflow that is not served, and one that runs for longer than a request
  writeFileSync(
    join(checked.folder, 'ask.yaml'),
    ALL['ask.yaml']?.replace('name: ask', 'name: other') ?? '',
  );
  await expect.poll(async () => (await get('/v1/workflows/ask')).status).toBe(404);
  await get(`/v1/runs/${late}/drift`);
  for (const run of [done, late])
    await checked.ask(server, 'POST', `/v1/runs/${run}/drift`, {
      body: HELLO,
      headers: { 'content-type': 'application/yaml' },
    });
  await post(`/v1/runs/${late}/answers`, { value: 'yes' });
  const waits = (await post('/v1/runs', { workflow: 'backs_off' })).json.run;
  await post(`/v1/runs/${waits}/cancel`, {});
  const again = (await post('/v1/runs', { workflow: 'slow' }, wait)).json.run;
  await post(`/v1/runs/${again}/resume`, { from: 'wait' });
  await get('/v1/events');
}

/** A cancellation that its store has not taken yet. */
async function slowCancel(checked: Checked): Promise<void> {
  const store = openMemoryStore({ now: Date.now });
  const taken = Promise.withResolvers<void>();
  const slow = new Proxy(store, {
    get: (target, name) => {
      const member: unknown = Reflect.get(target, name, target);
      if (typeof member !== 'function') return member;
      if (name !== 'append') return member.bind(target);
      return async (...args: unknown[]) => {
        await taken.promise;
        return Reflect.apply(member, target, args) as unknown;
      };
    },
  });
  const server = checked.server({ store: slow });
  const { run } = (
    await checked.json(server, '/v1/runs', { workflow: 'slow', input: { seconds: '100' } })
  ).json;
  const accepted = await checked.json(server, `/v1/runs/${run}/cancel`, {});
  expect([accepted.status, accepted.headers.get('retry-after')]).toEqual([202, '1']);
  taken.resolve();
  await expect
    .poll(async () => (await checked.ask(server, 'GET', `/v1/runs/${run}`)).json.status)
    .toBe('cancelled');
}
