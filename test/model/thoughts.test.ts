/** Thoughts and their signatures go back to the provider that made them, and to nobody else. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { EffectResult } from '../../src/effects/effect-port.ts';
import type { ModelReply, ModelMessage } from '../../src/machine/conversation/model-message.ts';
import { ask, HELLO } from './harness.ts';
import { PROTOCOLS, type Protocol } from './protocols.ts';
import { startUpstream, streams, type Upstream } from './upstream.ts';

let upstream: Upstream;
beforeAll(async () => {
  upstream = await startUpstream();
});
afterAll(() => upstream.close());

const LOOKUP = { name: 'lookup', inputSchema: { type: 'object' } };
const TOOLS = { tools: [LOOKUP] };
const TOOL = { id: 'call00001', name: 'lookup', arguments: '{"id":7}' };
const SIGNATURE = 'c2lnbmF0dXJl';

/** By a name that the package knows for a model that thinks. */
const MODELS: Readonly<Record<string, string>> = {
  responses: 'openai/gpt-5',
  messages: 'anthropic/claude-sonnet-5',
  gemini: 'google/gemini-3.1-pro-preview',
};

function protocol(name: string): Protocol {
  const found = PROTOCOLS.find((each) => each.name === name);
  if (found === undefined) throw new Error(`no protocol ${name}`);
  return { ...found, model: MODELS[name] ?? found.model };
}

function answerOf(result: EffectResult): ModelReply {
  if (!result.ok) throw new Error(result.failure.message);
  return result.output as unknown as ModelReply;
}

/** The conversation after its tool has answered, as the machine puts it together. */
function after({ text, toolCalls, turn }: ModelReply): readonly ModelMessage[] {
  return [
    ...HELLO.messages,
    { role: 'assistant', text, toolCalls, ...(turn === undefined ? {} : { turn }) },
    { role: 'tool', id: toolCalls[0]?.id ?? '', name: 'lookup', result: 'found', isError: false },
  ];
}

async function thinkAndCall(each: Protocol, text?: string): Promise<ModelReply> {
  const { stops } = each;
  const said = { reasoning: 'Look it up.', signature: SIGNATURE, tool: TOOL, stop: stops.tool };
  upstream.answer(streams(each.stream(text === undefined ? said : { ...said, text })));
  return answerOf(await ask(each, upstream.url, { call: TOOLS }));
}

async function goOn(each: Protocol, answer: ModelReply): Promise<string> {
  upstream.answer(streams(each.stream({ text: 'Found.', stop: each.stops.good })));
  const result = await ask(each, upstream.url, { call: { ...TOOLS, messages: after(answer) } });
  expect(result).toMatchObject({ ok: true, output: { text: 'Found.' } });
  expect(result).not.toHaveProperty('suppressed');
  return JSON.stringify(upstream.received[0]?.body);
}

describe('a model that thinks before it calls a tool', () => {
  it('of Anthropic has its thoughts back with their signature, before the call', async () => {
    const each = protocol('messages');
    const answer = await thinkAndCall(each, 'One moment.');
    const body = JSON.parse(await goOn(each, answer)) as { messages: { content: unknown }[] };
    expect(body.messages[1]?.content).toMatchObject([
      { type: 'thinking', thinking: 'Look it up.', signature: SIGNATURE },
      { type: 'text', text: 'One moment.' },
      { type: 'tool_use', id: TOOL.id, input: { id: 7 } },
    ]);
  });

  it('of OpenAI has its thoughts back encrypted, and nothing of it is kept there', async () => {
    const each = protocol('responses');
    const answer = await thinkAndCall(each);
    expect(upstream.received[0]?.body).toMatchObject({
      store: false,
      include: ['reasoning.encrypted_content'],
    });
    const { input } = JSON.parse(await goOn(each, answer)) as { input: unknown[] };
    expect(input).toEqual([
      expect.objectContaining({ role: 'user' }),
      {
        type: 'reasoning',
        id: 'rs_1',
        encrypted_content: SIGNATURE,
        summary: [{ type: 'summary_text', text: 'Look it up.' }],
      },
      expect.objectContaining({ type: 'function_call', call_id: TOOL.id }),
      expect.objectContaining({ type: 'function_call_output', call_id: TOOL.id }),
    ]);
  });

  it('of Google has the signature back on the call that it was put on', async () => {
    const each = protocol('gemini');
    const answer = await thinkAndCall(each);
    const { contents } = JSON.parse(await goOn(each, answer)) as {
      contents: { parts: object[] }[];
    };
    expect(contents[1]?.parts.at(-1)).toMatchObject({
      functionCall: { name: 'lookup', args: { id: 7 } },
      thoughtSignature: SIGNATURE,
    });
  });

  it('of DeepSeek has its bare thoughts back, which Groq would refuse', async () => {
    const chat = protocol('chat');
    const deepseek = { ...chat, model: 'deepseek/m', key: 'DEEPSEEK_API_KEY' };
    expect(await goOn(deepseek, await thinkAndCall(deepseek))).toContain(
      '"reasoning_content":"Look it up."',
    );
    expect(await goOn(chat, await thinkAndCall(chat))).not.toContain('reasoning_content');
  });

  it('is not shown the thoughts of another provider', async () => {
    const [messages, responses] = [protocol('messages'), protocol('responses')];
    const answer = await thinkAndCall(messages, 'One moment.');
    const body = await goOn(responses, answer);
    expect(body).toContain('One moment.');
    expect(body).not.toContain(SIGNATURE);
    expect(body).not.toContain('Look it up.');
  });
});

describe('what is kept of an answer', () => {
  it('is nothing more where no tool is asked for, or nothing was signed', async () => {
    const each = protocol('messages');
    upstream.answer(
      streams(
        each.stream({ reasoning: 'Hm.', signature: SIGNATURE, text: 'Hi.', stop: 'end_turn' }),
      ),
    );
    expect(answerOf(await ask(each, upstream.url, { call: TOOLS }))).toEqual({
      text: 'Hi.',
      toolCalls: [],
      reasoning: 'Hm.',
      answeredBy: 'anthropic/m-2026',
    });
    const chat = protocol('chat');
    upstream.answer(streams(chat.stream({ tool: TOOL, stop: 'tool_calls' })));
    expect(answerOf(await ask(chat, upstream.url, { call: TOOLS }))).not.toHaveProperty('turn');
  });

  it('has a limit, and what is over it is not dropped without a word', async () => {
    const each = protocol('messages');
    const signature = 'x'.repeat(600_000);
    upstream.answer(
      streams(each.stream({ reasoning: 'Hm.', signature, tool: TOOL, stop: 'tool_use' })),
    );
    const result = await ask(each, upstream.url, { call: TOOLS });
    expect(answerOf(result)).not.toHaveProperty('turn');
    expect(result).toMatchObject({
      suppressed: [{ failure: { kind: 'provider.unsupported' } }],
    });
  });
});
