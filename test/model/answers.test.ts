import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createRedactor } from '../../src/errors/redaction/redact.ts';
import type { ModelCall } from '../../src/machine/conversation/model-message.ts';
import { ask } from './harness.ts';
import { PROTOCOLS } from './protocols.ts';
import { cuts, startUpstream, streams, type Upstream } from './upstream.ts';

let upstream: Upstream;
beforeAll(async () => {
  upstream = await startUpstream();
});
afterAll(() => upstream.close());

const LOOKUP = {
  name: 'lookup',
  description: 'Finds an order.',
  inputSchema: {
    type: 'object',
    properties: { id: { type: 'number' } },
    required: ['id'],
    additionalProperties: false,
  },
} as const;

describe.each(PROTOCOLS)('a good answer by $name', (protocol) => {
  it('is its text, with the model that gave it and what it used, after one request', async () => {
    upstream.answer(streams(protocol.stream({ text: 'Hello.', stop: protocol.stops.good })));
    // one of the packages warns when it has to choose a length by itself
    const result = await ask(protocol, upstream.url, { call: { maxTokens: 99 } });
    const [provider] = protocol.model.split('/');
    const named = protocol.isNamed ? { answeredBy: `${provider}/m-2026` } : {};
    expect(result).toEqual({
      ok: true,
      output: { text: 'Hello.', toolCalls: [], ...named },
      usage: expect.objectContaining(protocol.usage),
    });
    expect(upstream.received).toHaveLength(1);
  });

  it('has the thoughts of the model beside it', async () => {
    const answer = { reasoning: 'Hm.', text: 'Hello.', stop: protocol.stops.good };
    upstream.answer(streams(protocol.stream(answer)));
    const result = await ask(protocol, upstream.url);
    const thoughts = protocol.name === 'mistral' ? {} : { reasoning: 'Hm.' };
    expect(result).toMatchObject({ ok: true, output: { text: 'Hello.', ...thoughts } });
  });

  it('returns a tool call and runs nothing', async () => {
    const tool = { id: 'call00001', name: 'lookup', arguments: '{"id":7}' };
    upstream.answer(streams(protocol.stream({ tool, stop: protocol.stops.tool })));
    const result = await ask(protocol, upstream.url, { call: { tools: [LOOKUP] } });
    expect(result).toMatchObject({
      ok: true,
      output: { text: '', toolCalls: [{ name: 'lookup', arguments: { id: 7 } }] },
    });
    expect(JSON.stringify(upstream.received[0]?.body)).toContain('Finds an order.');
    expect(upstream.received).toHaveLength(1);
  });

  it('is no call where a number is beyond all numbers, and JSON has none for it', async () => {
    const tool = { id: 'call00001', name: 'lookup', arguments: '{"id":1e400}' };
    upstream.answer(streams(protocol.stream({ tool, stop: protocol.stops.tool })));
    const result = await ask(protocol, upstream.url, { call: { tools: [LOOKUP] } });
    const [call] = (result.output as { toolCalls: object[] } | undefined)?.toolCalls ?? [];
    // Google's are no text: its package writes them again before anybody sees them
    if (protocol.name === 'gemini') expect(call).toMatchObject({ arguments: { id: null } });
    else expect(call).toMatchObject({ name: 'lookup', unparsable: '{"id":1e400}' });
    expect(JSON.parse(JSON.stringify(call))).toEqual(call);
  });

  it('is no call where a number would lose digits', async () => {
    // Google's numbers have no more digits than ours
    if (protocol.name === 'gemini') return;
    const callWith = async (written: string): Promise<unknown> => {
      const tool = { id: 'call00001', name: 'lookup', arguments: written };
      upstream.answer(streams(protocol.stream({ tool, stop: protocol.stops.tool })));
      const result = await ask(protocol, upstream.url, { call: { tools: [LOOKUP] } });
      return (result.output as { toolCalls: object[] } | undefined)?.toolCalls[0];
    };
    const lost = '{"id":12345678901234567890}';
    expect(await callWith(lost)).toEqual({ id: 'call00001', name: 'lookup', unparsable: lost });
    const kept = '{"id":1763304000000000000}';
    expect(await callWith(kept)).toMatchObject({ arguments: { id: 1763304000000000000 } });
  });

  it('has no half of a secret where arguments that do not parse are cut', async () => {
    if (protocol.name === 'gemini') return;
    const secret = 'Zq9xhunterKtwoLthree77correct00horse';
    const written = `{"id":12345678901234567890,"t":"${'a'.repeat(1950)}${secret}"}`;
    const tool = { id: 'call00001', name: 'lookup', arguments: written };
    upstream.answer(streams(protocol.stream({ tool, stop: protocol.stops.tool })));
    const redactor = createRedactor([secret]);
    const result = await ask(protocol, upstream.url, {
      call: { tools: [LOOKUP] },
      context: { redactor },
    });
    const text = JSON.stringify(result.output);
    expect(text).toContain('unparsable');
    expect(text).not.toContain(secret.slice(0, 8));
  });

  it('has no half of a secret where its text breaks off', async () => {
    const secret = 'Zq9xhunterKtwoLthree77correct00horse';
    const begun = protocol.stream({
      text: `The key is ${secret.slice(0, 30)}`,
      stop: protocol.stops.good,
    });
    upstream.answer(cuts(begun.slice(0, begun.indexOf('\n\n', begun.indexOf('The key')) + 2)));
    const result = await ask(protocol, upstream.url, {
      context: { redactor: createRedactor([secret]) },
    });
    expect(result).toMatchObject({ ok: false, output: { text: 'The key is [redacted]' } });
  });

  it('tells its parts while they come', async () => {
    upstream.answer(streams(protocol.stream({ text: 'Hello.', stop: protocol.stops.good })));
    const collected: unknown[] = [];
    await ask(protocol, upstream.url, {
      context: { attempt: 2, progress: (value) => collected.push(value) },
    });
    expect(collected).toEqual([{ type: 'text', attempt: 2, delta: 'Hello.' }]);
  });

  it('is not hurt by a watcher that throws', async () => {
    upstream.answer(streams(protocol.stream({ text: 'Hello.', stop: protocol.stops.good })));
    const progress = (): void => {
      throw new Error('the watcher’s own');
    };
    const result = await ask(protocol, upstream.url, { context: { progress } });
    expect(result).toMatchObject({ ok: true, output: { text: 'Hello.' } });
  });

  it('sends what the machine asks for', async () => {
    upstream.answer(streams(protocol.stream({ text: 'Hello.', stop: protocol.stops.good })));
    await ask(protocol, upstream.url, {
      call: { ...CONVERSATION, temperature: 0.2, maxTokens: 99, tools: [LOOKUP] },
    });
    const body = JSON.stringify(upstream.received[0]?.body);
    for (const word of ['You are a clerk.', 'Where is it?', 'Let me see.', 'lost', '0.2', '99']) {
      expect(body).toContain(word);
    }
    expect(body).toContain('aGVsbG8=');
  });
});

