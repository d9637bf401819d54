/** What is on the bill of attempts that failed, and of counts that nobody can have counted. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ask } from './harness.ts';
import { PROTOCOLS, protocolNamed } from './protocols.ts';
import { oneAgent, runFile } from './runs.ts';
import { cuts, events, refuses, startUpstream, streams, type Upstream } from './upstream.ts';

let upstream: Upstream;
beforeAll(async () => {
  upstream = await startUpstream();
});
afterAll(() => upstream.close());

const chat = protocolNamed('chat');
const messages = protocolNamed('messages');
/** 10 characters of a prompt at 4 a token. */
const INPUT = 3;

const chunk = (delta: object, more: object = {}, finish: string | null = null): object => ({
  id: 'c1',
  object: 'chat.completion.chunk',
  created: 1_750_000_000,
  model: 'm',
  choices: [{ index: 0, delta, finish_reason: finish }],
  ...more,
});

describe.each(PROTOCOLS)('an attempt by $name', (protocol) => {
  it.each([408, 502, 504, 520, 524])(
    'for which a gateway answers HTTP %i may have been worked on, and is an estimate',
    async (status) => {
      upstream.answer(refuses(status, 'gateway'));
      const result = await ask(protocol, upstream.url);
      expect(result).toMatchObject({
        ok: false,
        usage: { inputTokens: INPUT, outputTokens: 0 },
        isEstimated: true,
      });
    },
  );

  it.each([400, 401, 403, 404, 429, 500, 503])(
    'that the provider refuses with HTTP %i used nothing, and that is known',
    async (status) => {
      upstream.answer(refuses(status, { error: { message: 'no' } }));
      const result = await ask(protocol, upstream.url);
      expect(result).toMatchObject({ ok: false, usage: { inputTokens: 0, outputTokens: 0 } });
      expect(result).not.toHaveProperty('isEstimated');
    },
  );
});

describe('a count', () => {
  it('that came before the stream was cut is billed, and more is not known', async () => {
    const usage = { prompt_tokens: 500, completion_tokens: 400, total_tokens: 900 };
    upstream.answer(cuts(events(chunk({ content: 'Half' }, { usage }))));
    expect(await ask(chat, upstream.url)).toMatchObject({
      ok: false,
      usage: { inputTokens: 500, outputTokens: 400 },
      isEstimated: true,
    });
  });

  it('of the output alone is kept, and the input is estimated', async () => {
    const last = chunk({}, { usage: { completion_tokens: 500 } }, 'stop');
    upstream.answer(streams(`${events(chunk({ content: 'Whole' }), last)}data: [DONE]\n\n`));
    expect(await ask(chat, upstream.url)).toMatchObject({
      ok: true,
      usage: { inputTokens: INPUT, outputTokens: 500 },
      isEstimated: true,
    });
  });

  it.each([
    ['messages', { input_tokens: 1000, output_tokens: 10 }],
    ['chat', { prompt_tokens: 1000, completion_tokens: 10 }],
  ])('in the body of a failure is billed, by %s', async (name, usage) => {
    const body = { type: 'error', error: { type: 'api_error', message: 'no' }, usage };
    for (const status of [500, 200]) {
      upstream.answer(refuses(status, body));
      const result = await ask(protocolNamed(name), upstream.url);
      expect(result).toMatchObject({ ok: false, usage: { inputTokens: 1000, outputTokens: 10 } });
      expect(result).not.toHaveProperty('isEstimated');
    }
  });

  const counted = { prompt_tokens: 100, completion_tokens: 20 };
  const nothing = { prompt_tokens: 0, completion_tokens: 0 };
  const said = { text: chunk({ content: 'Hi' }), stop: chunk({}, {}, 'stop') };

  it.each<[string, readonly object[]]>([
    [
      'before one of nothing',
      [chunk({}, { usage: counted }, 'stop'), { ...chunk({}), choices: [], usage: nothing }],
    ],
    [
      'of a choice, as Moonshot sends it',
      [{ ...chunk({}), choices: [{ index: 0, delta: {}, finish_reason: 'stop', usage: counted }] }],
    ],
    ['of Groq in a place of its own', [chunk({}, { x_groq: { usage: counted } }, 'stop')]],
  ])('%s is on the bill, and not an estimate below it', async (_, ending) => {
    upstream.answer(streams(`${events(said.text, ...ending)}data: [DONE]\n\n`));
    const result = await ask(chat, upstream.url);
    expect(result).toMatchObject({
      ok: true,
      usage: { inputTokens: 100, outputTokens: 20 },
      isEstimated: true,
    });
  });

  it.each([{ prompt_cache_hit_tokens: 64 }, { cached_tokens: 64 }])(
    'of cached tokens is read where the host has it: %j',
    async (cached) => {
      const usage = { ...counted, ...cached };
      const ending = { ...chunk({}), choices: [], usage };
      upstream.answer(streams(`${events(said.text, said.stop, ending)}data: [DONE]\n\n`));
      const result = await ask(chat, upstream.url);
      expect(result).toMatchObject({ ok: true, usage: { inputTokens: 100, cachedTokens: 64 } });
      expect(result).not.toHaveProperty('isEstimated');
    },
  );

  it('of the beginning is none of the end: what was written counts where it is more', async () => {
    const text = 'word '.repeat(400);
    const whole = messages.stream({ text, stop: messages.stops.good });
    const zero = whole.replace('"output_tokens":30', '"output_tokens":0');
    upstream.answer(streams(zero));
    const result = await ask(messages, upstream.url);
    expect(result).toMatchObject({
      ok: true,
      usage: { inputTokens: 120, outputTokens: 500 },
      isEstimated: true,
    });
  });

  it.each(['1e300', '1.7e308', '-5', '12.5', '1e10'])(
    'of %s tokens is none, and what it stands for is estimated',
    async (absurd) => {
      for (const protocol of [chat, messages, protocolNamed('mistral'), protocolNamed('gemini')]) {
        const whole = protocol.stream({ text: 'Hello.', stop: protocol.stops.good });
        const counts =
          /"(prompt_tokens|completion_tokens|input_tokens|output_tokens|promptTokenCount|candidatesTokenCount)":\d+/g;
        const stream = whole.replace(counts, `"$1":${absurd}`);
        expect(stream).not.toBe(whole);
        upstream.answer(streams(stream));
        const result = await ask(protocol, upstream.url);
        expect(result).toMatchObject({ isEstimated: true });
        expect(result.usage?.inputTokens).toBeLessThan(1000);
        expect(result.usage?.outputTokens).toBeLessThan(1000);
      }
    },
  );

  it('that overflows is no cost without end on the bill of a run', async () => {
    const usage = '{"prompt_tokens":1.7e308,"completion_tokens":1.7e308}';
    const last = events(chunk({}, { usage: 0 }, 'stop')).replace('"usage":0', `"usage":${usage}`);
    upstream.answer(streams(`${events(chunk({ content: 'Hello.' }))}${last}data: [DONE]\n\n`));
    const provider = { name: 'vllm', base_url: `${upstream.url}/v1` };
    const pricing = { 'vllm/m': { input_per_mtok: 1, output_per_mtok: 1 } };
    const limits = { budget_usd: 5 };
    const file = oneAgent('vllm/m', {}, { runtime: { provider }, cost: { pricing }, limits });
    const { result, costs } = await runFile(file);
    expect(result.status).toBe('completed');
    expect(costs.attempts).toMatchObject([{ inputTokens: 3, outputTokens: 2, estimated: true }]);
    expect(costs.totalUsdMicros).toBe(5);
  });
});
