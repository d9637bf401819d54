/** Streams whose good end is contradicted by something that the SDK drops: `resilientModel` fails them as a run does. */
import type { LanguageModelV4 } from '@ai-sdk/provider';
import { describe, expect, it } from 'vitest';
import { createAnthropic } from '../sdks/node_modules/@ai-sdk/anthropic/dist/index.js';
import { createGoogleGenerativeAI } from '../sdks/node_modules/@ai-sdk/google/dist/index.js';
import { createMistral } from '../sdks/node_modules/@ai-sdk/mistral/dist/index.js';
import { createOpenAI } from '../sdks/node_modules/@ai-sdk/openai/dist/index.js';
import { createOpenAICompatible } from '../sdks/node_modules/@ai-sdk/openai-compatible/dist/index.js';
import { resilientModel, type AttemptRow } from '../../src/ai-sdk/index.ts';
import { events } from '../model/upstream.ts';
import { virtualClock } from './models.cases.ts';

type Fetch = () => Promise<Response>;

const baseURL = 'http://127.0.0.1:1/v1';
const apiKey = 'key';

const CHATS: Readonly<Record<string, (fetch: Fetch) => LanguageModelV4>> = {
  'a host of its protocol': (fetch) =>
    createOpenAICompatible({ name: 'openrouter', baseURL, apiKey, fetch }).chatModel('m'),
  OpenAI: (fetch) => createOpenAI({ apiKey, fetch }).chat('m'),
  Mistral: (fetch) => createMistral({ apiKey, fetch })('m'),
};

/** The words that reached the caller, the types of all parts, and the row of the attempt. */
async function streamed(model: (fetch: Fetch) => LanguageModelV4, body: string) {
  const headers = { 'content-type': 'text/event-stream' };
  const rows: AttemptRow[] = [];
  const chain = resilientModel([model(async () => new Response(body, { headers }))], {
    clock: virtualClock(),
    onAttempt: (row) => rows.push(row),
  });
  const { stream } = await chain.doStream({
    prompt: [{ role: 'user', content: [{ type: 'text', text: 'Hello' }] }],
  });
  const types: string[] = [];
  let text = '';
  try {
    for await (const part of stream) {
      types.push(part.type);
      if (part.type === 'text-delta') text += part.delta;
    }
  } catch {
    // the row says what it was
  }
  return { types, text, row: rows[0] };
}

const chunk = (choice: object, more: object = {}): object => ({
  id: 'c1',
  object: 'chat.completion.chunk',
  created: 1,
  model: 'm',
  choices: [{ index: 0, delta: {}, finish_reason: null, ...choice }],
  ...more,
});

const HALF = chunk({ delta: { role: 'assistant', content: 'Half' } });
const STOP = chunk({ finish_reason: 'stop' });

const OVERLOADED = { code: 503, message: 'The model is overloaded' };

describe.each(Object.entries(CHATS))('a chat stream of %s with a good end', (_, model) => {
  it.each<[string, readonly object[], string]>([
    [
      'an error in its last choice',
      [HALF, chunk({ finish_reason: 'stop', error: OVERLOADED })],
      'provider.overloaded',
    ],
    [
      'an error in an earlier choice',
      [HALF, chunk({ delta: { content: '' }, error: OVERLOADED }), STOP],
      'provider.overloaded',
    ],
    ['a cut before it', [HALF, chunk({ finish_reason: 'length' }), STOP], 'provider.truncated'],
    [
      'the filter of the host behind a router',
      [HALF, chunk({ finish_reason: 'stop', native_finish_reason: 'SAFETY' })],
      'provider.content_filter',
    ],
    [
      'a refusal',
      [HALF, chunk({ delta: { refusal: 'I cannot' } }), STOP],
      'provider.content_filter',
    ],
  ])('and %s is a failure', async (_sign, parts, kind) => {
    const { types, row } = await streamed(model, `${events(...parts)}data: [DONE]\n\n`);
    expect(row).toMatchObject({ kind });
    expect(types).not.toContain('finish');
  });

  it('and nothing that contradicts it passes, without raw events', async () => {
    const { types, text, row } = await streamed(model, `${events(HALF, STOP)}data: [DONE]\n\n`);
    expect({ text, row }).toMatchObject({ text: 'Half', row: { outcome: 'succeeded' } });
    expect(types).not.toContain('raw');
    expect(types.at(-1)).toBe('finish');
  });

  it('by length passes as one, but not with an error beside it', async () => {
    const cut = chunk({ finish_reason: 'length' });
    expect((await streamed(model, events(HALF, cut))).row).toMatchObject({ outcome: 'succeeded' });
    const bad = chunk({ finish_reason: 'length', error: OVERLOADED });
    expect((await streamed(model, events(HALF, bad))).row).toMatchObject({
      kind: 'provider.overloaded',
    });
  });
});

it('a message of Anthropic that refused before its good end is a failure', async () => {
  const message = { id: 'm1', type: 'message', role: 'assistant', model: 'm', content: [] };
  const parts = (start: object): readonly object[] => [
    { type: 'message_start', message: { ...message, ...start, usage: { input_tokens: 1 } } },
    { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
    { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Half' } },
    { type: 'content_block_stop', index: 0 },
    { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 1 } },
    { type: 'message_stop' },
  ];
  const model = (fetch: Fetch): LanguageModelV4 => createAnthropic({ apiKey, fetch })('m');
  const refused = await streamed(model, events(...parts({ stop_reason: 'refusal' })));
  expect(refused.row).toMatchObject({ kind: 'provider.content_filter' });
  const whole = await streamed(model, events(...parts({})));
  expect(whole).toMatchObject({ text: 'Half', row: { outcome: 'succeeded' } });
});

it('a stream of Gemini with a filter before its good end is a failure', async () => {
  const part = (finishReason?: string): object => ({
    candidates: [{ content: { role: 'model', parts: [{ text: 'Half' }] }, finishReason }],
  });
  const model = (fetch: Fetch): LanguageModelV4 => createGoogleGenerativeAI({ apiKey, fetch })('m');
  const filtered = await streamed(model, events(part('SAFETY'), part('STOP')));
  expect(filtered.row).toMatchObject({ kind: 'provider.content_filter' });
  const whole = await streamed(model, events(part(), part('STOP')));
  expect(whole).toMatchObject({ text: 'HalfHalf', row: { outcome: 'succeeded' } });
});

it.each([
  [{ reason: 'content_filter' }, 'provider.content_filter'],
  [{ reason: 'max_output_tokens' }, 'provider.truncated'],
  [null, 'provider.truncated'],
])(
  'a response that is incomplete by %j is not made whole by a second end',
  async (details, kind) => {
    const response = { id: 'resp_1', created_at: 1, model: 'm' };
    const usage = { input_tokens: 10, output_tokens: 4 };
    const item = { type: 'message', id: 'msg_1' };
    const body = events(
      { type: 'response.created', response },
      { type: 'response.output_item.added', output_index: 0, item },
      { type: 'response.output_text.delta', item_id: 'msg_1', output_index: 0, delta: 'Half' },
      { type: 'response.output_item.done', output_index: 0, item },
      {
        type: 'response.incomplete',
        response: { ...response, status: 'incomplete', incomplete_details: details, usage },
      },
      { type: 'response.completed', response: { ...response, status: 'completed', usage } },
    );
    const { row } = await streamed((fetch) => createOpenAI({ apiKey, fetch })('m'), body);
    expect(row).toMatchObject({ kind });
  },
);
