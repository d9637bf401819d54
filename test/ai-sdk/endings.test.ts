/** Endings that are failures under good words, errors inside a stream, and what all of it costs. */
import type { EmbeddingModelV4, LanguageModelV4FinishReason } from '@ai-sdk/provider';
import { describe, expect, it } from 'vitest';
import { createOpenAICompatible } from '../sdks/node_modules/@ai-sdk/openai-compatible/dist/index.js';
import { generateText, streamText, wrapLanguageModel } from '../sdks/node_modules/ai/dist/index.js';
import {
  errandMiddleware,
  resilientEmbeddingModel,
  resilientModel,
  type AttemptRow,
} from '../../src/ai-sdk/index.ts';
import { ErrandError } from '../../src/errors/thrown/errand-error.ts';
import { begunText, FINISH, scripted, textParts, virtualClock } from './models.cases.ts';

const prompt = 'Tell me.';
const PRICES = { 'a/one': { inputPerMtok: 1, outputPerMtok: 10 } };
/** 10 + 4 tokens, as the scripted models report. */
const REPORTED = { inputTokens: 10, outputTokens: 4, costUsdMicros: 50, estimated: false };

async function streamed(...entries: Parameters<typeof resilientModel>[0]) {
  const rows: AttemptRow[] = [];
  const options = { clock: virtualClock(), prices: PRICES };
  const model = resilientModel(entries, { ...options, onAttempt: (row) => rows.push(row) });
  const result = streamText({ model, prompt, onError: () => undefined });
  const text = await Promise.resolve(result.text).catch((thrown: unknown) => thrown);
  return { text, rows, kind: text instanceof ErrandError ? text.kind : undefined };
}

const ended = (unified: string, raw?: string) =>
  // true: hosts and later versions have words that the type does not know
  ({ unified, raw }) as LanguageModelV4FinishReason;

describe('a call of a tool whose arguments break off', () => {
  const begun = (...ids: readonly string[]) =>
    ids.flatMap(
      (id) =>
        [
          { type: 'tool-input-start', id, toolName: 'pay' },
          { type: 'tool-input-delta', id, delta: '{"amount":' },
        ] as const,
    );
  const call = { type: 'tool-call', toolCallId: 'x', toolName: 'pay', input: '{}' } as const;

  it.each([
    ['alone', [...begun('x'), FINISH]],
    ['beside one that is whole', [...begun('x', 'y'), call, FINISH]],
  ])('is no answer, though the stream calls its end good: %s', async (_, parts) => {
    const { kind } = await streamed(scripted('a', 'one', { parts }));
    expect(kind).toBe('provider.stream_interrupted');
  });

  it('passes at the limit that the caller set', async () => {
    const cut = { ...FINISH, finishReason: ended('length', 'length') };
    const { kind } = await streamed(scripted('a', 'one', { parts: [...begun('x'), cut] }));
    expect(kind).toBeUndefined();
  });
});

describe('an entry that gives up by itself', () => {
  const gaveUp = Object.assign(new Error('This operation was aborted'), { name: 'AbortError' });

  it('was cancelled by nobody: it did not answer in time, and the next one is asked', async () => {
    const first = scripted('a', 'one', { thrown: gaveUp });
    const { text, rows } = await streamed(first, scripted('b', 'two', { parts: textParts('hi') }));
    expect(text).toBe('hi');
    expect(rows).toMatchObject([{ kind: 'provider.timeout' }, { outcome: 'succeeded' }]);
  });
});

