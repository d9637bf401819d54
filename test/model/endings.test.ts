/** Endings that are none, and counts that are none, as the AI SDK's own packages hand them on. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { EffectResult } from '../../src/effects/effect-port.ts';
import type { LanguageModelV4 } from '@ai-sdk/provider';
import { resilientModel, type AttemptRow } from '../../src/ai-sdk/index.ts';
import { failureOf, reportOf } from '../../src/effects/effect-port.cases.ts';
import { virtualClock } from '../ai-sdk/models.cases.ts';
import { ask, HELLO } from './harness.ts';
import { PROTOCOLS, type Protocol, protocolNamed } from './protocols.ts';
import { events, refuses, startUpstream, streams, type Upstream } from './upstream.ts';

let upstream: Upstream;
beforeAll(async () => {
  upstream = await startUpstream();
});
afterAll(() => upstream.close());

const LOOKUP = { name: 'lookup', description: 'Finds.', inputSchema: { type: 'object' } } as const;
const WITH_TOOL = { call: { tools: [LOOKUP] } };

async function hear(
  protocol: Protocol,
  stream: string,
  asking: Parameters<typeof ask>[2] = {},
): Promise<EffectResult> {
  upstream.answer(streams(stream));
  return ask(protocol, upstream.url, asking);
}

describe.each(PROTOCOLS.filter(({ name }) => name !== 'responses'))(
  'an ending by $name',
  (protocol) => {
    it('with a word that nobody knows is none', async () => {
      const result = await hear(protocol, protocol.stream({ text: 'Half', stop: 'brand_new' }));
      expect(failureOf(result).failure.kind).toBe('provider.stream_interrupted');
      expect(failureOf(result).output).toEqual({ text: 'Half' });
    });

    it('that asks for a tool and names none is none', async () => {
      if (protocol.name === 'gemini') return;
      const stream = protocol.stream({ text: 'Let me see.', stop: protocol.stops.tool });
      const result = await hear(protocol, stream, WITH_TOOL);
      // words were delivered, so another try is not made unasked
      expect(reportOf(result)).toMatchObject({ kind: 'provider.unknown', category: 'ambiguous' });
    });
  },
);

describe('a bad word and then a good one', () => {
  const twice = (protocol: Protocol, bad: string): string => {
    const whole = protocol.stream({ text: 'Hello', stop: protocol.stops.good });
    const frames = whole.split('\n\n');
    const at = frames.findIndex((frame) => frame.includes(`"${protocol.stops.good}"`));
    const frame = frames[at] ?? '';
    const worse = frame.replace(`"${protocol.stops.good}"`, `"${bad}"`);
    return [...frames.slice(0, at), worse, ...frames.slice(at)].join('\n\n');
  };

  it.each([
    ['chat', 'content_filter', 'provider.content_filter'],
    ['chat', 'length', 'provider.truncated'],
    ['mistral', 'length', 'provider.truncated'],
    ['messages', 'refusal', 'provider.content_filter'],
    ['messages', 'max_tokens', 'provider.truncated'],
    ['gemini', 'SAFETY', 'provider.content_filter'],
    ['gemini', 'MAX_TOKENS', 'provider.truncated'],
  ])('by %s is the bad one: %s', async (name, bad, kind) => {
    const protocol = protocolNamed(name);
    const result = await hear(protocol, twice(protocol, bad));
    expect(reportOf(result).kind).toBe(kind);
    expect(failureOf(result).output).toEqual({ text: 'Hello' });
  });

  it.each(['chat', 'messages'])('by %s is a good one where both are', async (name) => {
    const protocol = protocolNamed(name);
    const result = await hear(protocol, twice(protocol, protocol.stops.good));
    expect(result).toMatchObject({ ok: true, output: { text: 'Hello' } });
  });

  it('by chat is a good one where the first is no word', async () => {
    const chat = protocolNamed('chat');
    expect((await hear(chat, twice(chat, 'null'))).ok).toBe(true);
  });
});

describe('an ending by messages', () => {
  const messages = protocolNamed('messages');

  it('that is a pause is none', async () => {
    const result = await hear(messages, messages.stream({ text: 'Half', stop: 'pause_turn' }));
    expect(reportOf(result)).toMatchObject({ kind: 'provider.truncated', retryable: false });
    expect(failureOf(result).output).toEqual({ text: 'Half' });
  });

  it.each([
    [/"type":"message_start","message":\{/, '$&"error":{"type":"overloaded_error","message":"m"},'],
    [/"type":"message_delta",/, '$&"error":{"type":"overloaded_error","message":"m"},'],
  ])('with an error inside is that error: %s', async (from, to) => {
    const stream = messages.stream({ text: 'Half', stop: 'end_turn' });
    expect(stream).toMatch(from);
    const result = await hear(messages, stream.replace(from, to));
    expect(reportOf(result).kind).toBe('provider.overloaded');
  });

  it('with the details of a refusal is a refusal, whatever its reason says', async () => {
    const stream = messages.stream({ text: 'Half', stop: 'end_turn' });
    const refusal = '"stop_reason":"end_turn","stop_details":{"type":"refusal"}';
    const result = await hear(messages, stream.replace('"stop_reason":"end_turn"', refusal));
    expect(reportOf(result).kind).toBe('provider.content_filter');
  });

  it('at a stop sequence is one', async () => {
    const result = await hear(messages, messages.stream({ text: 'Whole', stop: 'stop_sequence' }));
    expect(result).toMatchObject({ ok: true, output: { text: 'Whole' } });
  });
});

describe('an ending by hosts of the protocol chat', () => {
  const chat = protocolNamed('chat');

  it.each(['stop', 'eos', 'end_turn', 'COMPLETE', 'eos_token', 'STOP'])(
    '%s is a good one',
    async (stop) => {
      const result = await hear(chat, chat.stream({ text: 'Whole', stop }));
      expect(result).toMatchObject({ ok: true, output: { text: 'Whole' } });
    },
  );

  it('by stop with a call is one', async () => {
    const tool = { id: 'call00001', name: 'lookup', arguments: '{"id":7}' };
    const result = await hear(chat, chat.stream({ tool, stop: 'stop' }), WITH_TOOL);
    expect(result).toMatchObject({ ok: true, output: { toolCalls: [{ id: 'call00001' }] } });
  });
});

describe('a failure that nobody recognises', () => {
  const chat = protocolNamed('chat');
  const broken = {
    specificationVersion: 'v4',
    provider: 'house',
    modelId: 'own',
    supportedUrls: {},
    doGenerate: () => Promise.reject(new Error('not used')),
    doStream: () => Promise.reject(new Error('It went wrong')),
  };

  it('is not known to be free: its tokens are an estimate', async () => {
    const result = await ask(chat, upstream.url, {
      call: { ...WITH_TOOL.call, model: 'house/own' },
      options: { models: { 'house/own': broken } },
    });
    expect(result).toMatchObject({ ok: false, isEstimated: true });
    expect(result.usage?.inputTokens).toBeGreaterThan(0);
  });

  it('that gave up though nobody asked it to did not answer in time, as at the door', async () => {
    const gaveUp = new DOMException('This operation was aborted', 'AbortError');
    const result = await ask(chat, upstream.url, {
      call: { ...WITH_TOOL.call, model: 'house/own' },
      options: { models: { 'house/own': { ...broken, doStream: () => Promise.reject(gaveUp) } } },
    });
    const report = reportOf(result);
    expect(report).toMatchObject({ kind: 'provider.timeout', outcome: 'unknown', retryable: true });
    const own = { ...broken, doStream: () => Promise.reject(gaveUp) };
    // true: it has the fields of a model
    const rows: AttemptRow[] = [];
    const options = { clock: virtualClock(), onAttempt: (row: AttemptRow) => void rows.push(row) };
    const chain = resilientModel([own as unknown as LanguageModelV4], options);
    await chain.doStream({ prompt: [] });
    const { kind, outcome } = report;
    expect(rows[0]).toMatchObject({ kind, outcome });
  });

  it.each([204, 206])('under HTTP %d is not either', async (status) => {
    upstream.answer(refuses(status, {}));
    expect(await ask(chat, upstream.url)).toMatchObject({ ok: false, isEstimated: true });
  });

  it('under the status of a refusal is free', async () => {
    upstream.answer(refuses(418, {}));
    const free = { inputTokens: 0, outputTokens: 0 };
    expect(await ask(chat, upstream.url)).toMatchObject({ ok: false, usage: free });
  });
});

describe('an ending by a model of the application', () => {
  const chat = protocolNamed('chat');
  const call = { type: 'tool-call', toolCallId: 'c1', toolName: 'lookup', input: '{"id":7}' };
  const said = (
    unified: string,
    raw: string,
    more: readonly object[] = [],
  ): Promise<EffectResult> => {
    const parts = [
      { type: 'stream-start', warnings: [] },
      { type: 'text-start', id: '1' },
      { type: 'text-delta', id: '1', delta: 'Said' },
      { type: 'text-end', id: '1' },
      ...more,
      {
        type: 'finish',
        usage: { inputTokens: {}, outputTokens: {} },
        finishReason: { unified, raw },
      },
    ];
    const model = {
      specificationVersion: 'v4',
      provider: 'house',
      modelId: 'own',
      supportedUrls: {},
      doGenerate: () => Promise.reject(new Error('not used')),
      doStream: () => Promise.resolve({ stream: ReadableStream.from(parts) }),
    };
    return ask(chat, upstream.url, {
      call: { ...WITH_TOOL.call, model: 'house/own' },
      options: { models: { 'house/own': model } },
    });
  };

  it('in the words of the SDK is a good one', async () => {
    expect(await said('stop', 'stop')).toMatchObject({ ok: true, output: { text: 'Said' } });
    expect(await said('tool-calls', 'tool-calls', [call])).toMatchObject({
      ok: true,
      output: { toolCalls: [{ id: 'c1' }] },
    });
  });

  it('in the words of the SDK is none where the call is missing', async () => {
    expect(reportOf(await said('tool-calls', 'tool-calls')).kind).toBe('provider.unknown');
  });

  it.each([
    ['stop', 'brand_new', 'provider.stream_interrupted'],
    ['stop', 'tool-calls', 'provider.stream_interrupted'],
    ['unknown', 'unknown', 'provider.stream_interrupted'],
    ['other', 'other', 'provider.server_error'],
    ['content-filter', 'brand_new', 'provider.content_filter'],
  ])('that is %s to the SDK and %s to the model is none', async (unified, raw, kind) => {
    expect(reportOf(await said(unified, raw)).kind).toBe(kind);
  });
});

describe('an ending by responses', () => {
  const responses = protocolNamed('responses');
  const change = (from: RegExp, to: string): string => {
    const stream = responses.stream({ text: 'Half', stop: 'completed' });
    expect(stream).toMatch(from);
    return stream.replace(from, to);
  };
  const done = (item: object): string =>
    events({
      type: 'response.output_item.done',
      output_index: 1,
      item: { id: 'msg_1', type: 'message', role: 'assistant', ...item },
    });

  it('that is incomplete without a reason is none', async () => {
    const stream = change(/"type":"response\.completed"/, '"type":"response.incomplete"');
    const result = await hear(responses, stream);
    expect(reportOf(result)).toMatchObject({ kind: 'provider.truncated', retryable: false });
    expect(failureOf(result).output).toEqual({ text: 'Half' });
  });

  it.each(['incomplete', 'cancelled', 'failed', 'in_progress'])(
    'that says completed and has the status %s is none',
    async (status) => {
      const to = `"type":"response.completed","response":{"status":"${status}",`;
      const stream = change(/"type":"response\.completed","response":\{/, to);
      expect((await hear(responses, stream)).ok).toBe(false);
    },
  );

  it('with a part that is not whole is none', async () => {
    const content = [{ type: 'output_text', text: 'Half', annotations: [] }];
    const part = done({ status: 'incomplete', content });
    const result = await hear(
      responses,
      change(/data: \{"type":"response\.completed"/, `${part}$&`),
    );
    expect(reportOf(result).kind).toBe('provider.truncated');
    const output = [{ id: 'msg_1', type: 'message', status: 'incomplete', content }];
    const to = `$&"output":${JSON.stringify(output)},`;
    const reported = await hear(
      responses,
      change(/"type":"response\.completed","response":\{/, to),
    );
    expect(reportOf(reported).kind).toBe('provider.truncated');
  });

  it.each(['in_progress', 'queued', 'brand_new'])(
    'whose list has a message with the status %s is none',
    async (status) => {
      const content = [{ type: 'output_text', text: 'Half', annotations: [] }];
      const output = [{ id: 'msg_1', type: 'message', status, content }];
      const to = `$&"output":${JSON.stringify(output)},`;
      const listed = change(/"type":"response\.completed","response":\{/, to);
      expect((await hear(responses, listed)).ok).toBe(false);
    },
  );

  it('has the text that was sent when it was done, where a piece of it got lost', async () => {
    const content = [{ type: 'output_text', text: 'Half and half', annotations: [] }];
    const part = done({ status: 'completed', content });
    const result = await hear(
      responses,
      change(/data: \{"type":"response\.completed"/, `${part}$&`),
    );
    expect(result).toMatchObject({ ok: true, output: { text: 'Half and half' } });
  });

  it.each([['msg_1'], ['another'], [undefined]])(
    'has its text once, where its list at the end leaves out other items (id %s)',
    async (id) => {
      const text = 'The refund is approved.';
      const content = [{ type: 'output_text', text, annotations: [] }];
      const message = { type: 'message', role: 'assistant', status: 'completed', content };
      const finished = { ...message, id: 'msg_1' };
      const reported = events({
        type: 'response.output_item.done',
        output_index: 1,
        item: finished,
      });
      const output = JSON.stringify([id === undefined ? message : { ...message, id }]);
      const stream = responses
        .stream({ reasoning: 'Let me see.', text, stop: 'completed' })
        .replace(/(?:event: .*\n)?data: \{"type":"response\.completed"/, `${reported}$&`)
        .replace(/"type":"response\.completed","response":\{/, `$&"output":${output},`);
      expect(await hear(responses, stream)).toMatchObject({ ok: true, output: { text } });
    },
  );

  it('has the text of a part that was done, where no message was', async () => {
    const text = { type: 'response.output_text.done', output_index: 0, content_index: 0 };
    const part = events({ ...text, item_id: 'msg_1', text: 'Half and half' });
    const result = await hear(
      responses,
      change(/data: \{"type":"response\.completed"/, `${part}$&`),
    );
    expect(result).toMatchObject({ ok: true, output: { text: 'Half and half' } });
  });

  it.each([
    { type: 'response.content_part.done', part: { type: 'refusal', refusal: 'No.' } },
    { type: 'response.refusal.done', refusal: 'No.' },
  ])('with a refusal in a part is a refusal: $type', async (event) => {
    const part = events({ item_id: 'msg_1', output_index: 0, content_index: 1, ...event });
    const result = await hear(
      responses,
      change(/data: \{"type":"response\.completed"/, `${part}$&`),
    );
    expect(reportOf(result).kind).toBe('provider.content_filter');
  });

  it('with an error beside a good status is that error', async () => {
    const error = { code: 'server_error', message: 'Something broke.' };
    const to = `$&"status":"completed","error":${JSON.stringify(error)},`;
    const result = await hear(responses, change(/"type":"response\.completed","response":\{/, to));
    expect(reportOf(result).kind).toBe('provider.server_error');
  });

  it.each([
    ['a refusal', { content: [{ type: 'refusal', refusal: 'No.' }] }, 'provider.content_filter'],
    ['the status failed', { status: 'failed', content: [] }, 'provider.server_error'],
  ])('with %s in a message that is done is none', async (_, item, kind) => {
    const part = done({ status: 'completed', ...item });
    const ending = /data: \{"type":"response\.completed"/;
    expect(reportOf(await hear(responses, change(ending, `${part}$&`))).kind).toBe(kind);
    const silent = responses.stream({ stop: 'completed' }).replace(ending, `${part}$&`);
    expect((await hear(responses, silent)).ok).toBe(false);
  });

  it('with a refusal alone is a refusal', async () => {
    const item = { id: 'msg_1', type: 'message', status: 'in_progress', content: [] };
    const added = events({ type: 'response.output_item.added', output_index: 1, item });
    const part = `${added}${done({ status: 'completed', content: [{ type: 'refusal', refusal: 'No.' }] })}`;
    const silent = responses
      .stream({ stop: 'completed' })
      .replace(/(?:event: .*\n)?data: \{"type":"response\.completed"/, `${part}$&`);
    expect(reportOf(await hear(responses, silent)).kind).toBe('provider.content_filter');
  });

  it.each(['The refund is approved', 'Something else', 'The refund is not (yet) approved at all'])(
    'with pieces that are not in what was sent when it was done is none: %s',
    async (text) => {
      const part = done({ status: 'completed', content: [{ type: 'output_text', text }] });
      const stream = responses
        .stream({ text: 'The refund is not approved at all', stop: 'completed' })
        .replace(/data: \{"type":"response\.completed"/, `${part}$&`);
      expect(reportOf(await hear(responses, stream)).kind).toBe('provider.stream_interrupted');
    },
  );

  it('with two calls under one id is none', async () => {
    const call = (index: number): object => ({
      type: 'response.output_item.done',
      output_index: index,
      item: {
        id: `fc_${index}`,
        type: 'function_call',
        call_id: 'call_1',
        name: 'lookup',
        arguments: `{"id":${index}}`,
        status: 'completed',
      },
    });
    const added = (index: number): object => ({
      type: 'response.output_item.added',
      output_index: index,
      item: {
        id: `fc_${index}`,
        type: 'function_call',
        call_id: 'call_1',
        name: 'lookup',
        arguments: '',
        status: 'in_progress',
      },
    });
    const calls = events(added(2), call(2), added(3), call(3));
    const stream = change(/data: \{"type":"response\.completed"/, `${calls}$&`);
    const result = await hear(responses, stream, WITH_TOOL);
    expect(reportOf(result)).toMatchObject({ kind: 'provider.unknown', category: 'ambiguous' });
    expect(result).not.toHaveProperty('output.toolCalls');
  });
});

describe.each(PROTOCOLS)('a count of nothing by $name', (protocol) => {
  const COUNTS =
    /"((?:\w*(?:input|output|prompt|completion|cached?|creation|reasoning|write|total)\w*tokens?)|(?:prompt|candidates|thoughts|cachedContent|total)TokenCount)":\d+/g;
  const zeroed = (text: string): string => text.replace(COUNTS, '"$1":0');

  it('for what is not empty is our estimate, and says so', async () => {
    const stream = protocol.stream({ text: 'Hello.', stop: protocol.stops.good });
    const result = await hear(protocol, zeroed(stream));
    // 10 characters of a prompt and 6 of an answer, at 4 a token
    expect(result).toMatchObject({
      ok: true,
      usage: { inputTokens: 3, outputTokens: 2 },
      isEstimated: true,
    });
  });

  it('for a call is our estimate too', async () => {
    const tool = { id: 'call00001', name: 'lookup', arguments: '{"id":7}' };
    const stream = protocol.stream({ tool, stop: protocol.stops.tool });
    const result = await hear(protocol, zeroed(stream), WITH_TOOL);
    expect(result).toMatchObject({ ok: true, isEstimated: true });
    expect(result.usage?.outputTokens).toBeGreaterThan(0);
  });

  it('for an empty answer stays what it is', async () => {
    const stream = protocol.stream({ stop: protocol.stops.good });
    const messages = [
      ...HELLO.messages,
      {
        role: 'assistant' as const,
        text: '',
        toolCalls: [{ id: 'call00001', name: 'f', arguments: {} }],
      },
      { role: 'tool' as const, id: 'call00001', name: 'f', result: null, isError: false },
    ];
    const result = await hear(protocol, zeroed(stream), { call: { messages } });
    expect(result).toMatchObject({ ok: true, usage: { outputTokens: 0 }, isEstimated: true });
    expect(result.usage?.inputTokens).toBeGreaterThan(0);
  });
});
