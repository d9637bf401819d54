/** Requests of people who mean harm, and of programs that are broken. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import { RUNTIME_KINDS } from '../../src/errors/catalog/catalog.ts';
import { seeded } from '../../src/workflow/yaml/mutate.cases.ts';
import { IS_SOAK, runs } from '../runs.ts';
import { asked, liveMemoryOf } from './live-memory.ts';
import { newFolder, serve, type Served } from './served.ts';
import { follow } from './sse.ts';
import { ALL, HELLO } from './workflows.ts';
import { PLANTED, TELLING } from '../mcp-server/workflows.ts';

const REQUESTS = IS_SOAK ? 10_000 : runs(600);
/** One after another, on a machine that may have other work. */
const LONG = IS_SOAK ? { timeout: 3_600_000 } : {};

describe('mutated requests', () => {
  it(
    'get no answer above 499, and every refusal is a problem document with a kind',
    LONG,
    async () => {
      const folder = newFolder(ALL);
      const served = await serve({ folder, env: asked(folder), args: ['--max-runs', '20'] });
      const { run } = await served.run('ask');
      const random = seeded(20261117);
      const before = await memoryOf(served);
      for (let n = 0; n < REQUESTS; n++) {
        const { path, method, headers, body } = mutated(random, run);
        const left = new AbortController();
        let answer: Response;
        try {
          answer = await served.fetch(path, {
            method,
            headers,
            signal: left.signal,
            ...(body === undefined || method === 'GET' || method === 'HEAD' ? {} : { body }),
          });
        } catch (error) {
          // a header that no HTTP client sends
          if (error instanceof TypeError) continue;
          throw error;
        }
        const what = `${method} ${path} ${JSON.stringify(headers)} ${body ?? ''}`;
        expect([what, answer.status < 500]).toEqual([what, true]);
        const isStream = answer.headers.get('content-type') === 'text/event-stream';
        if (answer.status >= 400 && method !== 'HEAD') {
          expect([what, answer.headers.get('content-type')]).toEqual([
            what,
            'application/problem+json',
          ]);
          const { kind } = (await answer.json()) as { kind: string };
          expect([what, RUNTIME_KINDS.some((known) => known === kind)]).toEqual([what, true]);
        } else if (isStream) left.abort();
        else await answer.arrayBuffer();
      }
      expect((await served.ask('/health')).status).toBe(200);
      // what it keeps does not grow with what it is asked
      expect((await memoryOf(served)) - before).toBeLessThan(64);
    },
  );

  it('that are no HTTP at all, or name no host, are refused, and nothing breaks', async () => {
    const served = await serve({ files: ALL });
    for (const text of [
      '\0\0\0\0\r\n\r\n',
      'GET\r\n\r\n',
      'GET / HTTP/9.9\r\n\r\n',
      'GET / HTTP/1.1\r\nConnection: close\r\n\r\n',
      `GET / HTTP/1.1\r\nHost: x\r\nA: ${'a'.repeat(100_000)}\r\n\r\n`,
      'POST /v1/runs HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: -1\r\n\r\n',
      'POST /v1/runs HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n',
    ])
      expect(await spoken(served, text)).toMatch(
        /^HTTP\/1\.1 4\d\d .*\r\n[^]*application\/problem\+json/,
      );
    expect((await served.ask('/health')).status).toBe(200);
  });

  it('cannot lead to files, modules or commands', async () => {
    const served = await serve({ files: { ...ALL, 'secret.txt': 'top-secret-text' } });
    for (const name of [
      '../hello',
      '..%2Fhello',
      '%2e%2e%2fsecret.txt',
      'secret.txt',
      '/etc/passwd',
      '%2Fetc%2Fpasswd',
      'hello.yaml%00',
      '....//hello',
      '__proto__',
      'constructor',
    ])
      for (const path of [
        `/v1/workflows/${name}`,
        `/v1/runs/${name}`,
        `/v1/runs/${name}/events`,
        `/v1/catalog/${name}`,
        `/${name}`,
        `/assets/${name}`,
      ]) {
        const answer = await served.ask(path);
        expect([path, answer.status]).toEqual([path, 404]);
        expect(answer.text).not.toContain('top-secret-text');
      }
    for (const workflow of [
      '../hello',
      './hello.yaml',
      '/etc/passwd',
      '__proto__',
      'file:///etc/passwd',
    ])
      expect((await served.ask('/v1/runs', { json: { workflow } })).status).toBe(404);
  });
});

