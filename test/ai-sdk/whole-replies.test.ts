/** `resilientModel` and replies that are not one whole: parts after the end, one call twice, an unknown end. */
import type { LanguageModelV4StreamPart as Part } from '@ai-sdk/provider';
import { describe, expect, it } from 'vitest';
import { createOpenAI } from '../sdks/node_modules/@ai-sdk/openai/dist/index.js';
import { resilientModel, type AttemptRow } from '../../src/ai-sdk/index.ts';
import { isKind } from '../../src/errors/thrown/errand-error.ts';
import { begunText, FINISH, scripted, textParts, virtualClock } from './models.cases.ts';

type Entry = Parameters<typeof resilientModel>[0][number];

/** The parts that a caller of the stream gets, and the error that ended it. */
async function streamed(entry: Entry): Promise<{ parts: Part[]; thrown: unknown }> {
  const model = resilientModel([entry], { clock: virtualClock() });
  const prompt = [{ role: 'user' as const, content: [{ type: 'text' as const, text: 'Hello' }] }];
  const { stream } = await model.doStream({ prompt });
  const parts: Part[] = [];
  let thrown: unknown;
  try {
    for await (const part of stream) parts.push(part);
  } catch (error) {
    thrown = error;
  }
  return { parts, thrown };
}

const CALL: Part = { type: 'tool-call', toolCallId: 'c1', toolName: 'pay', input: '{}' };
const typesOf = (parts: readonly Part[]): readonly string[] => parts.map(({ type }) => type);

describe('a stream', () => {
  it.each<[string, Part]>([
    ['words', { type: 'text-delta', id: '1', delta: 'evil' }],
    ['a call', CALL],
  ])('with %s after its end is interrupted, and no end is passed on', async (_, part) => {
    const { parts, thrown } = await streamed(
      scripted('a', 'one', { parts: [...textParts('whole'), part] }),
    );
    expect(isKind(thrown, 'provider.stream_interrupted')).toBe(true);
    expect(typesOf(parts)).not.toContain('finish');
    expect(typesOf(parts)).not.toContain('tool-call');
  });

  it('with facts after its end is whole', async () => {
    const facts: Part = { type: 'response-metadata', id: 'r1' };
    const { parts, thrown } = await streamed(
      scripted('a', 'one', { parts: [...textParts('whole'), facts] }),
    );
    expect(thrown).toBeUndefined();
    expect(typesOf(parts).at(-1)).toBe('finish');
  });

  it('with one call twice cannot be used', async () => {
    const end = { ...FINISH, finishReason: { unified: 'tool-calls', raw: 'tool_calls' } } as Part;
    const twice = { parts: [...begunText(), CALL, CALL, end] };
    const { parts, thrown } = await streamed(scripted('a', 'one', twice));
    expect(isKind(thrown, 'provider.unknown')).toBe(true);
    expect(typesOf(parts).filter((type) => type === 'tool-call')).toHaveLength(1);
    const other = { ...CALL, toolCallId: 'c2' };
    const both = await streamed(
      scripted('a', 'one', { parts: [...begunText(), CALL, other, end] }),
    );
    expect(both.thrown).toBeUndefined();
  });

  it.each([
    [{ unified: 'brand-new', raw: 'brand_new' }, 'provider.stream_interrupted'],
    ['stop', 'provider.stream_interrupted'],
  ] as const)('that ends with %j is %s', async (finishReason, kind) => {
    const end = Object.assign({ ...FINISH }, { finishReason }) as Part;
    const { thrown } = await streamed(scripted('a', 'one', { parts: [...begunText('half'), end] }));
    expect(isKind(thrown, kind)).toBe(true);
  });

  it('of Responses with a call after its end is interrupted', async () => {
    const response = { id: 'resp_1', created_at: 1, model: 'gpt-6-mini' };
    const item = { type: 'message', id: 'msg_1' };
    const call = { type: 'function_call', id: 'fc_1', call_id: 'c1', name: 'pay', arguments: '{}' };
    const end = { ...response, output: [], usage: { input_tokens: 10, output_tokens: 4 } };
    const body = [
      { type: 'response.created', response },
      { type: 'response.output_item.added', output_index: 0, item },
      { type: 'response.output_text.delta', item_id: 'msg_1', output_index: 0, delta: 'whole' },
      { type: 'response.output_item.done', output_index: 0, item },
      { type: 'response.completed', response: end },
      { type: 'response.output_item.added', output_index: 1, item: { ...call, arguments: '' } },
      {
        type: 'response.output_item.done',
        output_index: 1,
        item: { ...call, status: 'completed' },
      },
    ].map((event) => `data: ${JSON.stringify(event)}\n\n`);
    const headers = { 'content-type': 'text/event-stream' };
    const fetch = async () => new Response(body.join(''), { headers });
    const { parts, thrown } = await streamed(createOpenAI({ apiKey: 'key', fetch })('gpt-6-mini'));
    expect(isKind(thrown, 'provider.stream_interrupted')).toBe(true);
    expect(typesOf(parts)).not.toContain('tool-call');
  });
});

describe('a whole answer', () => {
  const prompt = [{ role: 'user' as const, content: [{ type: 'text' as const, text: 'Hello' }] }];
  /** The rows of all attempts. */
  async function answered(change: object): Promise<readonly AttemptRow[]> {
    const rows: AttemptRow[] = [];
    const entry = scripted('a', 'one', { text: 'whole' });
    const doGenerate: typeof entry.doGenerate = async (options) => ({
      ...(await entry.doGenerate(options)),
      ...change,
    });
    const options = { clock: virtualClock(), onAttempt: (row: AttemptRow) => void rows.push(row) };
    const model = resilientModel([{ ...entry, doGenerate }], options);
    await Promise.resolve(model.doGenerate({ prompt })).catch(() => undefined);
    return rows;
  }

  it('with one call twice cannot be used', async () => {
    const finishReason = { unified: 'tool-calls', raw: 'tool_calls' };
    const twice = await answered({ content: [CALL, CALL], finishReason });
    expect(twice[0]).toMatchObject({ kind: 'provider.unknown' });
    const other = { ...CALL, toolCallId: 'c2' };
    const both = await answered({ content: [CALL, other], finishReason });
    expect(both).toMatchObject([{ outcome: 'succeeded' }]);
  });

  it.each([
    [{ unified: 'brand-new', raw: 'brand_new' }, 'provider.unknown'],
    // before anybody saw any of it a cut is one of the network
    ['stop', 'provider.network'],
  ])('that ends with %j is %s', async (finishReason, kind) => {
    expect((await answered({ finishReason }))[0]).toMatchObject({ kind });
  });
});
