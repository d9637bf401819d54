/** Arguments of a tool call that are nested deeper than the SDK, the log or any reader can follow. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { reportOf } from '../../src/effects/effect-port.cases.ts';
import { ask } from './harness.ts';
import { PROTOCOLS } from './protocols.ts';
import { startUpstream, streams, type Upstream } from './upstream.ts';

let upstream: Upstream;
beforeAll(async () => {
  upstream = await startUpstream();
});
afterAll(() => upstream.close());

const PAY = { name: 'pay', description: 'Pays.', inputSchema: { type: 'object' } } as const;
const nested = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels);

describe.each(PROTOCOLS)('by $name', (protocol) => {
  const shallow = protocol.stream({
    tool: { id: 'c1', name: 'pay', arguments: '{"a":"HERE"}' },
    stop: protocol.stops.tool,
  });
  // in the text, because writing a deep value as JSON takes a stack of its own
  const answer = (levels: number): string => shallow.replaceAll(/\\?"HERE\\?"/g, nested(levels));

  it.each([600, 3000, 20_000])('%i levels are a reply that cannot be used', async (levels) => {
    upstream.answer(streams(answer(levels)));
    const result = await ask(protocol, upstream.url, { call: { tools: [PAY] } });
    expect(reportOf(result)).toMatchObject({ kind: 'agent.output_invalid', retryable: false });
    expect(reportOf(result).message).toContain('deeper than 500 levels');
  });

  it('100 levels are a call', async () => {
    upstream.answer(streams(answer(100)));
    const result = await ask(protocol, upstream.url, { call: { tools: [PAY] } });
    expect(result).toMatchObject({ ok: true, output: { toolCalls: [{ name: 'pay' }] } });
  });
});
