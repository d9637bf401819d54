/** Models of an application, in every version of the interface that is in use: what they are asked, and what counts of their parts. */
import { afterEach, describe, expect, it } from 'vitest';
import { contextFor, failureOf, reportOf } from '../../src/effects/effect-port.cases.ts';
import type { EffectResult } from '../../src/effects/effect-port.ts';
import type { ModelEffectOptions } from '../../src/effects/model/model-host.ts';
import { createModelEffect } from '../../src/effects/model/model-effect.ts';
import type { ModelCall } from '../../src/machine/conversation/model-message.ts';
import { HELLO, SDKS } from './harness.ts';
import { callsTo } from './wire-calls.ts';

/** Where the SDK looks for models that are only a name. */
const host = globalThis as { AI_SDK_DEFAULT_PROVIDER?: unknown };
afterEach(() => void delete host.AI_SDK_DEFAULT_PROVIDER);

const NEW_END = {
  finishReason: { unified: 'stop', raw: 'stop' },
  usage: {
    inputTokens: { total: 12, noCache: 5, cacheRead: 4, cacheWrite: 3 },
    outputTokens: { total: 9, text: 7, reasoning: 2 },
  },
};

/** How a reply ends, in each version. */
const ENDS: Readonly<Record<string, object>> = {
  v4: NEW_END,
  v3: NEW_END,
  v2: {
    finishReason: 'stop',
    usage: {
      inputTokens: 12,
      outputTokens: 9,
      totalTokens: 21,
      reasoningTokens: 2,
      cachedInputTokens: 4,
    },
  },
};

const TEXT: readonly object[] = [
  { type: 'stream-start', warnings: [] },
  { type: 'text-start', id: '0' },
  { type: 'text-delta', id: '0', delta: 'Hello.' },
  { type: 'text-end', id: '0' },
];

const OVERLOADED = { message: 'Overloaded', type: 'overloaded_error' };

interface Spy {
  readonly model: object;
  readonly asked: object[];
}

function spyOf(version: string, parts: readonly object[]): Spy {
  const asked: object[] = [];
  const model = {
    specificationVersion: version,
    provider: 'house.chat',
    modelId: 'inner',
    supportedUrls: {},
    doStream: (options: object) => {
      const { abortSignal, ...rest } = options as { abortSignal?: unknown };
      expect(abortSignal).toBeInstanceOf(AbortSignal);
      asked.push(rest);
      return Promise.resolve({ stream: ReadableStream.from(parts) });
    },
  };
  return { model, asked };
}

function ask(model: unknown, call: Partial<ModelCall> = {}): Promise<EffectResult> {
  const effect = createModelEffect({ env: {}, models: { 'house/own': model as object } });
  return effect({ call: { ...HELLO, model: 'house/own', ...call }, directory: SDKS }, contextFor());
}

/** Takes everything out of what it is given, as a package may that fits a schema to its provider. */
function empty(value: unknown): void {
  if (typeof value !== 'object' || value === null || value instanceof AbortSignal) return;
  for (const [key, inner] of Object.entries(value)) {
    empty(inner);
    Reflect.deleteProperty(value, key);
  }
}

const finish = (version: string) => ({ type: 'finish', ...ENDS[version] });

