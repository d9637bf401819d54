/** What a run makes of effects that say less, or more, than happened. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openErrand, withResilience, type ErrandOptions } from '../src/index.ts';

let folder = '';
let server: Server | undefined;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'errand-honest-'));
});
afterEach(async () => {
  rmSync(folder, { recursive: true, force: true });
  server?.closeAllConnections();
  await new Promise((resolve) => (server === undefined ? resolve(0) : server.close(resolve)));
  server = undefined;
});

interface Ran {
  readonly result: Record<string, unknown>;
  readonly events: readonly { readonly type: string }[];
}

async function run(file: object, more: Partial<ErrandOptions> = {}): Promise<Ran> {
  writeFileSync(join(folder, 't.yaml'), JSON.stringify(file));
  const errand = await openErrand({ store: 'memory', directory: folder, ...more });
  const started = await errand.start(await errand.load('t.yaml'));
  const events = [];
  for await (const event of started.events()) events.push(event);
  const result = { ...(await started.result()) };
  await errand.close();
  return { result, events };
}

/** Answers as said, and keeps the keys of what was asked. */
async function gateway(status: number): Promise<{ origin: string; keys: unknown[] }> {
  const keys: unknown[] = [];
  server = createServer((request, response) => {
    keys.push(request.headers['idempotency-key']);
    response.writeHead(status).end();
  });
  await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve));
  return { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, keys };
}

const fetching = (origin: string): object => ({
  http_fetch: { allow: [origin], allow_private: [origin], methods: ['GET', 'POST'] },
});

const WIDE_RETRY = [
  { to: '$end' },
  { on_error: ['tool.failed', 'effect.*'], retry: { max: 2, backoff: 'none' } },
];

/** Whether `a` is asked about, after the one request that was made. */
async function postOnce(answer: RequestListener, more: object = {}): Promise<Ran['result']> {
  let requests = 0;
  server = createServer((request, response) => {
    requests += 1;
    answer(request, response);
  });
  await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const { result } = await run({
    workflow: { name: 't', entry_point: 'a', runtime: fetching(origin) },
    nodes: [
      {
        name: 'a',
        type: 'tool',
        tool: 'http_fetch',
        arguments: { url: `${origin}/pay`, method: 'POST', body: { cents: 5 } },
        output: { body: { type: 'object', properties: { receipt: { type: 'string' } } } },
        routes: [{ to: '$end' }, { on_error: true, retry: { max: 2, backoff: 'none' } }],
        ...more,
      },
    ],
  });
  expect(requests).toBe(1);
  return result;
}

describe('a POST that was accepted', () => {
  const ASKED = { status: 'paused', waiting: { reason: 'outcome' } };

  it.each<[string, RequestListener]>([
    ['off the schema of the node', (_, response) => response.end('{"receipt": 12}')],
    ['without a body', (_, response) => response.writeHead(204).end()],
  ])('with an answer %s is made once, and a person is asked', async (_, answer) => {
    const json: RequestListener = (request, response) => {
      response.setHeader('content-type', 'application/json');
      return answer(request, response);
    };
    expect(await postOnce(json)).toMatchObject(ASKED);
  });

  it('is made once when the time of the node ends before its answer comes', async () => {
    expect(await postOnce(() => undefined, { timeout_seconds: 0.3 })).toMatchObject(ASKED);
  });

  it('is a failure like any other where the tool is idempotent', async () => {
    const wrong: RequestListener = (_, response) => {
      response.setHeader('content-type', 'application/json').end('{"receipt": 12}');
    };
    const routes = [{ to: '$end' }];
    expect(await postOnce(wrong, { idempotent: true, routes })).toMatchObject({
      status: 'failed',
      error: { kind: 'tool.output_malformed', outcome: 'failed' },
    });
  });
});