const CONVERSATION: Partial<ModelCall> = {
  system: 'You are a clerk.',
  messages: [
    {
      role: 'user',
      text: 'Where is it?',
      images: [{ base64: 'aGVsbG8=', mediaType: 'image/png' }],
    },
    {
      role: 'assistant',
      text: 'Let me see.',
      toolCalls: [
        { id: 'call00001', name: 'lookup', arguments: { id: 7 } },
        { id: 'call00002', name: 'lookup', unparsable: '{"id":' },
      ],
    },
    { role: 'tool', id: 'call00001', name: 'lookup', result: { state: 'lost' }, isError: false },
    { role: 'tool', id: 'call00002', name: 'lookup', result: 'Not JSON.', isError: true },
  ],
};

describe('what an answer used', () => {
  const chat = PROTOCOLS.find(({ name }) => name === 'chat');
  if (chat === undefined) throw new Error('no such protocol');
  const ending = (usage: object): string =>
    chat
      .stream({ text: 'Hello.', stop: 'stop' })
      .replace(/"usage":\{.*?\}\}\}/, `"usage":${JSON.stringify(usage)}}`);

  it('has the thoughts that a host counts beside the answer', async () => {
    const usage = {
      prompt_tokens: 100,
      completion_tokens: 10,
      total_tokens: 140,
      completion_tokens_details: { reasoning_tokens: 30 },
    };
    upstream.answer(streams(ending(usage)));
    expect(await ask(chat, upstream.url)).toMatchObject({
      usage: { inputTokens: 100, outputTokens: 40, reasoningTokens: 30 },
    });
  });

  it('is our estimate where the host does not count', async () => {
    const text = chat
      .stream({ text: 'Hello.', stop: 'stop' })
      .replace(/data: [^\n]*"usage".*\n\n/, '');
    upstream.answer(streams(text));
    // 10 characters of a prompt and 6 of an answer, at 4 a token
    expect(await ask(chat, upstream.url)).toMatchObject({
      ok: true,
      usage: { inputTokens: 3, outputTokens: 2 },
      isEstimated: true,
    });
  });
});
