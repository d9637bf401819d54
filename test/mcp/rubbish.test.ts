/** Servers that answer rubbish: a typed failure each time, one call each time, and no end of the server. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it } from 'vitest';
import { reportOf } from '../../src/effects/effect-port.cases.ts';
import type { McpServer } from '../../src/workflow/plan/plan.ts';
import { host } from './harness.ts';
import { bytesOf, rubbish, RUBBISH, sane } from './rubbish.ts';

const PROGRAM = fileURLToPath(new URL('rubbish-server.ts', import.meta.url));
/** No message for the call: only its time limit ends it, where no connection does. */
const UNANSWERED: readonly string[] = ['text', 'stranger', 'half'];
const SETTINGS = Object.fromEntries(
  [...RUBBISH, 'half', 'fine'].map((name) => [
    name,
    { timeoutMs: UNANSWERED.includes(name) ? 1000 : 300_000, idempotent: false },
  ]),
);

let server: Server | undefined;
let isEvents = false;
afterEach(() => {
  server?.closeAllConnections();
  server?.close();
  server = undefined;
  isEvents = false;
});

const ways: Readonly<
  Record<string, (called: (name: string) => void) => Promise<Partial<McpServer>>>
> = {
  events: async (called) => {
    isEvents = true;
    return (await ways['http']?.(called)) ?? {};
  },
  stdio: () => Promise.resolve({ args: [PROGRAM], env: {}, toolSettings: SETTINGS }),
  http: async (called) => {
    server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        if (request.method !== 'POST') return void response.writeHead(405).end();
        const message = JSON.parse(Buffer.concat(chunks).toString()) as Parameters<typeof sane>[0];
        const answer = sane(message);
        response.setHeader('content-type', 'application/json');
        if (answer !== undefined) return void response.end(JSON.stringify(answer));
        if (message.method !== 'tools/call') return void response.writeHead(202).end();
        called(message.params?.name ?? '');
        const text = rubbish(message);
        if (isEvents) response.setHeader('content-type', 'text/event-stream');
        const written = isEvents && text !== undefined ? `data: ${text}\n\n` : text;
        if (written !== undefined) return void response.end(bytesOf(written));
        response.write('{"jsonrpc":"2.0","id":');
        response.socket?.destroy();
      });
    });
    await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    return {
      type: 'http',
      url: `http://127.0.0.1:${port}/mcp`,
      headers: {},
      toolSettings: SETTINGS,
    };
  },
};

describe.each(['stdio', 'http', 'events'])('over %s', (way) => {
  it.each([...RUBBISH, 'half'])(
    'an answer like %s is a typed failure, and the next call is answered',
    async (name) => {
      const called: string[] = [];
      const settings = await ways[way]?.((tool) => called.push(tool));
      const { call } = host();
      const asked = { server: settings ?? {} };
      const report = reportOf(await call(name, {}, asked));
      expect(report.kind).toMatch(
        /^(tool\.output_malformed|tool\.timeout|mcp\.unreachable|mcp\.tool_failed)$/,
      );
      // whatever it was, nobody knows whether the work is done
      expect(report.outcome).toBe('unknown');
      expect(report.message.length).toBeLessThan(1000);
      // a sentence, and no dump of what the client checks
      expect(report.message).not.toMatch(/\n|"code"/);
      expect(await call('fine', {}, asked)).toEqual({ ok: true, output: 'fine' });
      if (way !== 'stdio') expect(called).toEqual([name, 'fine']);
    },
  );

  it.each(['number', 'list', 'nothing', 'null', 'both', 'empty', 'old', 'error'])(
    'a result like %s is none, and that is known at once',
    async (name) => {
      const settings = await ways[way]?.(() => undefined);
      const { call } = host();
      const asked = { server: settings ?? {} };
      // the client skips such an event, and then the stream has ended without a response
      const isSkipped = way === 'events' && !['list', 'empty', 'old'].includes(name);
      const kind = isSkipped ? 'mcp.unreachable' : 'tool.output_malformed';
      expect(reportOf(await call(name, {}, asked))).toMatchObject({ kind, outcome: 'unknown' });
      const idempotent = { ...asked, request: { isIdempotent: true } };
      const outcome = isSkipped ? 'partial' : 'failed';
      expect(reportOf(await call(name, {}, idempotent))).toMatchObject({ kind, outcome });
    },
  );

  it('a number that would lose digits is not read as one', async () => {
    const settings = await ways[way]?.(() => undefined);
    const { call } = host();
    const asked = { server: settings ?? {} };
    expect(reportOf(await call('digits', {}, asked))).toMatchObject({
      kind: 'tool.output_malformed',
      message: expect.stringContaining(
        'the number 12345678901234567890 at /result/structuredContent/id',
      ),
    });
    expect(await call('meta', {}, asked)).toEqual({ ok: true, output: { id: 1 } });
  });

  it('bytes that are no UTF-8 are not read as other characters', async () => {
    const settings = await ways[way]?.(() => undefined);
    const { call } = host();
    expect(reportOf(await call('bytes', {}, { server: settings ?? {} }))).toMatchObject({
      kind: 'tool.output_malformed',
      message: 'The result of s/bytes has bytes that are no text in UTF-8',
      outcome: 'unknown',
    });
  });

  it('a result that says nothing is one', async () => {
    const settings = await ways[way]?.(() => undefined);
    const { call } = host();
    expect(await call('silent', {}, { server: settings ?? {} })).toEqual({ ok: true, output: '' });
  });
});
