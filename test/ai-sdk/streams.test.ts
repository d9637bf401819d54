/** `resilientModel` under `streamText`: nothing twice, nothing lost, and an honest end. */
import type { LanguageModelV4StreamPart as Part } from '@ai-sdk/provider';
import { describe, expect, it } from 'vitest';
import { streamText } from '../sdks/node_modules/ai/dist/index.js';
import { resilientModel, type AttemptRow } from '../../src/ai-sdk/index.ts';
import { ErrandError } from '../../src/errors/thrown/errand-error.ts';
import {
  begunText,
  FINISH,
  FROZEN,
  overloaded,
  refusedKey,
  scripted,
  textParts,
  virtualClock,
  type Turn,
} from './models.cases.ts';

const prompt = 'Tell me.';

/** Everything that a consumer of a stream can see of it. */
async function seen(...entries: Parameters<typeof resilientModel>[0]) {
  const rows: AttemptRow[] = [];
  const errors: unknown[] = [];
  const model = resilientModel(entries, {
    clock: virtualClock(),
    onAttempt: (row) => rows.push(row),
  });
  const result = streamText({ model, prompt, onError: ({ error }) => void errors.push(error) });
  let text = '';
  let thrown: unknown;
  try {
    for await (const delta of result.textStream) text += delta;
  } catch (error) {
    thrown = error;
  }
  const awaited = await Promise.resolve(result.text).catch((error: unknown) => error);
  const metadata = await Promise.resolve(result.providerMetadata).catch(() => undefined);
  return { text, thrown, awaited, errors, rows, metadata };
}

const second = () => scripted('b', 'two', { parts: textParts('whole', ' answer') });