describe('a client that holds on', () => {
  it('by the thousand and idle, keeps nobody else out', async () => {
    const served = await serve({ files: ALL });
    const sockets = await Promise.all(Array.from({ length: 1000 }, () => opened(served)));
    expect((await served.ask('/health')).status).toBe(200);
    expect((await served.run('hello')).status).toBe('completed');
    for (const socket of sockets) socket.destroy();
  });

  it('and reads nothing costs little, and holds nobody up', async () => {
    const folder = newFolder({ ...ALL, 'many.yaml': MANY });
    const served = await serve({ folder, env: asked(folder) });
    const { run } = await served.run('many');
    // what reading takes at all is not what standing still costs
    for (let n = 0; n < 20; n++)
      await served.ask(`/v1/runs/${run}/events`, { headers: { accept: 'text/event-stream' } });
    const before = await memoryOf(served);
    const sockets = await Promise.all(Array.from({ length: 256 }, () => opened(served)));
    const begun = sockets.map((socket) => once(socket, 'readable'));
    for (const socket of sockets)
      socket.write(
        `GET /v1/runs/${run}/events HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${served.token}\r\nAccept: text/event-stream\r\n\r\n`,
      );
    await Promise.all(begun);
    const paused = await served.run('ask');
    const reading = await follow(served, `/v1/runs/${paused.run}/events`);
    expect((await reading.events.next()).value).toMatchObject({ id: 1 });
    reading.close();
    expect((await memoryOf(served)) - before).toBeLessThan(64);
    for (const socket of sockets) socket.destroy();
  });

  it('and writes slowly is cut off', async () => {
    const served = await serve({ files: ALL });
    const socket = await opened(served);
    socket.write('POST /v1/runs HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: ');
    const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
    socket.resume();
    await closed;
    expect((await served.ask('/health')).status).toBe(200);
  });
});

describe('planted secrets', () => {
  it('are in no answer, no stream and no line of the log', async () => {
    const secrets = [
      'sk-ant-planted-0123456789abcdef',
      'planted-token-0123456789',
      'planted-in-the-file-0123456789',
    ];
    const [key = '', token = '', written = ''] = secrets;
    const leaky = `
workflow:
  name: leaky
  entry_point: say
  runtime:
    provider: {name: openai, api_key: ${written}}
nodes:
  - name: say
    type: script
    command: bash
    env: {KEY: "\${PLANTED_KEY}"}
    args: ["-c", "echo $KEY >&2; echo $KEY; exit 1"]
`;
    const served = await serve({
      files: { ...ALL, 'leaky.yaml': leaky },
      env: { PLANTED_KEY: key, ANTHROPIC_API_KEY: key, ERRAND_TOKEN: token },
    });
    const ask = (path: string, more: object = {}) => served.ask(path, { token, ...more });
    const { json, text } = await ask('/v1/runs', {
      json: { workflow: 'leaky' },
      headers: { prefer: 'wait=60' },
    });
    const { run } = json;
    const texts = [text];
    for (const path of [
      '',
      '/result',
      '/events',
      '/costs',
      '/audit',
      '/explain',
      '/view',
      '/moves',
      '/steps',
      '/value?path=say&of=error',
    ])
      texts.push((await ask(`/v1/runs/${run}${path}`)).text);
    texts.push(
      (await ask(`/v1/runs/${run}/events`, { headers: { accept: 'text/event-stream' } })).text,
    );
    for (const path of [
      '/v1/workflows',
      '/v1/workflows/leaky',
      '/v1/runs',
      '/v1/gates',
      '/metrics',
      '/openapi.json',
    ])
      texts.push((await ask(path)).text);
    texts.push((await ask(`/v1/runs?workflow=${token}&limit=${token}`)).text);
    texts.push(
      (await ask('/v1/runs', { json: { workflow: 'hello', input: { [key]: token } } })).text,
    );
    texts.push(
      (
        await ask('/v1/workflows/leaky/validate', {
          body: `${leaky}\nx: ${key}`,
          headers: { 'content-type': 'application/yaml' },
        })
      ).text,
    );
    texts.push((await ask('/v1/runs', { token: `${token}wrong` })).text, served.stderr);
    for (const secret of secrets) expect(texts.filter((each) => each.includes(secret))).toEqual([]);
    expect(json.status).toBe('failed');
  });
});

