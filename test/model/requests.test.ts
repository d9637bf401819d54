import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/errors/support/safe-json.ts';
import { ask } from './harness.ts';
import { PROTOCOLS, type Protocol } from './protocols.ts';
import { startUpstream, streams, type Upstream } from './upstream.ts';

let upstream: Upstream;
beforeAll(async () => {
  upstream = await startUpstream();
});
afterAll(() => upstream.close());

const CLOSED: JsonObject = {
  type: 'object',
  properties: { label: { type: 'string', enum: ['refund', 'bug'] } },
  required: ['label'],
  additionalProperties: false,
};
const OPEN: JsonObject = { type: 'object', properties: { label: { type: 'string' } } };

function protocol(name: string): Protocol {
  const found = PROTOCOLS.find((each) => each.name === name);
  if (found === undefined) throw new Error(`no protocol ${name}`);
  return found;
}

describe('an answer by a schema', () => {
  it.each(PROTOCOLS.filter(({ name }) => name !== 'messages'))(
    'is asked for and given back as the text that it is, by $name',
    async (each) => {
      upstream.answer(streams(each.stream({ text: '{"label":"bug"}', stop: each.stops.good })));
      const result = await ask(each, upstream.url, { call: { outputSchema: CLOSED } });
      expect(result).toMatchObject({ ok: true, output: { text: '{"label":"bug"}' } });
      expect(JSON.stringify(upstream.received[0]?.body)).toContain('"refund"');
      expect(upstream.received).toHaveLength(1);
    },
  );

  it('is text too where the provider writes it as the arguments of a tool', async () => {
    const messages = protocol('messages');
    const tool = { id: 'toolu_1', name: 'json', arguments: '{"label":"bug"}' };
    upstream.answer(streams(messages.stream({ tool, stop: 'tool_use' })));
    const result = await ask(messages, upstream.url, {
      call: { outputSchema: CLOSED, model: 'anthropic/claude-3-haiku-20240307' },
    });
    expect(result).toMatchObject({
      ok: true,
      output: { text: '{"label":"bug"}', toolCalls: [] },
    });
  });

  it('is nobody’s failure here when it does not fit: the machine looks at it', async () => {
    const chat = protocol('chat');
    upstream.answer(streams(chat.stream({ text: 'Sorry, no.', stop: 'stop' })));
    const result = await ask(chat, upstream.url, { call: { outputSchema: CLOSED } });
    expect(result).toMatchObject({ ok: true, output: { text: 'Sorry, no.' } });
  });

  it.each([
    { schema: CLOSED, strict: true },
    { schema: OPEN, strict: false },
  ])('is enforced only where nothing is left open: $strict', async ({ schema, strict }) => {
    const chat = protocol('chat');
    upstream.answer(streams(chat.stream({ text: '{}', stop: 'stop' })));
    await ask(chat, upstream.url, { call: { outputSchema: schema } });
    expect(upstream.received[0]?.body['response_format']).toMatchObject({
      type: 'json_schema',
      json_schema: { strict },
    });
    const responses = protocol('responses');
    upstream.answer(streams(responses.stream({ text: '{}', stop: 'completed' })));
    await ask(responses, upstream.url, { call: { outputSchema: schema } });
    expect(upstream.received[0]?.body['text']).toMatchObject({ format: { strict } });
  });

  it('is asked for in words where the host takes no schema', async () => {
    const chat = protocol('chat');
    upstream.answer(streams(chat.stream({ text: '{}', stop: 'stop' })));
    const result = await ask(
      { ...chat, model: 'deepseek/m', key: 'DEEPSEEK_API_KEY' },
      upstream.url,
      {
        call: { outputSchema: CLOSED, system: 'You are a clerk.' },
      },
    );
    const body = upstream.received[0]?.body ?? {};
    expect(body['response_format']).toEqual({ type: 'json_object' });
    expect(JSON.stringify(body['messages'])).toContain('You are a clerk.');
    expect(JSON.stringify(body['messages'])).toContain('additionalProperties');
    expect(result).not.toHaveProperty('suppressed');
  });

  it('is asked for in words where it is no object', async () => {
    const chat = protocol('chat');
    upstream.answer(streams(chat.stream({ text: '[1]', stop: 'stop' })));
    await ask(chat, upstream.url, {
      call: { outputSchema: { type: 'array', items: { type: 'number' } } },
    });
    const body = upstream.received[0]?.body ?? {};
    expect(body).not.toHaveProperty('response_format');
    expect(JSON.stringify(body['messages'])).toContain('JSON Schema');
  });
});

