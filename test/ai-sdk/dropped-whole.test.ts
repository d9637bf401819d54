/** Whole answers whose good end is contradicted by something that the SDK drops: `resilientModel` fails them as it does streams. */
import type { LanguageModelV4, LanguageModelV4Content } from '@ai-sdk/provider';
import { describe, expect, it } from 'vitest';
import { createAnthropic } from '../sdks/node_modules/@ai-sdk/anthropic/dist/index.js';
import { createGoogleGenerativeAI } from '../sdks/node_modules/@ai-sdk/google/dist/index.js';
import { createOpenAI } from '../sdks/node_modules/@ai-sdk/openai/dist/index.js';
import { createOpenAICompatible } from '../sdks/node_modules/@ai-sdk/openai-compatible/dist/index.js';
import { resilientModel, type AttemptRow } from '../../src/ai-sdk/index.ts';
import { virtualClock } from './models.cases.ts';

type Fetch = () => Promise<Response>;

const connection = { baseURL: 'http://127.0.0.1:1/v1', apiKey: 'key' };

const MODELS: Readonly<Record<string, (fetch: Fetch) => LanguageModelV4>> = {
  chat: (fetch) =>
    createOpenAICompatible({ name: 'openrouter', ...connection, fetch }).chatModel('m'),
  // the makers of models have a door of OpenAI's protocol beside their own
  'chat of Google': (fetch) =>
    createOpenAICompatible({ name: 'google', ...connection, fetch }).chatModel('m'),
  'chat of Anthropic': (fetch) =>
    createOpenAICompatible({ name: 'anthropic', ...connection, fetch }).chatModel('m'),
  messages: (fetch) => createAnthropic({ ...connection, fetch })('m'),
  gemini: (fetch) => createGoogleGenerativeAI({ ...connection, fetch })('m'),
  responses: (fetch) => createOpenAI({ ...connection, fetch }).responses('m'),
};

/** The row of the first attempt, and what the application gets. */
async function answered(protocol: string, body: object) {
  const rows: AttemptRow[] = [];
  const own = MODELS[protocol]?.(async () => Response.json(body));
  if (own === undefined) throw new Error(`no model for ${protocol}`);
  const model = resilientModel([own], {
    clock: virtualClock(),
    onAttempt: (row) => rows.push(row),
  });
  let content: readonly LanguageModelV4Content[] = [];
  try {
    const answer = await model.doGenerate({
      prompt: [{ role: 'user', content: [{ type: 'text', text: 'Say hello.' }] }],
    });
    content = answer.content;
  } catch {
    // the row says what it was
  }
  return { row: rows[0], types: content.map(({ type }) => type) };
}

const HI = { role: 'assistant', content: 'Hi' };
const chat = (message: object, choice: object = {}, more: object = {}): object => ({
  id: 'c',
  object: 'chat.completion',
  created: 1,
  model: 'm',
  choices: [{ index: 0, message, finish_reason: 'stop', ...choice }],
  usage: { prompt_tokens: 100, completion_tokens: 20 },
  ...more,
});
const call = (id?: string): object => ({
  id,
  type: 'function',
  function: { name: 'pay', arguments: '{}' },
});

const text = { type: 'output_text', text: 'Hi', annotations: [] };
const message = (more: object): object => ({
  type: 'message',
  id: 'msg_1',
  role: 'assistant',
  status: 'completed',
  content: [text],
  ...more,
});
const made = (more: object): object => ({
  type: 'function_call',
  id: 'fc_1',
  call_id: 'c1',
  name: 'pay',
  arguments: '{}',
  status: 'completed',
  ...more,
});
const response = (output: readonly object[]): object => ({
  id: 'r1',
  object: 'response',
  created_at: 1,
  model: 'm',
  status: 'completed',
  output,
  usage: { input_tokens: 100, output_tokens: 20 },
  error: null,
  incomplete_details: null,
});