describe('a secret that only the file of a workflow names', () => {
  const SECRET = 'Zk7Qp2Xw9LmR4tVb8NcY';
  /** Every text of a file that an answer shows. */
  const TOLD = `
workflow:
  name: told
  description: "uses \${DB_PASSWORD}"
  entry_point: ask
  metadata: {note: "\${DB_PASSWORD}"}
  input:
    x: {type: string, default: "\${DB_PASSWORD}", description: "not \${DB_PASSWORD}", enum: ["\${DB_PASSWORD}", other]}
    many: {type: array, required: false, items: {type: string, pattern: "\${DB_PASSWORD}"}}
  schedule: [{cron: "0 6 1 1 *", input: {x: "\${DB_PASSWORD}"}}]
  on_error: [{on_error: true, when: "error.message == '\${DB_PASSWORD}'", halt: {message: "\${DB_PASSWORD}"}}]
nodes:
  - name: ask
    type: human_gate
    prompt: "Is it \${DB_PASSWORD}?"
    options: [{label: "\${DB_PASSWORD}", value: "yes \${DB_PASSWORD}"}, {label: no, value: no}]
    routes: [{to: say, when: "output.selected == 'yes \${DB_PASSWORD}'"}, {to: $end}]
  - {name: say, type: set, description: "says \${DB_PASSWORD}", value: "\${DB_PASSWORD}"}
output: {said: "{{ say.output | default('\${DB_PASSWORD}') }}"}
`;

  it('is in no answer', async () => {
    const served = await serve({ files: { 'told.yaml': TOLD }, env: { DB_PASSWORD: SECRET } });
    const texts: string[] = [];
    const ask = async (path: string, more: object = {}): Promise<number> => {
      const { status, text, headers } = await served.ask(path, more);
      texts.push(JSON.stringify([...headers]), text);
      return status;
    };
    const yaml = { 'content-type': 'application/yaml' };
    const { run } = await served.run('told');
    const paths = [
      '',
      '/events',
      '/record',
      '/drift',
      '/explain',
      '/value?of=input',
      '/result',
      '/view',
      '/moves',
      '/steps',
    ];
    expect(await ask('/v1/workflows')).toBe(200);
    expect(await ask('/v1/workflows/told')).toBe(200);
    expect(await ask('/v1/workflows/told/plan')).toBe(200);
    expect(await ask('/v1/workflows/told/validate', { method: 'POST' })).toBe(200);
    expect(await ask('/v1/workflows/told/validate', { body: TOLD, headers: yaml })).toBe(200);
    expect(await ask('/v1/gates')).toBe(200);
    for (const x of ['guess', 7, { deep: 'guess' }])
      expect(await ask('/v1/runs', { json: { workflow: 'told', input: { x } } })).toBe(422);
    const many = ['guess'];
    expect(await ask('/v1/runs', { json: { workflow: 'told', input: { many } } })).toBe(422);
    expect(await ask(`/v1/runs/${run}/answers`, { json: { value: 'guess' } })).toBe(422);
    expect(await ask(`/v1/runs/${run}/resume`, { json: { input: { x: 'guess' } } })).toBe(422);
    for (const path of paths) await ask(`/v1/runs/${run}${path}`);
    for (const path of ['/v1/runs', '/metrics', '/openapi.json']) await ask(path);
    expect(texts.filter((text) => text.includes(SECRET))).toEqual([]);
    expect(served.stderr).not.toContain(SECRET);
  });
});

