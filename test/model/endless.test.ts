/** Providers that never stop writing: a typed failure after a bounded number of bytes. */
import type { ServerResponse } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { failureOf, reportOf } from '../../src/effects/effect-port.cases.ts';
import { ask } from './harness.ts';
import { PROTOCOLS } from './protocols.ts';
import { EVENT_STREAM, events, startUpstream, type Reply, type Upstream } from './upstream.ts';

let upstream: Upstream;
beforeAll(async () => {
  upstream = await startUpstream();
});
afterAll(() => upstream.close());

const MIB = 1024 * 1024;
const JSON_BODY = { 'content-type': 'application/json' };

/** Writes on until nobody reads; tells how much it was. */
function endless(
  head: (response: ServerResponse) => void,
  written: Buffer | (() => Buffer),
): [Reply, () => number] {
  let bytes = 0;
  const reply: Reply = (response) => {
    head(response);
    const write = (): void => {
      while (!response.destroyed) {
        const piece = typeof written === 'function' ? written() : written;
        bytes += piece.byteLength;
        if (!response.write(piece)) return void response.once('drain', write);
      }
    };
    write();
  };
  return [reply, () => bytes];
}

const [protocol] = PROTOCOLS.filter(({ name }) => name === 'chat');
if (protocol === undefined) throw new Error('no protocol');

const PAY = { name: 'pay', description: 'Pays.', inputSchema: { type: 'object' } } as const;

const delta = (content: string): object => ({
  id: 'c1',
  object: 'chat.completion.chunk',
  created: 1_750_000_000,
  model: 'm',
  choices: [{ index: 0, delta: { content }, finish_reason: null }],
});

describe('an answer without an end', () => {
  it('in words is broken off, with what it cost until then', async () => {
    const piece = Buffer.from(events(delta('x'.repeat(256 * 1024))));
    const [reply, bytes] = endless((response) => response.writeHead(200, EVENT_STREAM), piece);
    upstream.answer(reply);
    const result = await ask(protocol, upstream.url);
    expect(reportOf(result)).toMatchObject({ kind: 'provider.truncated', retryable: false });
    expect(result).toMatchObject({ isEstimated: true });
    expect(result.usage?.outputTokens).toBeGreaterThan(4 * MIB);
    expect(bytes()).toBeLessThan(64 * MIB);
    // of what nobody will read whole the beginning is kept
    expect(JSON.stringify(failureOf(result).output).length).toBeLessThan(4 * MIB);
  });

  it('in one line is broken off', async () => {
    const head = (response: ServerResponse): void =>
      void response.writeHead(200, EVENT_STREAM).write('data: ');
    const [reply, bytes] = endless(head, Buffer.alloc(MIB, 'a'));
    upstream.answer(reply);
    expect(reportOf(await ask(protocol, upstream.url)).kind).toBe('provider.truncated');
    expect(bytes()).toBeLessThan(64 * MIB);
  });

  it.each<[string, Record<string, string>, string]>([
    ['one event', EVENT_STREAM, `data: ${'a'.repeat(64)}\n`],
    ['one event with other ends of lines', EVENT_STREAM, `data: ${'a'.repeat(64)}\r\n`],
    ['something that is no stream', JSON_BODY, 'a'.repeat(64)],
    ['an object that is no stream', JSON_BODY, '{"a":'],
  ])('in %s is broken off', async (_, headers, written) => {
    const head = (response: ServerResponse): void => void response.writeHead(200, headers);
    const [reply, bytes] = endless(head, Buffer.from(written.repeat(4096)));
    upstream.answer(reply);
    const result = await ask(protocol, upstream.url);
    expect(reportOf(result)).toMatchObject({ kind: 'provider.truncated', outcome: 'partial' });
    expect(result).toMatchObject({ isEstimated: true });
    expect(bytes()).toBeLessThan(64 * MIB);
  });

  it('in calls with nothing in them is broken off', async () => {
    let index = 0;
    const call = (): object => ({ index: index++, id: `${index}`, function: { name: 'pay' } });
    const some = (): Buffer => {
      const calls = Array.from({ length: 256 }, call);
      return Buffer.from(
        events({ ...delta(''), choices: [{ index: 0, delta: { tool_calls: calls } }] }),
      );
    };
    const [reply, bytes] = endless((response) => response.writeHead(200, EVENT_STREAM), some);
    upstream.answer(reply);
    const result = await ask(protocol, upstream.url, { call: { tools: [PAY] } });
    expect(reportOf(result).kind).toBe('provider.truncated');
    expect(result).not.toHaveProperty('output.toolCalls');
    expect(bytes()).toBeLessThan(16 * MIB);
  });

  it('that refuses is what its status says', async () => {
    const head = (response: ServerResponse): void => void response.writeHead(500, JSON_BODY);
    const [reply, bytes] = endless(head, Buffer.alloc(64 * 1024, 'a'));
    upstream.answer(reply);
    expect(reportOf(await ask(protocol, upstream.url))).toMatchObject({
      kind: 'provider.server_error',
      provider: { status: 500 },
    });
    expect(bytes()).toBeLessThan(32 * MIB);
  });
});
