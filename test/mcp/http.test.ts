/** Tools of real servers behind an address of this machine, in each manner of the protocol. */
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { reportOf } from '../../src/effects/effect-port.cases.ts';
import { host, http, onceIt, until } from './harness.ts';
import { MOVED, serve, type TestServer } from './http-server.ts';
import { sane } from './rubbish.ts';

const ok = (output: unknown): object => ({ ok: true, output });
const running: TestServer[] = [];

type Message = Parameters<typeof sane>[0];
const FINE = { content: [{ type: 'text', text: 'fine' }] };

async function started(...given: Parameters<typeof serve>): Promise<TestServer> {
  const server = await serve(...given);
  running.push(server);
  return server;
}

afterEach(async () => {
  await Promise.all(running.splice(0).map((server) => server.close()));
});

describe.each(['stateless', 'sessions', 'sse'] as const)(
  'a server with the manner %s',
  (manner) => {
    const type = manner === 'sse' ? 'sse' : 'http';

    it('is called with its headers filled in', async () => {
      const { url, authorizations, did } = await started(manner);
      const { call } = host();
      const server = http(url, type);
      expect(await call('add', { a: 1, b: 2 }, { server })).toEqual(ok({ sum: 3 }));
      expect(await call('echo', { text: 'hello' }, { server })).toEqual(ok('hello'));
      expect(reportOf(await call('refuse', {}, { server })).kind).toBe('mcp.tool_failed');
      expect([...authorizations]).toEqual(['Bearer token-that-nobody-may-see']);
      expect(did).toEqual(['add 1 2', 'refuse']);
    });

    it('whose connection breaks after the call was sent leaves the outcome unknown', async () => {
      const { url, did } = await started(manner);
      const { call } = host();
      const server = http(url, type);
      expect(reportOf(await call('crash', {}, { server }))).toMatchObject({
        kind: 'mcp.unreachable',
        outcome: 'unknown',
      });
      expect(await call('plain', {}, { server })).toEqual(ok('nothing to say'));
      expect(did).toEqual(['crash']);
    });

    it('is called with the key of the action as a header, the same at each attempt', async () => {
      const { url, keys } = await started(manner);
      const { call } = host();
      const server = http(url, type);
      for (const attempt of [0, 1])
        await call('plain', {}, { server, context: { idempotencyKey: 'k', attempt } });
      expect(keys).toEqual(['k', 'k']);
    });

    it.each([
      [408, 'unknown'],
      [502, 'unknown'],
      [503, 'unknown'],
      [504, 'unknown'],
      [524, 'unknown'],
      [400, 'not_started'],
      [403, 'not_started'],
    ])('before which a gateway answers HTTP %i leaves the call %s', async (status, outcome) => {
      const gateway = await started(manner);
      const { url } = gateway;
      const { call } = host();
      const server = http(url, type);
      await call('plain', {}, { server });
      gateway.fail(status);
      const report = reportOf(await call('write', { id: 1 }, { server }));
      // the oldest manner ends the connection at any refusal, and then nobody knows more
      const expected = manner === 'sse' ? 'unknown' : outcome;
      expect(report).toMatchObject({ kind: 'mcp.unreachable', outcome: expected });
      const again = { server, request: { isIdempotent: true } };
      const inDoubt = expected === 'unknown' ? 'partial' : expected;
      expect(reportOf(await call('write', { id: 1 }, again)).outcome).toBe(inDoubt);
    });

    it.each([
      [307, 'not_started'],
      [308, 'not_started'],
      [301, 'unknown'],
      [302, 'unknown'],
      [303, 'unknown'],
    ])('that redirects a call with HTTP %i gets it once', async (status, outcome) => {
      const gateway = await started(manner);
      const { url, did, keys } = gateway;
      const { call } = host();
      const server = http(url, type);
      gateway.fail(status, { location: '/mcp?again' });
      const report = reportOf(await call('write', { id: 1 }, { server }));
      expect(report).toMatchObject({
        kind: 'mcp.unreachable',
        outcome: manner === 'sse' ? 'unknown' : outcome,
      });
      expect(keys).toHaveLength(1);
      expect(did).toEqual([]);
    });

    it.each<[string, Record<string, string>, string]>([
      ['a page for signing in', { 'content-type': 'text/html' }, '<html>Sign in</html>'],
      ['a response of no type', {}, '{"jsonrpc":"2.0","id":2,"result":{"content":[]}}'],
      ['half of a message', { 'content-type': 'application/json' }, '{"jsonrpc":"2.0","id":'],
      ['a message of nobody', { 'content-type': 'application/json' }, '{"ok":true}'],
    ])(
      'for which a gateway accepts the call with %s leaves the outcome unknown',
      async (...page) => {
        const gateway = await started(manner);
        const { call } = host();
        const server = { ...http(gateway.url, type), toolSettings: { write: { timeoutMs: 1000 } } };
        gateway.fail(200, page[1], page[2]);
        const isOver = (): boolean => manner === 'sse' && gateway.keys.length > 0;
        const context = { clock: onceIt(isOver) };
        const report = reportOf(await call('write', { id: 1 }, { server, context }));
        // the oldest manner answers on another connection, on which nothing comes
        const kind = manner === 'sse' ? 'tool.timeout' : 'tool.output_malformed';
        expect(report).toMatchObject({ kind, outcome: 'unknown' });
        expect(gateway.keys).toHaveLength(1);
      },
    );

    it.each<[number, string, string, object]>([
      [
        400,
        'a result',
        '"result":{"resultType":"complete","content":[{"type":"text","text":"written"}]}',
        ok('written'),
      ],
      [
        404,
        'a result',
        '"result":{"resultType":"complete","content":[{"type":"text","text":"written"}]}',
        ok('written'),
      ],
      [
        307,
        'a result',
        '"result":{"resultType":"complete","content":[{"type":"text","text":"written"}]}',
        ok('written'),
      ],
      [
        302,
        'a result',
        '"result":{"resultType":"complete","content":[{"type":"text","text":"written"}]}',
        ok('written'),
      ],
      [
        500,
        'a result',
        '"result":{"resultType":"complete","content":[{"type":"text","text":"written"}]}',
        ok('written'),
      ],
      [
        400,
        'a result of no shape',
        '"result":{}',
        { failure: { kind: 'tool.output_malformed', outcome: 'unknown' } },
      ],
      [
        400,
        'the failure of the tool',
        '"result":{"resultType":"complete","isError":true,"content":[{"type":"text","text":"no"}]}',
        { failure: { kind: 'mcp.tool_failed' } },
      ],
      [
        422,
        'an error from the work',
        '"error":{"code":-32603,"message":"broke"}',
        { failure: { kind: 'mcp.tool_failed' } },
      ],
      [
        401,
        'an error',
        '"error":{"code":-32001,"message":"Unauthorized"}',
        { failure: { kind: 'mcp.unreachable', outcome: 'not_started' } },
      ],
      [
        429,
        'an error',
        '"error":{"code":-32000,"message":"slow down"}',
        { failure: { kind: 'tool.busy' } },
      ],
    ])(
      'that sends HTTP %i with %s as the answer to the call has done what the answer says',
      async (status, _, answer, expected) => {
        for (const [mime, body] of [
          ['application/json', `{"jsonrpc":"2.0","id":ID,${answer}}`],
          ['text/event-stream', `data: {"jsonrpc":"2.0","id":ID,${answer}}\n\n`],
        ] as const) {
          const gateway = await started(manner);
          const { call } = host();
          gateway.fail(status, { 'content-type': mime }, body);
          const result = await call('write', { id: 1 }, { server: http(gateway.url, type) });
          // the oldest manner ends the connection at any refusal, and then nobody knows more
          if (manner === 'sse')
            expect(reportOf(result)).toMatchObject({ kind: 'mcp.unreachable', outcome: 'unknown' });
          else expect(result).toMatchObject(expected);
          expect(gateway.keys).toHaveLength(1);
        }
      },
    );

    it('that sends HTTP 400 with the result of another request has not answered', async () => {
      const gateway = await started(manner);
      const { call } = host();
      const body = '{"jsonrpc":"2.0","id":987654,"result":{"content":[]}}';
      gateway.fail(400, { 'content-type': 'application/json' }, body);
      const report = reportOf(await call('write', { id: 1 }, { server: http(gateway.url, type) }));
      expect(report).toMatchObject({
        kind: 'mcp.unreachable',
        outcome: manner === 'sse' ? 'unknown' : 'not_started',
      });
    });

    it('that refuses a call for a scope that the key lacks was not called', async () => {
      const gateway = await started(manner);
      const { call } = host();
      const server = http(gateway.url, type);
      const challenge = 'Bearer error="insufficient_scope", scope="write"';
      gateway.fail(403, { 'www-authenticate': challenge });
      const refused = { outcome: 'not_started', action: { kind: 'check_credentials' } };
      expect(reportOf(await call('write', { id: 1 }, { server }))).toMatchObject({
        kind: 'mcp.unreachable',
        // the oldest manner ends the connection at any refusal, and then nobody knows more
        ...(manner === 'sse' ? { outcome: 'unknown' } : refused),
      });
      expect(gateway.keys).toHaveLength(1);
    });

    it('that has moved is called where it is, once', async () => {
      const { url, did, keys } = await started(manner);
      const { call } = host();
      const server = http(new URL(MOVED, url).href, type);
      expect(await call('write', { id: 1 }, { server })).toEqual(ok('written 1'));
      expect(did).toEqual(['write 1']);
      expect(keys).toHaveLength(1);
    });

    it('that is not there was not called', async () => {
      const gone = await started(manner);
      const { url } = gone;
      await gone.close();
      const { call } = host();
      const report = reportOf(await call('plain', {}, { server: http(`${url}?key=secret`, type) }));
      expect(report).toMatchObject({ kind: 'mcp.unreachable', outcome: 'not_started' });
      expect(report.message).not.toContain('secret');
      expect(report.action.detail).toContain('mcp_servers.s.url');
    });

    it('hears when a call is no longer wanted or out of time', async () => {
      const { url, did } = await started(manner);
      const { call } = host();
      const server = http(url, type);
      const hurried = { ...server, toolSettings: { hang: { timeoutMs: 200 } } };
      const context = { clock: onceIt(() => did.includes('hang')) };
      const hung = await call('hang', {}, { server: hurried, context });
      expect(reportOf(hung).kind).toBe('tool.timeout');
      await until(() => manner === 'sessions' || did.includes('hang cancelled'));
      const controller = new AbortController();
      const calling = call('hang', {}, { server, context: { signal: controller.signal } });
      await until(() => did.filter((what) => what === 'hang').length === 2);
      controller.abort();
      expect(reportOf(await calling).kind).toBe('cancelled.tool');
    });

    it('whose result is far too long fails', async () => {
      const { url } = await started(manner);
      const { call } = host();
      const server = http(url, type);
      const report = reportOf(await call('big', { chars: 40_000_000 }, { server }));
      const kind = manner === 'sse' ? 'mcp.unreachable' : 'tool.output_malformed';
      expect(report).toMatchObject({ kind, outcome: 'unknown' });
      expect(await call('plain', {}, { server })).toEqual(ok('nothing to say'));
    });

    it('that comes back at the same address is called again', async () => {
      const first = await started(manner);
      const { call } = host();
      const server = http(first.url, type);
      expect(await call('plain', {}, { server })).toEqual(ok('nothing to say'));
      await first.close();
      // whether a call on a connection that just broke arrived, nobody can tell
      expect(reportOf(await call('plain', {}, { server })).kind).toBe('mcp.unreachable');
      expect(reportOf(await call('plain', {}, { server }))).toMatchObject({
        kind: 'mcp.unreachable',
        outcome: 'not_started',
      });
      await started(manner, Number(new URL(first.url).port));
      expect(await call('plain', {}, { server })).toEqual(ok('nothing to say'));
    });
  },
);