it('what a module prints and throws reaches the log of the server without the secrets of its workflow', async () => {
  const served = await serve({ files: TELLING, env: { PLANTED_VALUE: PLANTED } });
  const headers = { prefer: 'wait=30' };
  const answer = await served.ask('/v1/runs', { json: { workflow: 'tell' }, headers });
  expect(answer.json).toMatchObject({ status: 'completed', output: 'told' });
  expect(served.stderr).toContain('told on stdout: [redacted]');
  expect(served.stderr).toContain('told as a warning: [redacted]');
  // the server ends with what nothing waits for, so this request may not be answered
  await served.ask('/v1/runs', { json: { workflow: 'stray' }, headers }).catch(() => undefined);
  expect(await served.ended).not.toBe(0);
  expect(served.stdout + served.stderr).toContain('told by a stray failure: [redacted]');
  expect(served.stdout + served.stderr).not.toContain(PLANTED);
});

/** A log of some megabytes, in values that are sent whole. */
const MANY = `
workflow: {name: many, entry_point: make}
nodes:
  - {name: make, type: transform, code: "Array.from({length: 300}, (_, n) => n)", routes: [{to: all}]}
for_each:
  - name: all
    source: make.output
    as: n
    agent: {name: one, type: transform, code: "'x'.repeat(10000)"}
`;

const PATHS = [
  '/health',
  '/ready',
  '/metrics',
  '/openapi.json',
  '/',
  '/session',
  '/v1/workflows',
  '/v1/workflows/hello',
  '/v1/workflows/hello/validate',
  '/v1/runs',
  '/v1/runs/RUN',
  '/v1/runs/RUN/result',
  '/v1/runs/RUN/events',
  '/v1/runs/RUN/value',
  '/v1/runs/RUN/costs',
  '/v1/runs/RUN/audit',
  '/v1/runs/RUN/explain',
  '/v1/runs/RUN/view',
  '/v1/runs/RUN/moves',
  '/v1/runs/RUN/steps',
  '/v1/runs/RUN/drift',
  '/v1/runs/RUN/resume',
  '/v1/runs/RUN/answers',
  '/v1/gates',
  '/v1/catalog',
  '/v1/catalog/run.not_found',
  '/v1/classify',
  '/mcp',
];
const METHODS = ['GET', 'POST', 'PUT', 'DELETE', 'PATCH', 'HEAD', 'OPTIONS'];
const QUERIES = [
  'limit',
  'cursor',
  'after',
  'type',
  'status',
  'attention',
  'kind',
  'since',
  'workflow',
  'path',
  'of',
  'at',
  'x',
];
const VALUES = [
  '',
  '0',
  '1',
  '-1',
  '1e9',
  '99999999999999999999',
  'NaN',
  'true',
  'null',
  '%00',
  '%ff',
  'a,b,,c',
  'run:started',
  'failed',
  '2020-01-01',
  '../../x',
  '{{ x }}',
  '💥',
  '%F0%9F%92%A5',
  'x'.repeat(3000),
  '*',
  'provider.*',
  '[object Object]',
  '__proto__',
];
const HEADERS: readonly (readonly [string, readonly string[]])[] = [
  [
    'content-type',
    [
      'application/json',
      'application/yaml',
      'text/yaml',
      'text/plain',
      'application/json; charset=utf-16',
      '',
      ';;',
      'multipart/form-data',
    ],
  ],
  [
    'accept',
    ['text/event-stream', 'application/jsonl', '*/*', 'x', 'text/event-stream;q=x', ',,,'],
  ],
  ['prefer', ['wait=0', 'wait=-1', 'wait=x', 'wait', 'respond-async, wait=0']],
  ['idempotency-key', ['k', '"k"', '"', '', 'x'.repeat(300), '"\\"']],
  ['if-match', ['*', '"x"', 'x', '']],
  ['if-none-match', ['*', '"x"', 'W/"x"', ',']],
  ['last-event-id', ['1', '-1', 'x', '1e3', '']],
  ['range', ['bytes=0-1', 'x']],
  ['traceparent', ['x', '00-0-0-0']],
  ['cookie', ['errand_session=x', 'a=b; =; ;', 'x'.repeat(2000)]],
  ['origin', ['null', 'x', 'http://127.0.0.1']],
  ['authorization', ['Bearer', 'Basic x', 'x']],
  ['expect', ['100-continue']],
  ['content-encoding', ['gzip']],
];
const BODIES = [
  '',
  '{}',
  '[]',
  'null',
  '"x"',
  '1',
  '{',
  '{"workflow":"hello"}',
  '{"workflow":"hello","input":[]}',
  '{"workflow":"hello","input":{"who":{"a":1}}}',
  '{"workflow":1}',
  '{"workflow":"ask","answers":{"question":"maybe"}}',
  '{"value":"maybe"}',
  '{"gate":"x","value":{}}',
  '{"value":null}',
  '{"from":"x"}',
  '{"now":"x"}',
  '{"input":{"x":1e400}}',
  '{"__proto__":{"x":1}}',
  '{"constructor":{"prototype":{}}}',
  `${'['.repeat(5000)}${']'.repeat(5000)}`,
  `{"a":${'{"a":'.repeat(3000)}1${'}'.repeat(3001)}`,
  '{"status":1e999}',
  '{"status":"x","headers":[],"body":{"error":{"code":{}}}}',
  '[[],{},1,null]',
  '{"a":"\\ud800"}',
  '\ufeff{}',
  HELLO,
  'workflow: &a [*a]',
  'a: !file /etc/passwd',
  '\u0000',
  'x'.repeat(100_000),
];

