/** Parts of a model of an application that contradict each other, or are none. */
import { describe, expect, it } from 'vitest';
import { contextFor, failureOf, reportOf } from '../../src/effects/effect-port.cases.ts';
import { createRedactor } from '../../src/errors/redaction/redact.ts';
import type { EffectResult } from '../../src/effects/effect-port.ts';
import { createModelEffect } from '../../src/effects/model/model-effect.ts';
import { HELLO, SDKS } from './harness.ts';

const LOOKUP = { name: 'lookup', inputSchema: { type: 'object' } } as const;

const text = (delta: string, id = '0'): readonly object[] => [
  { type: 'text-start', id },
  { type: 'text-delta', id, delta },
  { type: 'text-end', id },
];

const end = (unified: string, input = 12, output = 9): object => ({
  type: 'finish',
  finishReason: { unified, raw: unified },
  usage: { inputTokens: { total: input }, outputTokens: { total: output } },
});

const call = (more: object): object => ({
  type: 'tool-call',
  toolCallId: 'a',
  toolName: 'lookup',
  input: '{}',
  ...more,
});

function modelOf(doStream: () => unknown): object {
  return { specificationVersion: 'v4', provider: 'house', modelId: 'own', doStream };
}

function ask(model: object, limits: object = {}): Promise<EffectResult> {
  const effect = createModelEffect({ env: {}, models: { 'house/own': model }, ...limits });
  const asked = { ...HELLO, model: 'house/own', tools: [LOOKUP] };
  return effect({ call: asked, directory: SDKS }, contextFor());
}

const hear = (...parts: readonly unknown[]): Promise<EffectResult> =>
  ask(modelOf(() => Promise.resolve({ stream: ReadableStream.from(parts) })));

const COUNTED = { inputTokens: 12, outputTokens: 9 };

describe('a reply that ends twice', () => {
  it.each([
    ['content-filter', 'provider.content_filter'],
    ['length', 'provider.truncated'],
    ['error', 'provider.server_error'],
  ])('ended badly where one end is bad: %s', async (bad, kind) => {
    for (const ends of [
      [end(bad), end('stop')],
      [end('stop'), end(bad)],
    ]) {
      const result = await hear(...text('Half'), ...ends);
      expect(reportOf(result).kind).toBe(kind);
      expect(failureOf(result)).toMatchObject({ output: { text: 'Half' }, usage: COUNTED });
    }
  });

  it('keeps the count of the first end where the second has none', async () => {
    const bare = { type: 'finish', finishReason: { unified: 'stop', raw: 'stop' } };
    for (const second of [end('stop', 0, 0), bare])
      expect(await hear(...text('Hello'), end('stop'), second)).toMatchObject({
        ok: true,
        usage: COUNTED,
      });
  });
});

describe('a reply that continues after its end', () => {
  it.each<[string, readonly object[]]>([
    ['text', text(' and more', '1')],
    [
      'thoughts',
      [
        { type: 'reasoning-start', id: 'r' },
        { type: 'reasoning-delta', id: 'r', delta: 'Hm' },
      ],
    ],
    ['a call', [call({})]],
    ['the arguments of a call', [{ type: 'tool-input-start', id: 'a', toolName: 'lookup' }]],
    ['a file', [{ type: 'file', mediaType: 'image/png', data: 'AAAA' }]],
  ])('with %s is two', async (_, more) => {
    const result = await hear(...text('Hello'), end('stop'), ...more, end('stop'));
    expect(reportOf(result)).toMatchObject({
      kind: 'provider.stream_interrupted',
      outcome: 'partial',
    });
    expect(failureOf(result)).toMatchObject({ output: { text: 'Hello' }, usage: COUNTED });
  });

  it('with what is no content is one', async () => {
    const source = { type: 'source', sourceType: 'url', id: 's', url: 'https://example.com' };
    const late = { type: 'response-metadata', id: 'r' };
    expect(await hear(...text('Hello'), end('stop'), source, late)).toMatchObject({ ok: true });
  });
});

describe('a call whose arguments break off', () => {
  const begun = (more: object = {}): readonly object[] => [
    { type: 'tool-input-start', id: 'b', toolName: 'lookup', ...more },
    { type: 'tool-input-delta', id: 'b', delta: '{"amount":' },
  ];

  it.each([
    ['alone', [...text('I pay.'), ...begun(), end('stop')]],
    ['beside one that is whole', [...begun(), ...begun({ id: 'a' }), call({}), end('tool-calls')]],
  ])('is no reply, though its end is called good: %s', async (_, parts) => {
    expect(reportOf(await hear(...parts))).toMatchObject({
      kind: 'provider.stream_interrupted',
      outcome: 'partial',
    });
  });

  it('is nothing to us where the provider makes it', async () => {
    const own = begun({ providerExecuted: true });
    expect(await hear(...own, ...text('Hello'), end('stop'))).toMatchObject({ ok: true });
  });
});

