/** Calls of hosts of OpenAI's protocol: how often each is made, whatever the SDK makes of their ids. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { reportOf } from '../../src/effects/effect-port.cases.ts';
import type { EffectResult } from '../../src/effects/effect-port.ts';
import { ask } from './harness.ts';
import { PROTOCOLS } from './protocols.ts';
import { events, startUpstream, streams, type Upstream } from './upstream.ts';

let upstream: Upstream;
beforeAll(async () => {
  upstream = await startUpstream();
});
afterAll(() => upstream.close());

const PAY = { name: 'pay', description: 'Pays.', inputSchema: { type: 'object' } } as const;
const HOSTS = PROTOCOLS.filter(({ name }) => name === 'chat' || name === 'mistral');

const chunk = (delta: object, end: string | null = null): object => ({
  id: 'c1',
  object: 'chat.completion.chunk',
  created: 1_750_000_000,
  model: 'm',
  choices: [{ index: 0, delta, finish_reason: end }],
});

interface Place {
  readonly index?: number;
  readonly id?: string;
}

const call = (place: Place, amount = 5): object => ({
  ...place,
  type: 'function',
  function: { name: 'pay', arguments: `{"amount":${amount}}` },
});

describe.each(HOSTS)('calls by $name', (protocol) => {
  const hear = (...deltas: readonly (readonly object[])[]): Promise<EffectResult> => {
    const said = deltas.map((calls) => chunk({ content: '', tool_calls: calls }));
    const end = chunk({ content: '' }, 'tool_calls');
    upstream.answer(streams(`${events(...said, end)}data: [DONE]\n\n`));
    return ask(protocol, upstream.url, { call: { tools: [PAY] } });
  };

  it.each<[string, Place, Place]>([
    ['at two places', { index: 0, id: '1' }, { index: 1, id: '1' }],
    ['at one place', { index: 0, id: '1' }, { index: 0, id: '1' }],
    ['at no place', { id: '1' }, { id: '1' }],
    ['or none, at one place', { index: 0 }, { index: 0 }],
    ['at a place, and then at none', { index: 0, id: '1' }, { id: '1' }],
  ])('under one id are none, %s', async (_, one, other) => {
    for (const result of [
      await hear([call(one)], [call(other)]),
      await hear([call(one), call(other)]),
    ]) {
      expect(reportOf(result)).toMatchObject({ kind: 'provider.unknown', category: 'ambiguous' });
      expect(result).not.toHaveProperty('output.toolCalls');
    }
  });

  it('under two ids are two, also where the host counts no places', async () => {
    const two = await hear([call({ index: 0, id: '1' }, 5)], [call({ index: 0, id: '2' }, 6)]);
    expect(two).toMatchObject({
      ok: true,
      output: {
        toolCalls: [
          { id: '1', arguments: { amount: 5 } },
          { id: '2', arguments: { amount: 6 } },
        ],
      },
    });
  });

  it('without ids are as many as there are places', async () => {
    const two = await hear([call({ index: 0 }, 5)], [call({ index: 1 }, 6)]);
    expect(two).toMatchObject({
      ok: true,
      output: { toolCalls: [{ arguments: { amount: 5 } }, { arguments: { amount: 6 } }] },
    });
    const mixed = await hear([call({ index: 0, id: '1' }, 5)], [call({ index: 1 }, 6)]);
    expect(mixed).toMatchObject({ ok: true, output: { toolCalls: [{ id: '1' }, {}] } });
  });

  it.each<[string, object]>([
    ['arguments that are no text', { function: { name: 'pay', arguments: { amount: 5 } } }],
    ['an id that is a number', { id: 1 }],
    ['a name that is a number', { function: { name: 7, arguments: '{}' } }],
    ['no function', { type: 'custom', function: undefined, custom: { name: 'pay', input: '5' } }],
  ])('with %s are none, and the same reply is not asked for again', async (_, odd) => {
    const result = await hear([{ ...call({ index: 0, id: '1' }), ...odd }]);
    expect(reportOf(result)).toMatchObject({ kind: 'provider.unknown', retryable: false });
    expect(result).not.toHaveProperty('output.toolCalls');
  });
});