interface Mutated {
  readonly path: string;
  readonly method: string;
  readonly headers: Record<string, string>;
  readonly body: string | undefined;
}

function mutated(random: () => number, run: string): Mutated {
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;
  let path = pick(PATHS).replace(
    'RUN',
    random() < 0.8 ? run : pick(VALUES).replaceAll(/[^\w%.,*-]/g, ''),
  );
  if (random() < 0.15) path += pick(['/', '/x', '//', '/%2e%2e', '%', '%zz', ';x', '/.', '?', '#']);
  const queries = Array.from(
    { length: Math.floor(random() * 3) },
    () => `${pick(QUERIES)}=${encodedLoosely(pick(VALUES))}`,
  );
  if (queries.length > 0) path += `?${queries.join('&')}`;
  const headers: Record<string, string> = {};
  for (let n = Math.floor(random() * 4); n > 0; n--) {
    const [name, values] = pick(HEADERS);
    if (name === 'authorization' && random() < 0.9) continue;
    headers[name] = pick(values);
  }
  if (random() < 0.6) headers['content-type'] = 'application/json';
  // a wait of a minute would be right, and long
  if (/wait=/.test(headers['prefer'] ?? '') && random() < 0.5) delete headers['prefer'];
  return { path, method: pick(METHODS), headers, body: random() < 0.7 ? pick(BODIES) : undefined };
}

function encodedLoosely(value: string): string {
  return value.includes('%') ? value : encodeURIComponent(value);
}

/** Live memory of the server in megabytes. */
function memoryOf({ child, folder }: Served): Promise<number> {
  return liveMemoryOf(child.pid ?? 0, folder);
}

function opened(served: Served): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect(served.port, '127.0.0.1', () => resolve(socket));
    socket.on('error', reject);
  });
}

/** What the server says to these bytes, to the end of the connection. */
async function spoken(served: Served, text: string): Promise<string> {
  const socket = await opened(served);
  let said = '';
  socket.setEncoding('utf8').on('data', (part: string) => (said += part));
  socket.write(text);
  await new Promise<void>((resolve) => socket.once('close', () => resolve()));
  return said;
}