describe('an ending', () => {
  it.each([
    ['other', 'error', 'provider.server_error'],
    ['other', 'insufficient_system_resource', 'provider.overloaded'],
    ['other', 'IMAGE_PROHIBITED_CONTENT', 'provider.content_filter'],
    ['other', 'something_new', 'provider.stream_interrupted'],
    ['other', undefined, 'provider.stream_interrupted'],
    ['stop', 'pause_turn', 'provider.truncated'],
    ['tool-calls', 'tool_calls', 'provider.unknown'],
    ['content-filter', 'a word of its own', 'provider.content_filter'],
    ['content-filter', 'stop', 'provider.content_filter'],
  ])(
    '%s, which the provider calls %s, is %s, and its answer is on the bill',
    async (unified, raw, kind) => {
      const parts = textParts('half').with(-1, {
        ...FINISH,
        finishReason: ended(unified, raw),
      } as typeof FINISH);
      const result = await streamed(scripted('a', 'one', { parts }));
      expect(result.kind).toBe(kind);
      expect(result.rows).toMatchObject([{ kind, outcome: 'partial', ...REPORTED }]);
    },
  );

  it.each([
    ['stop', undefined],
    ['stop', 'a word of its own'],
    ['other', 'end_turn'],
    ['length', 'max_tokens'],
  ])('%s, which the provider calls %s, passes', async (unified, raw) => {
    const parts = textParts('whole').with(-1, {
      ...FINISH,
      finishReason: ended(unified, raw),
    } as typeof FINISH);
    expect(await streamed(scripted('a', 'one', { parts }))).toMatchObject({ text: 'whole' });
  });

  it('that comes again without a count keeps the first one', async () => {
    const none = { total: 0 };
    const bare = { ...FINISH, usage: { inputTokens: none, outputTokens: none } } as typeof FINISH;
    const parts = [...textParts('whole'), bare];
    const { text, rows } = await streamed(scripted('a', 'one', { parts }));
    expect(text).toBe('whole');
    expect(rows).toMatchObject([{ outcome: 'succeeded', ...REPORTED }]);
  });

  it.each([undefined, ''])('of a whole answer without a word for it (%j) is none', async (raw) => {
    const rows: AttemptRow[] = [];
    const one = scripted('a', 'one', { text: 'half an ans', finish: ended('other', raw) });
    const two = scripted('b', 'two', { text: 'whole' });
    const model = resilientModel([one, two], {
      clock: virtualClock(),
      prices: PRICES,
      onAttempt: (row) => rows.push(row),
    });
    expect((await generateText({ model, prompt })).text).toBe('whole');
    expect(rows[0]).toMatchObject({ kind: 'provider.network', ...REPORTED });
  });

  it.each([
    ['content-filter', 'refusal', 'provider.content_filter', 'failed'],
    ['content-filter', 'stop', 'provider.content_filter', 'failed'],
  ])(
    'of a whole answer, %s (%s), is %s, once, and is on the bill',
    async (unified, raw, kind, outcome) => {
      const rows: AttemptRow[] = [];
      const one = scripted('a', 'one', { text: 'No.', finish: ended(unified, raw) });
      const model = resilientModel([one], { prices: PRICES, onAttempt: (row) => rows.push(row) });
      await expect(generateText({ model, prompt })).rejects.toMatchObject({
        kind,
        report: { attempts: [{ inputTokens: 10, outputTokens: 4, costUsdMicros: 50 }] },
      });
      expect(rows).toMatchObject([{ kind, outcome, ...REPORTED }]);
    },
  );
});

describe('a host of the protocol of OpenAI', () => {
  const chunk = (delta: object, reason: string | null = null) => ({
    id: 'c',
    choices: [{ index: 0, delta, finish_reason: reason }],
  });
  const text = chunk({ content: 'half' });
  const failed = { error: { message: 'boom', type: 'server_error', code: 'server_error' } };
  const limited = { error: { message: 'slow', code: 'rate_limit_exceeded', type: 'rate_limit' } };
  const compatible = (events: readonly unknown[]) =>
    createOpenAICompatible({
      name: 'a',
      apiKey: 'none',
      baseURL: 'http://127.0.0.1:9',
      fetch: async () =>
        new Response(events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join(''), {
          headers: { 'content-type': 'text/event-stream' },
        }),
    })('one');
  const second = () => scripted('b', 'two', { parts: textParts('whole') });

  it.each([
    ['an error after content', [text, failed], 'provider.server_error'],
    ['no end', [text], 'provider.stream_interrupted'],
    ['an event that is none', [text, { choices: 7 }], 'provider.stream_interrupted'],
  ])('that sends %s fails as it does in the engine', async (_, events, kind) => {
    const { rows, kind: seen } = await streamed(compatible(events), second());
    expect([seen, rows.map((row) => row.kind)]).toEqual([kind, [kind]]);
  });

  it.each([
    ['an error', [limited], 'provider.rate_limited'],
    ['nothing', [], 'provider.network'],
  ])('that sends %s before content is replaced unseen', async (_, events, kind) => {
    const { rows, text: seen } = await streamed(compatible(events), second());
    expect([seen, rows.map((row) => row.kind)]).toEqual(['whole', [kind, undefined]]);
  });

  it('has the same kind behind the middleware', async () => {
    const model = wrapLanguageModel({
      model: compatible([text, failed]),
      middleware: errandMiddleware(),
    });
    const { stream } = await model.doStream({ prompt: [{ role: 'user', content: [] }] });
    const kinds: unknown[] = [];
    for await (const part of stream)
      if (part.type === 'error') kinds.push((part.error as ErrandError).kind);
    expect(kinds).toEqual(['provider.server_error']);
  });
});