describe('a server with sessions', () => {
  it('that was started anew is called in a new session, once', async () => {
    const restarted = await started('sessions');
    const { url, did } = restarted;
    const { call } = host();
    const server = http(url);
    await call('write', { id: 1 }, { server });
    restarted.forget();
    expect(await call('write', { id: 2 }, { server })).toEqual(ok('written 2'));
    expect(did).toEqual(['write 1', 'write 2']);
  });
});

describe('a stream', () => {
  it.each(['of a call', 'of notifications'])(
    '%s that ends is not opened again and again',
    async (which) => {
      const requests: string[] = [];
      const greeting = createServer((request, response) => {
        let body = '';
        request.on('data', (chunk: Buffer) => (body += chunk.toString()));
        request.on('end', () => {
          const message = body === '' ? undefined : (JSON.parse(body) as Message);
          requests.push(`${request.method} ${message?.method ?? ''}`.trim());
          const events = { 'content-type': 'text/event-stream' };
          const isListening = request.method === 'GET' && which === 'of notifications';
          if (isListening) return void response.writeHead(200, events).end('retry: 1\n\n');
          if (message === undefined) return void response.writeHead(405).end();
          if (message.method === 'tools/call' && which === 'of a call')
            return void response.writeHead(200, events).end('retry: 1\nid: 1\ndata: \n\n');
          const answer = sane(message) ?? { jsonrpc: '2.0', id: message.id, result: FINE };
          if (message.id === undefined) return void response.writeHead(202).end();
          response.writeHead(200, { 'content-type': 'application/json' });
          response.end(JSON.stringify(answer));
        });
      });
      await new Promise<void>((resolve) => greeting.listen(0, '127.0.0.1', resolve));
      const { port } = greeting.address() as AddressInfo;
      const { call } = host();
      const server = http(`http://127.0.0.1:${port}/mcp`);
      for (let count = 0; count < 3; count++) {
        const result = await call('fine', {}, { server });
        if (which === 'of notifications') expect(result).toEqual(ok('fine'));
        else
          expect(reportOf(result)).toMatchObject({ kind: 'mcp.unreachable', outcome: 'unknown' });
      }
      expect(requests.filter((line) => line === 'POST tools/call')).toHaveLength(3);
      // one for each connection
      const connections = requests.filter((line) => line === 'POST initialize').length;
      expect(requests.filter((line) => line.startsWith('GET'))).toHaveLength(connections);
      greeting.closeAllConnections();
      await new Promise((resolve) => greeting.close(resolve));
    },
  );
});