describe.each(['v4', 'v3', 'v2'])('a model of version %s', (version) => {
  it('is asked the same', async () => {
    const parts: string[] = [];
    for (const [title, call] of Object.entries(callsTo('house'))) {
      const { model, asked } = spyOf(version, [...TEXT, finish(version)]);
      await ask(model, call);
      parts.push(`## ${title}\n${JSON.stringify(asked)}\n`);
    }
    await expect(parts.join('\n')).toMatchFileSnapshot(`__golden__/models/${version}.txt`);
  });

  it('answers with its text, and what it used', async () => {
    const { model } = spyOf(version, [...TEXT, finish(version)]);
    expect(await ask(model)).toMatchObject({
      ok: true,
      output: { text: 'Hello.', answeredBy: 'house/inner' },
      usage: { inputTokens: 12, outputTokens: 9, cachedTokens: 4, reasoningTokens: 2 },
    });
  });

  it('calls tools', async () => {
    const { model } = spyOf(version, [
      { type: 'stream-start', warnings: [] },
      { type: 'tool-input-start', id: 'a', toolName: 'lookup' },
      { type: 'tool-input-delta', id: 'a', delta: '{"label":' },
      { type: 'tool-input-delta', id: 'a', delta: '"x"}' },
      { type: 'tool-input-end', id: 'a' },
      { type: 'tool-call', toolCallId: 'a', toolName: 'lookup', input: '{"label":"x"}' },
      { type: 'tool-call', toolCallId: 'b', toolName: 'lookup', input: ' ' },
      { type: 'tool-call', toolCallId: 'c', toolName: 'lookup', input: '{"__proto__":{"a":1}}' },
      { type: 'tool-call', toolCallId: 'd', toolName: 'lookup', input: '"words"' },
      { type: 'tool-call', toolCallId: 'e', toolName: 'nobody', input: '' },
      {
        type: 'tool-call',
        toolCallId: 'f',
        toolName: 'lookup',
        input: '{"constructor":{"prototype":1}}',
      },
      { type: 'tool-call', toolCallId: 'g', toolName: 'x', input: '{}', providerExecuted: true },
      finish(version),
    ]);
    const result = await ask(model, {
      tools: [{ name: 'lookup', inputSchema: { type: 'object' } }],
    });
    expect(result).toMatchObject({
      ok: true,
      output: {
        toolCalls: [
          { id: 'a', name: 'lookup', arguments: { label: 'x' } },
          { id: 'b', name: 'lookup', arguments: {} },
          { id: 'c', name: 'lookup', unparsable: '{"__proto__":{"a":1}}' },
          { id: 'd', name: 'lookup', arguments: 'words' },
          { id: 'e', name: 'nobody', unparsable: '' },
          { id: 'f', name: 'lookup', unparsable: '{"constructor":{"prototype":1}}' },
        ],
      },
    });
  });

  it('may change what it is given: nothing of the run changes with it', async () => {
    const call: Partial<ModelCall> = {
      tools: [
        { name: 'lookup', inputSchema: { type: 'object', properties: { id: { type: 'number' } } } },
      ],
      outputSchema: { type: 'object', properties: { label: { type: 'string' } } },
      messages: [
        { role: 'user', text: 'Which?' },
        {
          role: 'assistant',
          text: '',
          toolCalls: [{ id: 'a', name: 'lookup', arguments: { id: { deep: 7 } } }],
        },
        { role: 'tool', id: 'a', name: 'lookup', result: { found: { deep: 7 } }, isError: false },
      ],
    };
    const before = structuredClone(call);
    const { model } = spyOf(version, [...TEXT, finish(version)]);
    const asked = model as { doStream: (options: object) => unknown };
    const { doStream } = asked;
    asked.doStream = (options) => {
      empty(options);
      return doStream({ abortSignal: new AbortController().signal });
    };
    expect(await ask(model, call)).toMatchObject({ ok: true });
    expect(call).toEqual(before);
  });

  it('is cut where it ends without a finish', async () => {
    expect(reportOf(await ask(spyOf(version, TEXT).model))).toMatchObject({
      kind: 'provider.stream_interrupted',
      outcome: 'partial',
    });
    expect(reportOf(await ask(spyOf(version, TEXT.slice(0, 1)).model))).toMatchObject({
      kind: 'provider.network',
      outcome: 'unknown',
    });
    expect(reportOf(await ask(spyOf(version, []).model))).toMatchObject({
      kind: 'provider.network',
      outcome: 'unknown',
    });
  });

  it('fails with a piece of a block that nobody began', async () => {
    const stray = { type: 'text-delta', id: '7', delta: 'Stray.' };
    const result = await ask(spyOf(version, [...TEXT, stray, finish(version)]).model);
    expect(failureOf(result)).toMatchObject({
      failure: { kind: 'provider.unknown', outcome: 'partial' },
      output: { text: 'Hello.Stray.' },
    });
    const late = { type: 'reasoning-end', id: '0' };
    expect(
      reportOf(await ask(spyOf(version, [...TEXT, late, finish(version)]).model)),
    ).toMatchObject({
      kind: 'provider.unknown',
    });
  });

  it.each([
    ['error', OVERLOADED],
    ['whole event', { type: 'error', error: OVERLOADED }],
  ])('reports the %s that a part of it holds', async (_, error) => {
    const result = await ask(spyOf(version, [...TEXT, { type: 'error', error }]).model);
    expect(reportOf(result)).toMatchObject({
      kind: 'provider.overloaded',
      outcome: 'partial',
      provider: { type: 'overloaded_error' },
    });
  });
});

