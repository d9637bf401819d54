/** The end of a reply: what comes after the provider's own end, what is lost before it, and words that contradict it. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { reportOf } from '../../src/effects/effect-port.cases.ts';
import type { EffectResult } from '../../src/effects/effect-port.ts';
import { ask } from './harness.ts';
import { type Protocol, protocolNamed } from './protocols.ts';
import { events, startUpstream, streams, type Upstream } from './upstream.ts';

let upstream: Upstream;
beforeAll(async () => {
  upstream = await startUpstream();
});
afterAll(() => upstream.close());

const PAY = { name: 'pay', description: 'Pays.', inputSchema: { type: 'object' } } as const;

const hear = (protocol: Protocol, stream: string): Promise<EffectResult> => {
  upstream.answer(streams(stream));
  return ask(protocol, upstream.url, { call: { tools: [PAY] } });
};

const whole = (protocol: Protocol): string =>
  protocol.stream({ text: 'Whole', stop: protocol.stops.good });

const CALL = { id: 'fc_9', type: 'function_call', call_id: 'call_9', name: 'pay' };
const WORDS = { id: 'msg_9', type: 'message', role: 'assistant' };
const TEXT = { type: 'output_text', text: 'evil', annotations: [] };

describe('after the end of a reply', () => {
  it.each<[string, readonly object[]]>([
    [
      'a message',
      [
        { type: 'response.output_item.added', output_index: 7, item: { ...WORDS, content: [] } },
        { type: 'response.output_text.delta', output_index: 7, item_id: 'msg_9', delta: 'evil' },
        { type: 'response.output_item.done', output_index: 7, item: { ...WORDS, content: [TEXT] } },
      ],
    ],
    [
      'a call',
      [
        { type: 'response.output_item.added', output_index: 7, item: { ...CALL, arguments: '' } },
        {
          type: 'response.output_item.done',
          output_index: 7,
          item: { ...CALL, arguments: '{}', status: 'completed' },
        },
      ],
    ],
    [
      'a piece of its text',
      [{ type: 'response.output_text.delta', output_index: 0, item_id: 'msg_1', delta: 'evil' }],
    ],
  ])('by responses %s is no part of it', async (_, after) => {
    const protocol = protocolNamed('responses');
    const result = await hear(protocol, `${whole(protocol)}${events(...after)}`);
    expect(reportOf(result).kind).toBe('provider.stream_interrupted');
    expect(result).not.toHaveProperty('output.toolCalls');
  });

  it.each<[string, readonly object[]]>([
    [
      'a block',
      [
        { type: 'content_block_start', index: 5, content_block: { type: 'text', text: '' } },
        { type: 'content_block_delta', index: 5, delta: { type: 'text_delta', text: 'evil' } },
        { type: 'content_block_stop', index: 5 },
      ],
    ],
    [
      'a call',
      [
        {
          type: 'content_block_start',
          index: 5,
          content_block: { type: 'tool_use', id: 't9', name: 'pay', input: {} },
        },
        { type: 'content_block_stop', index: 5 },
      ],
    ],
    [
      'a piece of its text',
      [{ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'evil' } }],
    ],
    ['another end', [{ type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: {} }]],
  ])('by messages %s is no part of it', async (_, after) => {
    const protocol = protocolNamed('messages');
    const result = await hear(protocol, `${whole(protocol)}${events(...after)}`);
    expect(reportOf(result).kind).toBe('provider.stream_interrupted');
    expect(result).not.toHaveProperty('output.toolCalls');
  });

  it.each(['responses', 'messages'])('by %s a ping says nothing', async (name) => {
    const protocol = protocolNamed(name);
    const result = await hear(protocol, `${whole(protocol)}${events({ type: 'ping' })}: bye\n\n`);
    expect(result).toMatchObject({ ok: true, output: { text: 'Whole' } });
  });
});

describe('the last event of a stream', () => {
  const gemini = protocolNamed('gemini');
  /** Some versions end each event with a finish reason. */
  const chunk = (text: string): object => ({
    candidates: [{ content: { role: 'model', parts: [{ text }] }, finishReason: 'STOP' }],
  });

  it('that breaks off is a cut, though an earlier one had an end', async () => {
    const cut = JSON.stringify(chunk(' and the other half')).slice(0, -20);
    const result = await hear(gemini, `${events(chunk('Half'))}data: ${cut}`);
    expect(reportOf(result).kind).toBe('provider.stream_interrupted');
  });

  it('counts without the empty line after it', async () => {
    const last = JSON.stringify(chunk(' and half'));
    for (const end of ['', '\n', '\r\n']) {
      const result = await hear(gemini, `${events(chunk('Half'))}data: ${last}${end}`);
      expect(result).toMatchObject({ ok: true, output: { text: 'Half and half' } });
    }
    const chat = protocolNamed('chat');
    const done = whole(chat).trimEnd();
    expect(done).toMatch(/data: \[DONE\]$/);
    expect(await hear(chat, done)).toMatchObject({ ok: true, output: { text: 'Whole' } });
  });
});