describe('calls at the same time', () => {
  it.each([
    [500, 'unknown'],
    [401, 'not_started'],
    [404, 'not_started'],
  ])('one that is answered with HTTP %d leaves the others alone', async (status, outcome) => {
    const held = Promise.withResolvers<void>();
    let isAsked = false;
    const answer = async (message: Message, response: ServerResponse): Promise<void> => {
      const { id, method, params } = message;
      const isHeld = method === 'tools/call' && params?.name === 'fine';
      if (method === 'tools/call' && !isHeld) return void response.writeHead(status).end();
      if (id === undefined) return void response.writeHead(202).end();
      isAsked ||= isHeld;
      if (isHeld) await held.promise;
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify(sane(message) ?? { jsonrpc: '2.0', id, result: FINE }));
    };
    const server = createServer((request, response) => {
      let text = '';
      request.setEncoding('utf8').on('data', (part: string) => (text += part));
      request.on('end', () => {
        if (text === '') response.writeHead(405).end();
        else void answer(JSON.parse(text), response);
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { call } = host();
    const asked = {
      server: http(`http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`),
    };
    const slow = call('fine', {}, asked);
    await until(() => isAsked);
    const refused = reportOf(await call('silent', {}, asked));
    expect(refused).toMatchObject({ kind: 'mcp.unreachable', outcome });
    held.resolve();
    expect(await slow).toEqual(ok('fine'));
    // a new connection took the place of the one that failed
    expect(await call('fine', {}, asked)).toEqual(ok('fine'));
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
});

describe('an address', () => {
  it.each([
    [401, 'check_credentials'],
    [404, 'fix_file'],
    [500, 'wait_and_retry'],
  ])('that answers HTTP %i says what to do', async (status, action) => {
    const server = createServer((_, response) => response.writeHead(status).end('no'));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as { port: number };
    const { call } = host();
    const report = reportOf(await call('plain', {}, { server: http(`http://127.0.0.1:${port}/`) }));
    expect(report).toMatchObject({ kind: 'mcp.unreachable', outcome: 'not_started' });
    expect(report.action.kind).toBe(action);
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
});