describe('a stream', () => {
  it.each<[string, Turn]>([
    ['is refused', { thrown: overloaded() }],
    [
      'has an error before its first content',
      { parts: [...begunText(''), { type: 'error', error: overloaded() }] },
    ],
    ['ends before its first content', { parts: begunText() }],
    [
      'breaks before its first content',
      { parts: begunText(), breaks: new TypeError('terminated') },
    ],
    [
      'ends with an error before its first content',
      {
        parts: [
          ...begunText(),
          { ...FINISH, finishReason: { unified: 'error', raw: undefined } } as typeof FINISH,
        ],
      },
    ],
  ])('that %s is replaced unseen', async (_, turn) => {
    const { text, thrown, awaited, errors, rows, metadata } = await seen(
      scripted('a', 'one', turn),
      second(),
    );
    expect({ text, thrown, awaited, errors }).toEqual({
      text: 'whole answer',
      thrown: undefined,
      awaited: 'whole answer',
      errors: [],
    });
    expect(rows).toMatchObject([
      { target: 'a/one', kind: expect.stringContaining('provider.') },
      { target: 'b/two', outcome: 'succeeded' },
    ]);
    expect(metadata?.['errand']).toMatchObject({ servedBy: 'b/two', attempts: rows });
  });

  it('has one stream-start and one response-metadata, those of the model that answers', async () => {
    const first = scripted('a', 'one', {
      parts: [
        { type: 'stream-start', warnings: [{ type: 'other', message: 'of the first' }] },
        { type: 'response-metadata', id: 'first' },
        { type: 'error', error: overloaded() },
      ],
    });
    const other = scripted('b', 'two', {
      parts: [
        { type: 'stream-start', warnings: [] },
        { type: 'response-metadata', id: 'second' },
        ...textParts('ok').slice(1),
      ],
    });
    const { stream } = await resilientModel([first, other], { clock: virtualClock() }).doStream({
      prompt: [],
    });
    const parts: Part[] = [];
    for await (const part of stream) parts.push(part);
    expect(parts.map(({ type }) => type)).toEqual([
      'stream-start',
      'response-metadata',
      'text-start',
      'text-delta',
      'text-end',
      'finish',
    ]);
    expect(parts[1]).toMatchObject({ id: 'second' });
  });

  it.each<[string, Turn, string]>([
    [
      'breaks off',
      { parts: begunText('half'), breaks: new TypeError('terminated') },
      'provider.stream_interrupted',
    ],
    ['ends without its end', { parts: begunText('half') }, 'provider.stream_interrupted'],
    [
      'has an error',
      { parts: [...begunText('half'), { type: 'error', error: overloaded() }] },
      'provider.overloaded',
    ],
    [
      'is filtered',
      {
        parts: [
          ...begunText('half'),
          {
            ...FINISH,
            finishReason: { unified: 'content-filter', raw: 'content_filter' },
          } as typeof FINISH,
        ],
      },
      'provider.content_filter',
    ],
  ])(
    'that %s after its first content says so once, and no other model is asked',
    async (_, turn, kind) => {
      const other = second();
      const { text, thrown, awaited, errors, rows } = await seen(scripted('a', 'one', turn), other);
      expect(text).toBe('half');
      expect(other.calls).toHaveLength(0);
      expect(errors).toHaveLength(1);
      for (const error of [thrown, awaited, errors[0]]) {
        expect(error).toBeInstanceOf(ErrandError);
        expect((error as ErrandError).report).toMatchObject({
          kind,
          outcome: 'partial',
          attempts: [{ target: 'a/one', kind }],
        });
      }
      // a provider that ended its stream has counted it
      const isCounted = kind === 'provider.content_filter';
      const used = isCounted ? { outputTokens: 4 } : { outputTokens: 1 };
      expect(rows).toMatchObject([{ target: 'a/one', kind, ...used, estimated: !isCounted }]);
    },
  );

  it('that fails at every entry before content ends the same way', async () => {
    const { text, thrown, awaited, errors } = await seen(
      scripted('a', 'one', { thrown: refusedKey() }),
    );
    expect(text).toBe('');
    expect(errors).toHaveLength(1);
    for (const error of [thrown, awaited, errors[0]])
      expect(error).toMatchObject({ kind: 'provider.auth' });
  });

  it('that stands still for too long is a timeout: before content another model answers, after it the stream fails', async () => {
    const { text } = await seen(
      { model: scripted('a', 'one', { hangs: true }), timeoutMs: 1000 },
      second(),
    );
    expect(text).toBe('whole answer');
  });

  it('may take as long as it likes while parts keep coming', async () => {
    const clock = virtualClock();
    const slow = scripted('a', 'one');
    const left = [...textParts('one ', 'two ', 'three ', 'four')];
    slow.doStream = async () => ({
      stream: new ReadableStream<Part>({
        async pull(controller) {
          await clock.sleep(400, new AbortController().signal);
          const part = left.shift();
          if (part === undefined) controller.close();
          else controller.enqueue(part);
        },
      }),
    });
    const model = resilientModel([{ model: slow, timeoutMs: 1300 }], { clock });
    const result = streamText({ model, prompt, onError: () => undefined });
    expect(await result.text).toBe('one two three four');
  });

  it('passes an empty answer as it is', async () => {
    const { text, errors, rows } = await seen(
      scripted('a', 'one', { parts: textParts() }),
      second(),
    );
    expect({ text, errors }).toEqual({ text: '', errors: [] });
    expect(rows).toMatchObject([{ target: 'a/one', outcome: 'succeeded' }]);
  });

  it('ends with the reason of the caller’s signal, and is no failure of the model', async () => {
    const controller = new AbortController();
    const reason = new Error('the user left');
    const model = resilientModel([scripted('a', 'one', { hangs: true })], {
      clock: FROZEN,
    });
    const opened = Promise.resolve(
      model.doStream({ prompt: [], abortSignal: controller.signal }),
    ).catch((thrown: unknown) => thrown);
    setImmediate(() => controller.abort(reason));
    expect(await opened).toBe(reason);
  });

  it('restarted by the SDK finds the failed entry resting', async () => {
    const first = scripted('a', 'one', {
      parts: begunText('half'),
      breaks: new TypeError('terminated'),
    });
    const other = second();
    const model = resilientModel([first, other], { clock: FROZEN });
    const result = streamText({
      model,
      prompt,
      streamRetries: 1,
      onError: () => undefined,
    });
    expect(await result.text).toBe('whole answer');
    expect([first.calls.length, other.calls.length]).toEqual([1, 1]);
  });
});