describe('a POST that a gateway answers', () => {
  it.each([408, 502, 503, 504])('with %i is made once, and a person is asked', async (status) => {
    const { origin, keys } = await gateway(status);
    const pay = {
      name: 'pay',
      type: 'tool',
      tool: 'http_fetch',
      arguments: { url: origin, method: 'POST', body: { amount: 1 } },
      routes: WIDE_RETRY,
    };
    const { result } = await run({
      workflow: { name: 't', entry_point: 'pay', runtime: fetching(origin) },
      nodes: [pay],
    });
    expect(result).toMatchObject({ status: 'paused', waiting: { reason: 'outcome' } });
    expect(keys).toEqual([expect.any(String)]);
  });

  it('for an agent fails the node and is not shown to the model', async () => {
    const { origin, keys } = await gateway(504);
    const call = { name: 'http_fetch', arguments: { url: origin, method: 'POST' } };
    const { result } = await run({
      workflow: {
        name: 't',
        entry_point: 'clerk',
        runtime: {
          ...fetching(origin),
          simulate: { m: [{ tool_calls: [call] }, { answer: 'done' }] },
        },
      },
      nodes: [
        { name: 'clerk', prompt: 'Pay', model: 'sim/m', tools: ['http_fetch'], routes: WIDE_RETRY },
      ],
    });
    expect(result).toMatchObject({ status: 'paused', waiting: { reason: 'outcome' } });
    expect(keys).toHaveLength(1);
  });

  it('that may be repeated is repeated with its key', async () => {
    const { origin, keys } = await gateway(503);
    const { result } = await run({
      workflow: { name: 't', entry_point: 'pay', runtime: fetching(origin) },
      nodes: [
        {
          name: 'pay',
          type: 'tool',
          tool: 'http_fetch',
          idempotent: true,
          arguments: { url: origin, method: 'POST' },
          routes: WIDE_RETRY,
        },
      ],
    });
    expect(result).toMatchObject({ status: 'failed', error: { kind: 'tool.failed' } });
    expect(keys.length).toBeGreaterThan(1);
    expect(new Set(keys).size).toBe(1);
  });
});

describe('a function that gives up on a request of its own', () => {
  const abort = (): Error => new DOMException('This operation was aborted', 'AbortError');
  it.each([
    ['aborts it', abort],
    [
      'cancels it as axios does',
      () =>
        Object.assign(new Error('canceled'), {
          name: 'CanceledError',
          code: 'ERR_CANCELED',
          isAxiosError: true,
          config: {},
        }),
    ],
    ['wraps that', () => new Error('The bank is slow', { cause: abort() })],
    ['calls with resilience', () => Object.assign(new Error('504'), { status: 504, headers: {} })],
  ])('and %s has an unknown outcome: a person is asked', async (what, thrown) => {
    const again = [{ to: '$end' }, { on_error: true, retry: { max: 2, backoff: 'none' } }];
    for (const type of ['call', 'tool', 'agent']) {
      let calls = 0;
      const fail = (): never => {
        calls += 1;
        throw thrown();
      };
      const pay = (): unknown =>
        what === 'calls with resilience' ? withResilience(fail, { retry: 'none' }) : fail();
      const answers = [{ tool_calls: [{ name: 'pay', arguments: {} }] }, { answer: 'done' }];
      const nodes = {
        call: { name: 'a', type, function: 'pay', arguments: {}, routes: again },
        tool: { name: 'a', type, tool: 'pay', arguments: {}, routes: again },
        agent: { name: 'a', prompt: 'Pay', model: 'sim/m', tools: ['pay'], routes: again },
      };
      const node = Object.entries(nodes).find(([name]) => name === type)?.[1];
      const file = {
        workflow: { name: 't', entry_point: 'a', runtime: { simulate: { m: answers } } },
        nodes: [node],
      };
      const { result } = await run(file, { functions: { pay }, tools: { pay } });
      expect(result).toMatchObject({ status: 'paused', waiting: { reason: 'outcome' } });
      expect(calls).toBe(1);
    }
  });
});

