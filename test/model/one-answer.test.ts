/** Streams that end well and are not the whole of one answer: other choices, second beginnings, errors inside. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { failureOf, reportOf } from '../../src/effects/effect-port.cases.ts';
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

const chunk = (...choices: readonly object[]): object => ({
  id: 'c1',
  object: 'chat.completion.chunk',
  created: 1_750_000_000,
  model: 'm',
  choices,
});
const piece = (index: number, content: string, more: object = {}): object => ({
  index,
  delta: { content },
  finish_reason: null,
  ...more,
});
const END = { finish_reason: 'stop' };
const DONE = 'data: [DONE]\n\n';

describe('a chat', () => {
  const chat = protocolNamed('chat');
  const chatOf = (...chunks: readonly object[]): Promise<EffectResult> =>
    hear(chat, `${events(...chunks)}${DONE}`);

  it('with an error inside of its choice is that error', async () => {
    const error = { code: 502, message: 'upstream died' };
    const result = await chatOf(chunk(piece(0, 'Half')), chunk(piece(0, '', { ...END, error })));
    expect(reportOf(result).kind).toBe('provider.server_error');
    expect(failureOf(result).output).toEqual({ text: 'Half' });
  });

  it.each(['chat', 'mistral'])('by %s that comes a second time is two', async (name) => {
    const whole = `${events(chunk(piece(0, 'Whole')), chunk(piece(0, '', END)))}${DONE}`;
    const protocol = protocolNamed(name);
    const result = await hear(protocol, whole + whole);
    expect(reportOf(result)).toMatchObject({
      kind: 'provider.stream_interrupted',
      outcome: 'partial',
    });
  });

  it('with a count after its end is one', async () => {
    const usage = { prompt_tokens: 4, completion_tokens: 2, total_tokens: 6 };
    const whole = `${events(chunk(piece(0, 'Whole', END)))}${DONE}`;
    const late = events({ ...chunk(), usage });
    expect(await hear(chat, `${whole}${late}${DONE}`)).toMatchObject({
      ok: true,
      output: { text: 'Whole' },
      usage: { inputTokens: 4, outputTokens: 2 },
    });
  });

  it.each<[string, string, object]>([
    ['chat', 'beside its choices', { error: { code: 502, message: 'upstream died' } }],
    ['chat', "in Groq's place", { x_groq: { id: 'r', error: { code: 502, message: 'died' } } }],
    ['mistral', 'beside its choices', { error: { code: 502, message: 'upstream died' } }],
  ])('by %s with an error %s is that error, whatever comes with it', async (name, _, error) => {
    const pay = { index: 0, id: 'call00001', type: 'function' };
    const tool = { ...pay, function: { name: 'pay', arguments: '{"a":1}' } };
    const text = chunk(piece(0, 'Half'));
    const begun = { ...chunk({ index: 0, delta: { tool_calls: [tool] } }), ...error };
    const ended = { ...chunk(piece(0, '', END)), ...error };
    const done = chunk({ index: 0, delta: {}, finish_reason: 'tool_calls' });
    for (const chunks of [
      [text, ended],
      [begun, done],
    ]) {
      const result = await hear(protocolNamed(name), `${events(...chunks)}${DONE}`);
      expect(reportOf(result).kind).toBe('provider.server_error');
    }
  });

  it.each([null, '', false])('with %o for an error has none', async (error) => {
    const ended = { ...chunk(piece(0, 'Whole', END)), x_groq: { id: 'r', error } };
    expect(await chatOf(ended)).toMatchObject({ ok: true, output: { text: 'Whole' } });
  });

  it('with the words of an error in the place of one is that error', async () => {
    const ended = { ...chunk(piece(0, 'Half', END)), x_groq: { id: 'r', error: 'over capacity' } };
    const { kind, retryable } = reportOf(await chatOf(ended));
    expect([kind, retryable]).toEqual(['provider.overloaded', false]);
  });

  it('in which only another choice ends has not ended', async () => {
    const silent = await chatOf(chunk(piece(0, 'Half')), chunk(piece(1, '', END)));
    expect(reportOf(silent).kind).toBe('provider.stream_interrupted');
    const beside = await chatOf(chunk(piece(0, 'Half')), chunk(piece(0, ''), piece(1, '', END)));
    expect(reportOf(beside).kind).toBe('provider.stream_interrupted');
  });

  it('with the words of another choice in it is none', async () => {
    const mixed = await chatOf(
      chunk(piece(0, 'Half')),
      chunk(piece(1, 'other', END)),
      chunk(piece(0, '', END)),
    );
    expect(reportOf(mixed).kind).toBe('provider.stream_interrupted');
  });

  it('is whole where no choice has a number, or another one is beside it', async () => {
    const nameless = chunk({ delta: { content: 'Whole' }, ...END });
    expect(await chatOf(nameless)).toMatchObject({ ok: true, output: { text: 'Whole' } });
    const beside = chunk(piece(0, 'Whole', END), piece(1, 'Other', END));
    expect(await chatOf(beside)).toMatchObject({ ok: true, output: { text: 'Whole' } });
  });

  const call = (index: number, id: string, amount: number): object => ({
    index,
    id,
    type: 'function',
    function: { name: 'pay', arguments: `{"amount":${amount}}` },
  });
  const calls = (...list: readonly object[]): Promise<EffectResult> =>
    chatOf(
      ...list.map((one) => chunk({ index: 0, delta: { tool_calls: [one] }, finish_reason: null })),
      chunk(piece(0, '', { finish_reason: 'tool_calls' })),
    );

  it.each([
    ['words', { content: 'more' }],
    ['a call', { tool_calls: [{ index: 0, id: '1', function: { name: 'pay', arguments: '{}' } }] }],
  ])('with %s after its end is whole only where it ends again', async (_, delta) => {
    const ended = chunk(piece(0, 'Half', END));
    const result = await chatOf(ended, chunk({ index: 0, delta, finish_reason: null }));
    expect(reportOf(result).kind).toBe('provider.stream_interrupted');
    expect(result).not.toHaveProperty('output.toolCalls');
    expect(await chatOf(ended, chunk({ index: 0, delta, ...END }))).toMatchObject({ ok: true });
  });

  it('with an empty piece after its end is whole', async () => {
    const after = [piece(0, ''), { index: 0, delta: { role: 'assistant', tool_calls: [] } }];
    const result = await chatOf(chunk(piece(0, 'Whole', END)), ...after.map((each) => chunk(each)));
    expect(result).toMatchObject({ ok: true, output: { text: 'Whole' } });
  });

  it('with two calls under one id is none, whatever id the SDK gives to the second', async () => {
    const result = await calls(call(0, '1', 5), call(1, '1', 5));
    expect(reportOf(result)).toMatchObject({ kind: 'provider.unknown', category: 'ambiguous' });
    expect(result).not.toHaveProperty('output.toolCalls');
  });

  it('with two calls under two ids is whole', async () => {
    const result = await calls(call(0, '1', 5), call(1, '2', 5));
    expect(result).toMatchObject({ ok: true, output: { toolCalls: [{ id: '1' }, { id: '2' }] } });
  });

  it('with the id of a call in each piece of it is whole', async () => {
    const first = { ...call(0, '1', 5), function: { name: 'pay', arguments: '{"amount"' } };
    const second = { index: 0, id: '1', function: { arguments: ':5}' } };
    const result = await calls(first, second);
    expect(result).toMatchObject({
      ok: true,
      output: { toolCalls: [{ arguments: { amount: 5 } }] },
    });
  });
});

describe('a second beginning', () => {
  it.each(['messages', 'responses'])('by %s is no part of the first answer', async (name) => {
    const protocol = protocolNamed(name);
    const whole = protocol.stream({ text: 'two', stop: protocol.stops.good });
    const half = protocol.stream({ text: 'half one' });
    const result = await hear(protocol, `${half}${whole}`);
    expect(reportOf(result).kind).toBe('provider.stream_interrupted');
    expect(await hear(protocol, whole)).toMatchObject({ ok: true, output: { text: 'two' } });
  });
});

describe('a call by responses', () => {
  const responses = protocolNamed('responses');
  const tool = { id: 'call_1', name: 'pay', arguments: '{"amount":5}' };

  it('whose pieces are not in it when it is done is none', async () => {
    const stream = responses.stream({ tool, stop: 'completed' });
    expect(await hear(responses, stream)).toMatchObject({ ok: true });
    for (const amount of [9, 95, 5000, -5]) {
      const other = stream.replace(/(output_item\.done".*?\\"amount\\":)5/g, `$1${amount}`);
      expect(other).not.toBe(stream);
      const result = await hear(responses, other);
      expect(reportOf(result).kind).toBe('provider.stream_interrupted');
      expect(result).not.toHaveProperty('output.toolCalls');
    }
  });

  it.each([
    ['other arguments', { name: 'pay', arguments: '{"amount":999}' }, false],
    ['another name', { name: 'refund', arguments: '{"amount":5}' }, false],
    ['other blanks', { name: 'pay', arguments: '{ "amount": 5 }' }, true],
  ])('that the end lists with %s', async (_, listed, isSame) => {
    const item = { type: 'function_call', id: 'fc_1', call_id: 'call_1', status: 'completed' };
    const output = JSON.stringify([{ ...item, ...listed }]);
    const end = /"type":"response\.completed","response":\{/;
    const stream = responses.stream({ tool, stop: 'completed' });
    expect(stream).toMatch(end);
    const result = await hear(responses, stream.replace(end, `$&"output":${output},`));
    if (isSame) expect(result).toMatchObject({ output: { toolCalls: [{ name: 'pay' }] } });
    else expect(reportOf(result).kind).toBe('provider.stream_interrupted');
  });

  it('whose arguments were done as others is none', async () => {
    const done = { type: 'response.function_call_arguments.done', arguments: '{"amount":999}' };
    const stream = responses
      .stream({ tool, stop: 'completed' })
      .replace(
        /(?:event: .*\n)?data: \{"type":"response\.output_item\.done".*?"output_index":(\d+)/,
        (all, at) => `${events({ ...done, output_index: Number(at), item_id: 'fc_1' })}${all}`,
      );
    expect(stream).toContain('999');
    expect(reportOf(await hear(responses, stream)).kind).toBe('provider.stream_interrupted');
  });

  it('of which a piece got lost is what it was when it was done', async () => {
    const stream = responses.stream({ tool, stop: 'completed' });
    const left = stream.replace(
      /(arguments\.delta".*?"delta":)"[^}]*\}"/g,
      String.raw`$1"{\"amount\""`,
    );
    expect(left).not.toBe(stream);
    expect(await hear(responses, left)).toMatchObject({
      ok: true,
      output: { toolCalls: [{ arguments: { amount: 5 } }] },
    });
  });
});

/** Leaves out the event that completes the call. */
function withoutEnd(stream: string, end: RegExp): string {
  const blocks = stream.split('\n\n');
  const at = blocks.findLastIndex((block) => end.test(block));
  return blocks.filter((_, index) => index !== at).join('\n\n');
}