describe('a model that cannot be called', () => {
  it.each(['v1', 'v5', undefined])('is of version %s', async (version) => {
    const { model, asked } = spyOf(version as string, [...TEXT, finish('v4')]);
    const report = reportOf(await ask(model));
    expect(asked).toEqual([]);
    expect(report).toMatchObject({ kind: 'provider.unsupported', outcome: 'not_started' });
  });

  it('has no way to stream', async () => {
    const { model } = spyOf('v4', []);
    const { doStream: _left, ...rest } = model as { doStream: unknown };
    expect(reportOf(await ask(rest))).toMatchObject({
      kind: 'provider.unsupported',
      outcome: 'not_started',
    });
  });
});

describe('a model that was asked', () => {
  it('says in plain words that it returned no stream', async () => {
    const model = { ...spyOf('v4', []).model, doStream: () => Promise.resolve({}) };
    expect(reportOf(await ask(model))).toMatchObject({
      kind: 'provider.unknown',
      message: 'The model returned no stream',
    });
  });
});

describe('a model that the application does not have', () => {
  const KEY = { OPENAI_API_KEY: 'a-key-of-this-process' };

  it.each<[string, ModelEffectOptions]>([
    ['a model', { env: KEY, models: { 'openai/m': undefined as unknown as object } }],
    [
      'a provider',
      { env: KEY, providers: { openai: { languageModel: () => undefined as unknown as object } } },
    ],
    ['a function', { env: KEY, providers: { openai: () => undefined as unknown as object } }],
    [
      'no provider at all',
      { env: KEY, providers: { openai: undefined as unknown as () => object } },
    ],
  ])('is asked of nobody else: %s', async (_, options) => {
    const loaded: string[] = [];
    const loadPackage = (name: string) => {
      loaded.push(name);
      return { type: 'missing' } as const;
    };
    const effect = createModelEffect({ ...options, loadPackage });
    const result = await effect({ call: { ...HELLO, model: 'openai/m' } }, contextFor());
    expect(loaded).toEqual([]);
    const report = reportOf(result);
    expect(report).toMatchObject({ kind: 'provider.unsupported', outcome: 'not_started' });
    expect(report.message).toContain('nothing is registered for it');
  });
});

describe('a model that is only a name', () => {
  it('is found where the application says', async () => {
    const { model } = spyOf('v4', [...TEXT, finish('v4')]);
    const names: string[] = [];
    host.AI_SDK_DEFAULT_PROVIDER = {
      specificationVersion: 'v4',
      languageModel: (name: string) => {
        names.push(name);
        return model;
      },
    };
    expect(await ask('acme/fast')).toMatchObject({ ok: true, output: { text: 'Hello.' } });
    expect(names).toEqual(['acme/fast']);
  });

  it('fails as it is said where nobody knows it', async () => {
    host.AI_SDK_DEFAULT_PROVIDER = {
      specificationVersion: 'v4',
      languageModel: () => {
        throw new Error('No such model');
      },
    };
    expect(reportOf(await ask('acme/fast'))).toMatchObject({
      kind: 'provider.unknown',
      message: 'No such model',
    });
  });
});