describe('words beside a good end', () => {
  const end = (more: object, delta: object = {}): object => ({
    id: 'c1',
    object: 'chat.completion.chunk',
    created: 1_750_000_000,
    model: 'm',
    choices: [{ index: 0, delta: { content: 'Half', ...delta }, finish_reason: 'stop', ...more }],
  });

  it.each([
    ['MAX_TOKENS', 'provider.truncated'],
    ['SAFETY', 'provider.content_filter'],
    ['MALFORMED_FUNCTION_CALL', 'provider.unknown'],
  ])('of the host behind a router, %s, count', async (native, kind) => {
    const chat = protocolNamed('chat');
    const result = await hear(chat, events(end({ native_finish_reason: native })));
    expect(reportOf(result).kind).toBe(kind);
  });

  it.each(['STOP', 'end_turn', 'completed', 'a_word_of_its_own', null])(
    'of the host behind a router, %s, are good or not known',
    async (native) => {
      const chat = protocolNamed('chat');
      const result = await hear(chat, events(end({ native_finish_reason: native })));
      expect(result).toMatchObject({ ok: true, output: { text: 'Half' } });
    },
  );

  it.each(['chat', 'mistral'])('that refuse count, by %s', async (name) => {
    const result = await hear(protocolNamed(name), events(end({}, { refusal: 'I cannot' })));
    expect(reportOf(result).kind).toBe('provider.content_filter');
    const none = await hear(protocolNamed(name), events(end({}, { refusal: null })));
    expect(none).toMatchObject({ ok: true });
  });
});

describe('the beginning of a message', () => {
  const messages = protocolNamed('messages');

  it('that has refused already is not made good by its end', async () => {
    const stream = whole(messages).replace('"role":"assistant"', '$&,"stop_reason":"refusal"');
    expect(stream).not.toBe(whole(messages));
    // the last of two keys counts
    const once = stream.replace(/"stop_reason":null,?/, '');
    expect(reportOf(await hear(messages, once)).kind).toBe('provider.content_filter');
  });

  it('of a block with words that the SDK does not read is no whole reply', async () => {
    const stream = whole(messages).replace(
      '"content_block":{"type":"text","text":""',
      '"content_block":{"type":"text","text":"Not "',
    );
    expect(stream).not.toBe(whole(messages));
    expect(reportOf(await hear(messages, stream)).kind).toBe('provider.stream_interrupted');
  });
});

describe('a response that is incomplete', () => {
  const responses = protocolNamed('responses');
  const incomplete = (details: object | null): object => ({
    type: 'response.incomplete',
    response: {
      status: 'incomplete',
      incomplete_details: details,
      usage: { input_tokens: 10, output_tokens: 4 },
    },
  });

  it.each([
    [{ reason: 'content_filter' }, 'provider.content_filter'],
    [{ reason: 'max_output_tokens' }, 'provider.truncated'],
    [null, 'provider.truncated'],
  ])('by %j keeps its reason, though another end calls it completed', async (details, kind) => {
    const stream = whole(responses).replace(
      /data: \{"type":"response\.completed"/,
      `${events(incomplete(details))}$&`,
    );
    expect(stream).toContain('response.incomplete');
    expect(reportOf(await hear(responses, stream)).kind).toBe(kind);
  });
});

describe('an error that stands in a stream without its field', () => {
  const chat = protocolNamed('chat');
  const error = { error: { code: 503, message: 'The model is overloaded' } };

  it.each([
    ['in one line', `${JSON.stringify(error)}\n\n`],
    ['in one line, before the next event', `${JSON.stringify(error)}\n`],
    ['in many lines', `${JSON.stringify(error, null, 2)}\n\n`],
  ])('%s is the failure, whatever end follows', async (_, bare) => {
    const [first = '', ...rest] = whole(chat).split(/(?<=\n\n)/);
    const result = await hear(chat, [first, bare, ...rest].join(''));
    expect(reportOf(result).kind).toBe('provider.overloaded');
  });

  it('after the last event is one too', async () => {
    const result = await hear(chat, `${whole(chat)}${JSON.stringify(error)}`);
    expect(reportOf(result).kind).toBe('provider.overloaded');
  });

  it.each(['{}\n\n', '{"ok":true}\n\n', '{ not JSON\n\n', ': {"error":{"code":503}}\n\n'])(
    'is none in %j',
    async (bare) => {
      const [first = '', ...rest] = whole(chat).split(/(?<=\n\n)/);
      const result = await hear(chat, [first, bare, ...rest].join(''));
      expect(result).toMatchObject({ ok: true, output: { text: 'Whole' } });
    },
  );
});