describe('a call that was begun and never completed', () => {
  const tool = { id: 'call_1', name: 'pay', arguments: '{"amount":5}' };

  it.each([
    ['responses', /output_item\.done/, 'completed'],
    ['messages', /content_block_stop/, 'end_turn'],
    ['messages', /content_block_stop/, 'tool_use'],
  ])('by %s (%s, %s) is no success', async (name, end, stop) => {
    const protocol = protocolNamed(name);
    const whole = protocol.stream({ text: 'I pay now.', tool, stop });
    const lost = withoutEnd(whole, end);
    expect(lost).not.toBe(whole);
    const result = await hear(protocol, lost);
    expect(reportOf(result)).toMatchObject({
      kind: 'provider.stream_interrupted',
      outcome: 'partial',
    });
  });

  it('by responses is none where only the end lists it', async () => {
    const protocol = protocolNamed('responses');
    const call = { type: 'function_call', call_id: 'q', name: 'pay', arguments: '{}' };
    const whole = protocol.stream({ text: 'I pay now.', stop: 'completed' });
    const listed = whole.replace(
      /("type":"response\.completed","response":\{)/,
      `$1"output":[${JSON.stringify(call)}],`,
    );
    expect(listed).not.toBe(whole);
    expect(reportOf(await hear(protocol, listed)).kind).toBe('provider.stream_interrupted');
  });

  it('by chat is none in the form that nobody reads any more', async () => {
    const old = { function_call: { name: 'pay', arguments: '{}' } };
    const stream = events(chunk(piece(0, 'I pay now.')), chunk({ index: 0, delta: old, ...END }));
    const result = await hear(protocolNamed('chat'), `${stream}${DONE}`);
    expect(reportOf(result).kind).toBe('provider.stream_interrupted');
  });
});

describe('a reply of Gemini', () => {
  const gemini = protocolNamed('gemini');
  const candidate = (index: number, text: string, more: object = {}): object => ({
    candidates: [
      { index, content: { role: 'model', parts: text === '' ? [] : [{ text }] }, ...more },
    ],
  });
  const STOP = { finishReason: 'STOP' };

  it.each([
    ['in which only another candidate ends', [candidate(0, 'Half'), candidate(1, '', STOP)]],
    ['with words after its end', [candidate(0, 'Half', STOP), candidate(0, 'more')]],
    [
      'with a call after its end',
      [
        candidate(0, 'Half', STOP),
        { candidates: [{ content: { parts: [{ functionCall: { name: 'pay', args: {} } }] } }] },
      ],
    ],
    [
      'with the words of another candidate',
      [candidate(0, 'Half'), candidate(1, 'other'), candidate(0, '', STOP)],
    ],
  ])('%s is none', async (_, parts) => {
    const result = await hear(gemini, events(...parts));
    expect(reportOf(result).kind).toBe('provider.stream_interrupted');
  });

  it('that counts only its reasoning is billed by an estimate', async () => {
    const counted = { promptTokenCount: 100, thoughtsTokenCount: 20 };
    const result = await hear(
      gemini,
      events({ ...candidate(0, 'A reply of some words', STOP), usageMetadata: counted }),
    );
    expect(result).toMatchObject({ ok: true, isEstimated: true });
    expect(result.usage?.outputTokens).toBeGreaterThan(20);
  });

  it('is whole where only a signature follows its end', async () => {
    const signature = { parts: [{ text: '', thoughtSignature: 'c2ln' }] };
    const after = { candidates: [{ content: signature }] };
    const result = await hear(gemini, events(candidate(0, 'Whole', STOP), after));
    expect(result).toMatchObject({ ok: true, output: { text: 'Whole' } });
  });

  it('is whole where its candidate has no number', async () => {
    const content = { role: 'model', parts: [{ text: 'Whole' }] };
    const result = await hear(gemini, events({ candidates: [{ content, ...STOP }] }));
    expect(result).toMatchObject({ ok: true, output: { text: 'Whole' } });
  });
});