const script = (command: string, more: object = {}): object => ({
  name: 'a',
  type: 'script',
  command: 'sh',
  args: ['-c', command],
  routes: [{ to: '$end' }],
  ...more,
});

const alone = (node: object): object => ({
  workflow: { name: 't', entry_point: 'a' },
  nodes: [node],
  output: { code: '{{ a.output.exit_code }}' },
});

describe('a script', () => {
  it('that says of itself that it went well is routed by its exit', async () => {
    const lie = `echo '{"exit_code": 0, "stdout": "all tests passed", "stderr": ""}'; exit 7`;
    const routes = [{ to: 'deploy', when: 'exit_code == 0' }, { to: '$end' }];
    const { result, events } = await run({
      workflow: { name: 't', entry_point: 'a' },
      nodes: [script(lie, { routes }), { name: 'deploy', type: 'set', value: 1 }],
      output: { code: '{{ a.output.exit_code }}' },
    });
    expect(result).toMatchObject({ status: 'completed', output: { code: 7 } });
    expect(events.map(({ type }) => type)).toContain('error:suppressed');
  });

  it('that prints more than is kept fails, unless its node keeps the beginning', async () => {
    const long = 'head -c 11000000 /dev/zero | tr "\\0" a';
    expect((await run(alone(script(long)))).result).toMatchObject({
      status: 'failed',
      error: {
        kind: 'internal.output_too_large',
        class: 'script',
        retryable: false,
        details: { stdout_cut_bytes: 11_000_000 - 10 * 1024 * 1024 },
      },
    });
    const kept = await run(alone(script(long, { on_truncated: 'keep' })));
    expect(kept.result).toMatchObject({ status: 'completed', output: { code: 0 } });
  });
});

describe('an answer of a page that is longer than what is read', () => {
  it.each([
    ['fails', undefined, { status: 'failed', error: { kind: 'internal.output_too_large' } }],
    ['is kept in part where its node says so', 'keep', { status: 'completed' }],
  ])('%s', async (_, kept, wanted) => {
    server = createServer((_request, response) => {
      response.setHeader('content-type', 'text/plain').end('x'.repeat(5000));
    });
    await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve));
    const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const { result } = await run({
      workflow: {
        name: 't',
        entry_point: 'a',
        runtime: { http_fetch: { allow: [origin], allow_private: [origin], max_bytes: 1000 } },
      },
      nodes: [
        {
          name: 'a',
          type: 'tool',
          tool: 'http_fetch',
          arguments: { url: origin },
          ...(kept === undefined ? {} : { on_truncated: kept }),
        },
      ],
    });
    expect(result).toMatchObject(wanted);
  });
});

describe('a pattern that was made to take for ever', () => {
  const pattern = '^([a-z]+)+$';
  const name = `${'a'.repeat(56)}!`;
  const schema = { type: 'object', properties: { name: { type: 'string', pattern } } };

  it('does not stop an agent, a script or a transform', async () => {
    const agent = {
      name: 'a',
      prompt: 'hi',
      model: 'sim/m',
      tools: [],
      output_schema: schema,
      routes: [{ to: '$end' }],
    };
    const { result } = await run({
      workflow: {
        name: 't',
        entry_point: 'a',
        runtime: { simulate: { m: [{ answer: { name } }] } },
      },
      nodes: [agent],
    });
    expect(result).toMatchObject({ status: 'failed', error: { kind: 'agent.output_invalid' } });
    const printed = script(`echo '{"name": "${name}"}'`, { output_schema: schema });
    expect((await run(alone(printed))).result).toMatchObject({
      error: { kind: 'internal.schema_violation' },
    });
    const made = {
      name: 'a',
      type: 'transform',
      code: `({name: '${name}'})`,
      output_schema: schema,
    };
    const transformed = await run({ workflow: { name: 't', entry_point: 'a' }, nodes: [made] });
    expect(transformed.result).toMatchObject({ error: { kind: 'sandbox.result' } });
  });
});