describe('a call that came as a whole', () => {
  it.each(['{"amount":12345678901234567890}', '{"amount":1,"amount":2}'])(
    'is shown to the model where it cannot be kept as written: %s',
    async (input) => {
      expect(await hear(call({ input }), end('tool-calls'))).toMatchObject({
        ok: true,
        output: { toolCalls: [{ id: 'a', name: 'lookup', unparsable: input }] },
      });
    },
  );

  it.each([
    ['no id', { toolCallId: undefined }],
    ['a number for an id', { toolCallId: 7 }],
    ['no name', { toolName: undefined }],
    ['an object for a name', { toolName: {} }],
    ['a value that is not JSON', { input: { amount: 1n } }],
    ['a function for a value', { input: () => 1 }],
  ])('fails with %s, and is on the bill', async (_, odd) => {
    const result = await hear(...text('I look.'), call(odd), end('tool-calls'));
    expect(reportOf(result)).toMatchObject({ kind: 'provider.unknown', outcome: 'partial' });
    expect(failureOf(result).usage?.outputTokens).toBeGreaterThan(0);
  });
});

describe('what a model says beside its reply', () => {
  const cyclic: Record<string, unknown> = {};
  cyclic['self'] = cyclic;

  it('counts only where it is what it should be', async () => {
    const result = await hear(
      { type: 'stream-start', warnings: [null, 'odd', { type: 'other', message: 5 }] },
      { type: 'response-metadata', id: 5, modelId: Symbol('model') },
      ...text('Hello'),
      end('stop'),
    );
    expect(result).toMatchObject({ ok: true, output: { text: 'Hello' } });
    expect(result).not.toHaveProperty('output.answeredBy');
    expect(await hear({ type: 'stream-start', warnings: { a: 1 } }, ...text('Hi'), end('stop')))
      // nothing to say
      .toMatchObject({ ok: true });
  });

  it.each([[cyclic], [{ size: 1n }]])('fails the call where it cannot be sent back', async (x) => {
    const result = await hear(call({ providerMetadata: { x } }), end('tool-calls'));
    expect(reportOf(result).kind).toBe('provider.unknown');
    expect(failureOf(result).usage?.outputTokens).toBeGreaterThanOrEqual(9);
  });
});

describe('a model that opens no stream', () => {
  it.each([
    ['nothing', undefined],
    ['an empty object', {}],
    ['something else to read', { stream: [] }],
  ])('but gives %s, is named', async (_, opened) => {
    const report = reportOf(await ask(modelOf(() => Promise.resolve(opened))));
    expect(report).toMatchObject({ kind: 'provider.unknown' });
    expect(report.message).toBe('The model returned no stream');
  });
});

it('cannot keep the process busy with parts that are nothing', { timeout: 20_000 }, async () => {
  const controller = new AbortController();
  const model = modelOf(() => ({
    stream: new ReadableStream({
      // after so many a test without the yield would never end
      pull: (parts) => parts.enqueue({ type: 'response-metadata', id: 'x' }),
    }),
  }));
  const effect = createModelEffect({ env: {}, models: { 'house/own': model } });
  const result = effect(
    { call: { ...HELLO, model: 'house/own' }, directory: SDKS },
    contextFor({ signal: controller.signal, cancelled: 'cancelled.run' }),
  );
  setImmediate(() => controller.abort());
  expect(reportOf(await result).kind).toBe('cancelled.run');
});

it('shows no secret in the id of its reply, and no more than an id has', async () => {
  const secret = 'the-key-that-a-gateway-echoes';
  const seen: unknown[] = [];
  const id = `${'r'.repeat(300)}-${secret}`;
  for (const each of [`resp-${secret}`, id]) {
    const parts = [{ type: 'response-metadata', id: each }, ...text('Hello'), end('stop')];
    const model = modelOf(() => Promise.resolve({ stream: ReadableStream.from(parts) }));
    const effect = createModelEffect({ env: {}, models: { 'house/own': model } });
    const redactor = createRedactor([secret]);
    const observe = ({ responseId }: { readonly responseId?: string }): void => {
      if (responseId !== undefined) seen.push(responseId);
    };
    await effect({ call: { ...HELLO, model: 'house/own' } }, contextFor({ redactor, observe }));
  }
  expect(seen).toEqual(['resp-[redacted]', 'r'.repeat(200)]);
});