describe('tool calls', () => {
  const TOOL = { name: 'lookup', inputSchema: OPEN };

  it.each(PROTOCOLS.filter(({ name }) => name !== 'gemini'))(
    'that cannot be read are returned as they were written, by $name',
    async (each) => {
      const tool = { id: 'call00001', name: 'lookup', arguments: '{"label":"bu' };
      upstream.answer(streams(each.stream({ tool, stop: each.stops.tool })));
      const result = await ask(each, upstream.url, { call: { tools: [TOOL] } });
      expect(result).toMatchObject({
        ok: true,
        output: {
          toolCalls: [{ id: 'call00001', name: 'lookup', unparsable: '{"label":"bu' }],
        },
      });
      // the SDK would go on by itself with the error as the tool's result
      expect(upstream.received).toHaveLength(1);
    },
  );

  it('of tools that nobody offered are returned too, with what they were called with', async () => {
    const chat = protocol('chat');
    const tool = { id: 'c1', name: 'unheard_of', arguments: '{"x":1}' };
    upstream.answer(streams(chat.stream({ tool, stop: 'tool_calls' })));
    for (const tools of [[], [TOOL]]) {
      const result = await ask(chat, upstream.url, { call: { tools } });
      expect(result).toMatchObject({
        output: { toolCalls: [{ id: 'c1', name: 'unheard_of', arguments: { x: 1 } }] },
      });
    }
    expect(upstream.received).toHaveLength(2);
  });

  it('without arguments have none', async () => {
    const chat = protocol('chat');
    const tool = { id: 'c1', name: 'lookup', arguments: '{}' };
    upstream.answer(streams(chat.stream({ tool, stop: 'tool_calls' })));
    const result = await ask(chat, upstream.url, { call: { tools: [TOOL] } });
    expect(result).toMatchObject({
      output: { toolCalls: [{ id: 'c1', name: 'lookup', arguments: {} }] },
    });
  });
});

describe('what a model does not take', () => {
  it('is left out by the SDK, and that does not vanish', async () => {
    const responses = protocol('responses');
    upstream.answer(streams(responses.stream({ text: 'Hi.', stop: 'completed' })));
    const result = await ask(responses, upstream.url, {
      call: { model: 'openai/gpt-5', temperature: 0.5 },
    });
    expect(upstream.received[0]?.body).not.toHaveProperty('temperature');
    expect(result).toMatchObject({
      ok: true,
      suppressed: [
        {
          failure: {
            kind: 'provider.unsupported',
            message: expect.stringContaining('temperature'),
          },
        },
      ],
    });
  });
});

describe('an image', () => {
  const withImage = (url: string) => ({
    call: { messages: [{ role: 'user' as const, text: 'What is it?', images: [{ url }] }] },
  });

  it('goes to the provider by its address', async () => {
    const responses = protocol('responses');
    upstream.answer(streams(responses.stream({ text: 'A cat.', stop: 'completed' })));
    const result = await ask(responses, upstream.url, withImage('https://example.com/cat.png'));
    expect(result.ok).toBe(true);
    expect(JSON.stringify(upstream.received[0]?.body)).toContain('https://example.com/cat.png');
    expect(upstream.received).toHaveLength(1);
  });

  it('without an address is refused before anything is sent', async () => {
    upstream.answer(streams(''));
    const result = await ask(protocol('responses'), upstream.url, withImage('cat.png'));
    expect(result).toMatchObject({
      ok: false,
      failure: { kind: 'provider.invalid_request', outcome: 'not_started' },
    });
    expect(upstream.received).toHaveLength(0);
  });
});