const said = (more: object): object => ({
  id: 'm1',
  type: 'message',
  role: 'assistant',
  model: 'm',
  content: [{ type: 'text', text: 'Hi' }],
  stop_reason: 'end_turn',
  stop_sequence: null,
  usage: { input_tokens: 100, output_tokens: 20 },
  ...more,
});

const gemini = (parts: readonly object[], more: object = {}): object => ({
  candidates: [{ content: { role: 'model', parts }, finishReason: 'STOP', index: 0 }],
  usageMetadata: { promptTokenCount: 100, candidatesTokenCount: 20 },
  ...more,
});
const OK = { text: 'ok' };

describe('a whole answer', () => {
  it.each<[string, string, object]>([
    ['chat', 'text', chat(HI)],
    [
      'chat',
      'tool-call',
      chat({ ...HI, content: null, tool_calls: [call('a')] }, { finish_reason: 'tool_calls' }),
    ],
    ['chat', 'text', chat(HI, { native_finish_reason: 'STOP' }, { error: null })],
    [
      'chat of Google',
      'tool-call',
      chat({ ...HI, content: null, tool_calls: [call('a')] }, { finish_reason: 'tool_calls' }),
    ],
    ['chat of Anthropic', 'text', chat(HI)],
    ['responses', 'text', response([message({})])],
    ['responses', 'tool-call', response([made({})])],
    ['messages', 'text', said({})],
    ['gemini', 'text', gemini([OK])],
    ['gemini', 'tool-call', gemini([{ functionCall: { name: 'pay', args: {} } }])],
  ])('of %s with a %s that nothing contradicts passes', async (protocol, type, body) => {
    const { row, types } = await answered(protocol, body);
    expect(row).toMatchObject({ outcome: 'succeeded' });
    expect(types).toEqual([type]);
  });

  it.each<[string, string, object, string]>([
    [
      'chat',
      'cut at the host behind a router',
      chat(HI, { native_finish_reason: 'MAX_TOKENS' }),
      'provider.truncated',
    ],
    [
      'chat',
      'filtered at the host behind a router',
      chat(HI, { native_finish_reason: 'SAFETY' }),
      'provider.content_filter',
    ],
    [
      'chat',
      'with an error that is a text beside it',
      chat(HI, {}, { error: 'The model is overloaded' }),
      'provider.overloaded',
    ],
    [
      'chat',
      'with the status of MiniMax',
      chat(HI, {}, { base_resp: { status_code: 1002, status_msg: 'rate limit' } }),
      'provider.rate_limited',
    ],
    [
      'chat',
      'with a call in the form that nobody reads',
      chat({ ...HI, function_call: { name: 'pay', arguments: '{}' } }),
      'provider.unknown',
    ],
    ['chat', 'of another choice', chat(HI, { index: 1 }), 'provider.unknown'],
    // nothing says that it is whole, as with a stream that breaks off
    ['chat', 'without its end', chat(HI, { finish_reason: null }), 'provider.network'],
    [
      'responses',
      'of half a message',
      response([message({ status: 'incomplete' })]),
      'provider.truncated',
    ],
    [
      'responses',
      'of half a call',
      response([made({ status: 'incomplete' })]),
      'provider.truncated',
    ],
    [
      'messages',
      'that details a refusal',
      said({ stop_details: { type: 'refusal' } }),
      'provider.content_filter',
    ],
    [
      'gemini',
      'with a call without a name',
      gemini([OK, { functionCall: { args: {} } }]),
      'provider.unknown',
    ],
    [
      'gemini',
      'with half a call',
      gemini([OK, { functionCall: { name: 'pay', willContinue: true } }]),
      'provider.unknown',
    ],
  ])('of %s %s is a failure, and is on the bill', async (protocol, _, body, kind) => {
    const { row, types } = await answered(protocol, body);
    expect(row).toMatchObject({ kind, inputTokens: 100, outputTokens: 20 });
    expect(types).toEqual([]);
  });
});