describe('a call that its caller aborts', () => {
  const reason = new Error('no longer wanted');
  const calls = {
    prompt: [{ role: 'user' as const, content: [{ type: 'text' as const, text: 'Hi' }] }],
  };

  async function aborted(
    work: (signal: AbortSignal, note: (row: AttemptRow) => void) => PromiseLike<unknown>,
  ) {
    const rows: AttemptRow[] = [];
    const caller = new AbortController();
    const working = work(caller.signal, (row) => rows.push(row));
    setImmediate(() => caller.abort(reason));
    await expect(Promise.resolve(working)).rejects.toBe(reason);
    return rows;
  }
  const row = { target: 'a/one', kind: 'cancelled.call', outcome: 'partial', estimated: true };

  it('has a row, whether it waits for an answer, for a stream or for more of it', async () => {
    const hanging = scripted('a', 'one', { hangs: true });
    const whole = await aborted((abortSignal, onAttempt) =>
      resilientModel([hanging], { onAttempt }).doGenerate({ ...calls, abortSignal }),
    );
    const unopened = await aborted((abortSignal, onAttempt) =>
      resilientModel([hanging], { onAttempt }).doStream({ ...calls, abortSignal }),
    );
    const read = await aborted(async (abortSignal, onAttempt) => {
      const { stream } = await resilientModel([{ ...hanging, doStream: openEnded }], {
        onAttempt,
      }).doStream({ ...calls, abortSignal });
      for await (const _ of stream) continue;
    });
    expect([whole, unopened, read]).toMatchObject([[row], [row], [row]]);
    expect(read[0]?.outputTokens).toBeGreaterThan(0);
  });

  it('has a row for vectors too', async () => {
    const vectors = embedding(() => new Promise(() => undefined));
    const rows = await aborted((abortSignal, onAttempt) =>
      resilientEmbeddingModel([vectors], { onAttempt }).doEmbed({ values: ['a'], abortSignal }),
    );
    expect(rows).toMatchObject([{ ...row, target: 'a/vectors' }]);
  });

  async function openEnded() {
    const stream = new ReadableStream({
      start(controller) {
        for (const part of begunText('half an answer')) controller.enqueue(part);
      },
    });
    return { stream };
  }
});

describe('vectors', () => {
  it.each<[string, unknown]>([
    ['too few', []],
    ['too many', [[1], [2], [3]]],
    ['of two lengths', [[1, 2], [1]]],
    ['without numbers', [[], []]],
    ['with a number that is none', [[1], [Number.NaN]]],
    ['that are texts', ['ab', 'cd']],
    ['that are missing', undefined],
  ])('%s are no answer, and are on the bill', async (_, embeddings) => {
    const rows: AttemptRow[] = [];
    const bad = embedding(async () => ({ embeddings, usage: { tokens: 2 }, warnings: [] }));
    const good = embedding(
      async () => ({ embeddings: [[1], [2]], usage: { tokens: 2 }, warnings: [] }),
      'b',
    );
    const model = resilientEmbeddingModel([bad, good], { onAttempt: (row) => rows.push(row) });
    const { embeddings: seen } = await model.doEmbed({ values: ['a', 'b'] });
    expect(seen).toEqual([[1], [2]]);
    expect(rows).toMatchObject([
      { kind: 'provider.unknown', inputTokens: 2, estimated: false },
      { outcome: 'succeeded' },
    ]);
  });
});

function embedding(doEmbed: () => Promise<unknown>, provider = 'a'): EmbeddingModelV4 {
  return {
    specificationVersion: 'v4',
    provider,
    modelId: 'vectors',
    maxEmbeddingsPerCall: 10,
    supportsParallelCalls: true,
    // true: a host may send anything
    doEmbed: doEmbed as EmbeddingModelV4['doEmbed'],
  };
}

describe('what comes after the end of an answer', () => {
  const error = { type: 'error', error: { error: { type: 'server_error', message: 'Down' } } };
  const refused = { ...FINISH, finishReason: ended('content-filter', 'content_filter') };

  it.each([
    ['an error', error, 'provider.server_error'],
    ['a worse end', refused, 'provider.content_filter'],
  ])('counts: %s', async (_, part, kind) => {
    // true: the shape of a part, which the table widens
    const parts = [...textParts('All of it.'), part as typeof FINISH];
    const result = await streamed(scripted('a', 'one', { parts }));
    expect(result.kind).toBe(kind);
    expect(result.rows).toMatchObject([{ kind, outcome: 'partial', ...REPORTED }]);
  });

  it('moves the chain on, where nobody has seen anything', async () => {
    const parts = [...textParts(), error as typeof FINISH];
    const result = await streamed(
      scripted('a', 'one', { parts }),
      scripted('b', 'two', { text: 'Good.' }),
    );
    expect(result.text).toBe('Good.');
    expect(result.rows).toMatchObject([{ kind: 'provider.server_error' }, { target: 'b/two' }]);
  });

  it('does not make a cut whole', async () => {
    const cut = { ...FINISH, finishReason: ended('length', 'max_tokens') };
    const parts = [...textParts('Half of').with(-1, cut), FINISH];
    const model = resilientModel([scripted('a', 'one', { parts })], { clock: virtualClock() });
    expect(await streamText({ model, prompt }).finishReason).toBe('length');
    const empty = scripted('a', 'one', { parts: [...textParts().with(-1, cut), FINISH] });
    const result = streamText({ model: resilientModel([empty]), prompt });
    expect(await result.finishReason).toBe('length');
  });

  it.each([
    ['a broken connection', { parts: textParts('All of it.'), breaks: new Error('reset') }],
    ['the same end again', { parts: [...textParts('All of it.'), FINISH] }],
  ])('does not, where it is %s', async (_, turn) => {
    const result = await streamed(scripted('a', 'one', turn));
    expect(result.text).toBe('All of it.');
    expect(result.rows).toMatchObject([{ outcome: 'succeeded', ...REPORTED }]);
  });
});
