/**
 * One judgement at both doors: the same odd stream of a provider is a failure of the same kind in a run and by
 * `resilientModel`, or is the same reply at both. Not at both: what an application may want as it is, an empty
 * reply and one that was cut by its limit.
 */
import type { LanguageModelV4, LanguageModelV4StreamPart as Part } from '@ai-sdk/provider';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createAnthropic } from '../sdks/node_modules/@ai-sdk/anthropic/dist/index.js';
import { createGoogleGenerativeAI } from '../sdks/node_modules/@ai-sdk/google/dist/index.js';
import { createMistral } from '../sdks/node_modules/@ai-sdk/mistral/dist/index.js';
import { createOpenAI } from '../sdks/node_modules/@ai-sdk/openai/dist/index.js';
import { createOpenAICompatible } from '../sdks/node_modules/@ai-sdk/openai-compatible/dist/index.js';
import { errandMiddleware, resilientModel, type AttemptRow } from '../../src/ai-sdk/index.ts';
import { reportOf } from '../../src/effects/effect-port.cases.ts';
import { ask } from '../model/harness.ts';
import { PROTOCOLS } from '../model/protocols.ts';
import { EVENT_STREAM, events, startUpstream, streams, type Upstream } from '../model/upstream.ts';
import { virtualClock } from './models.cases.ts';

let upstream: Upstream;
beforeAll(async () => {
  upstream = await startUpstream();
});
afterAll(() => upstream.close());

const PAY = { name: 'pay', description: 'Pays.', inputSchema: { type: 'object' } } as const;

type Fetch = () => Promise<Response>;

const connection = { baseURL: 'http://127.0.0.1:1/v1', apiKey: 'key' };

const MODELS: Readonly<Record<string, (fetch: Fetch) => LanguageModelV4>> = {
  chat: (fetch) => createOpenAICompatible({ name: 'groq', ...connection, fetch }).chatModel('m'),
  mistral: (fetch) => createMistral({ ...connection, fetch })('m'),
  messages: (fetch) => createAnthropic({ ...connection, fetch })('m'),
  gemini: (fetch) => createGoogleGenerativeAI({ ...connection, fetch })('m'),
  responses: (fetch) => createOpenAI({ ...connection, fetch }).responses('m'),
};

interface Judged {
  /** `reply` where it is one. */
  readonly kind: string;
  readonly text: string;
  readonly calls: readonly string[];
}

async function inRun(name: string, body: string): Promise<Judged> {
  const protocol = PROTOCOLS.find((each) => each.name === name);
  if (protocol === undefined) throw new Error(`no protocol ${name}`);
  upstream.answer(streams(body));
  const result = await ask(protocol, upstream.url, { call: { tools: [PAY] } });
  if (!result.ok) return { kind: reportOf(result).kind, text: '', calls: [] };
  const { text, toolCalls } = result.output as { text: string; toolCalls: { name: string }[] };
  return { kind: 'reply', text, calls: toolCalls.map((call) => call.name) };
}

async function inApplication(
  name: string,
  body: string,
): Promise<Judged & { parts: Part[]; rows: AttemptRow[] }> {
  const rows: AttemptRow[] = [];
  const fetch: Fetch = async () => new Response(body, { headers: EVENT_STREAM });
  const own = MODELS[name]?.(fetch);
  if (own === undefined) throw new Error(`no model for ${name}`);
  const model = resilientModel([own], {
    clock: virtualClock(),
    onAttempt: (row) => rows.push(row),
  });
  const { stream } = await model.doStream({
    prompt: [{ role: 'user', content: [{ type: 'text', text: 'Say hello.' }] }],
    tools: [{ type: 'function', ...PAY }],
  });
  const parts: Part[] = [];
  try {
    for await (const part of stream) parts.push(part);
  } catch {
    // the row says what it was
  }
  const kind = rows[0]?.kind ?? 'reply';
  if (kind !== 'reply') return { kind, text: '', calls: [], parts, rows };
  const text = parts.map((part) => (part.type === 'text-delta' ? part.delta : '')).join('');
  const calls = parts.flatMap((part) => (part.type === 'tool-call' ? [part.toolName] : []));
  return { kind, text, calls, parts, rows };
}

const chunk = (delta: object, more: object = {}): object => ({
  id: 'c1',
  object: 'chat.completion.chunk',
  created: 1,
  model: 'm',
  choices: [{ index: 0, delta, finish_reason: null, ...more }],
});
const call = (more: object, name?: string): object =>
  chunk({
    tool_calls: [{ type: 'function', function: { name, arguments: '{}' }, ...more }],
  });
const HI = chunk({ content: 'Hi' });
const STOP = chunk({}, { finish_reason: 'stop' });
const CALLED = chunk({}, { finish_reason: 'tool_calls' });
const chat = (...list: readonly object[]): string => `${events(...list)}data: [DONE]\n\n`;

/** The expected kind; each stream is what a host sends, or what is left of it. */
const CHATS: readonly (readonly [string, string, string])[] = [
  ['a whole reply', chat(HI, STOP), 'reply'],
  ['one call', chat(call({ index: 0, id: 'a' }, 'pay'), CALLED), 'reply'],
  [
    'two calls without ids',
    chat(call({ index: 0 }, 'pay'), call({ index: 1 }, 'pay'), CALLED),
    'reply',
  ],
  [
    'a call that was sent twice',
    chat(call({ index: 0, id: 'a' }, 'pay'), call({ index: 0, id: 'a' }, 'pay'), CALLED),
    'provider.unknown',
  ],
  [
    'one id at two calls',
    chat(call({ index: 0, id: 'a' }, 'pay'), call({ index: 1, id: 'a' }, 'pay'), CALLED),
    'provider.unknown',
  ],
  [
    'the error of vLLM',
    chat(HI, { object: 'error', message: 'x', type: 'Internal', code: 500 }),
    'provider.server_error',
  ],
  ['the error of a proxy', chat(HI, { message: 'Slow down', code: 429 }), 'provider.rate_limited'],
  [
    'the error of a proxy before anything',
    chat({ message: 'Rate limit exceeded', code: 429 }),
    'provider.rate_limited',
  ],
  [
    'an event that is called an error, and a good end',
    `${events(HI)}event: error\ndata: {"message":"Rate limit exceeded","code":429}\n\n${chat(STOP)}`,
    'provider.rate_limited',
  ],
  [
    'half an event',
    `${events(HI)}data: {"choices":[{"ind\n\n${chat(STOP)}`,
    'provider.stream_interrupted',
  ],
  ['text after its end', chat(HI, STOP) + events(HI), 'provider.stream_interrupted'],
];

const response = { id: 'r1', created_at: 1, model: 'm', service_tier: null };
const usage = { input_tokens: 100, output_tokens: 20 };
const message = { id: 'msg_1', type: 'message', role: 'assistant' };
const said = (status: string): readonly object[] => [
  { type: 'response.created', response },
  { type: 'response.output_item.added', output_index: 0, item: { ...message, content: [] } },
  { type: 'response.output_text.delta', item_id: 'msg_1', output_index: 0, delta: 'Hi' },
  {
    type: 'response.output_item.done',
    output_index: 0,
    item: {
      ...message,
      status,
      content: [{ type: 'output_text', text: 'Hi', annotations: [] }],
    },
  },
];
const COMPLETED = {
  type: 'response.completed',
  response: { ...response, usage, incomplete_details: null },
};
const made = (status: string): object => ({
  type: 'response.output_item.done',
  output_index: 1,
  item: {
    id: 'fc_1',
    type: 'function_call',
    call_id: 'c1',
    name: 'pay',
    arguments: '{"sum":1}',
    status,
  },
});

const RESPONSES: readonly (readonly [string, string, string])[] = [
  ['a whole reply', events(...said('completed'), COMPLETED), 'reply'],
  ['a call', events(...said('completed'), made('completed'), COMPLETED), 'reply'],
  ['half a message', events(...said('incomplete'), COMPLETED), 'provider.truncated'],
  [
    'half a call',
    events(...said('completed'), made('incomplete'), COMPLETED),
    'provider.truncated',
  ],
  [
    'an error that its SDK cannot read',
    events(...said('completed'), { type: 'error', code: 'rate_limit_exceeded', message: 'Slow' }),
    'provider.rate_limited',
  ],
];

const gemini = (parts: readonly object[], more: object = {}): object => ({
  candidates: [{ content: { role: 'model', parts }, index: 0, ...more }],
  modelVersion: 'm',
});
const OK = gemini([{ text: 'ok' }]);
const END = gemini([], { finishReason: 'STOP' });
const args = { sum: 1 };
const piece = { jsonPath: '$.sum', numberValue: 1 };

const GEMINIS: readonly (readonly [string, string, string])[] = [
  ['a whole reply', events(OK, END), 'reply'],
  ['a call', events(OK, gemini([{ functionCall: { name: 'pay', args } }]), END), 'reply'],
  [
    'a call in pieces',
    events(
      OK,
      gemini([{ functionCall: { name: 'pay', willContinue: true } }]),
      gemini([{ functionCall: { partialArgs: [piece], willContinue: true } }]),
      gemini([{ functionCall: {} }]),
      gemini([{ functionCall: {} }]),
      END,
    ),
    'reply',
  ],
  ...Object.entries<object>({
    'a call without a name': { functionCall: { args } },
    'a call whose name is a number': { functionCall: { name: 7, args } },
    'a call whose id is a number': { functionCall: { id: 7, name: 'pay', args } },
    'a list of calls': { functionCall: [{ name: 'pay', args }] },
    'a call under another key': { function_call: { name: 'pay', args } },
    'a piece of no call': { functionCall: { partialArgs: [piece] } },
  }).map(([what, part]): [string, string, string] => [
    what,
    events(OK, gemini([part]), END),
    'provider.stream_interrupted',
  ]),
];

const MESSAGES: readonly (readonly [string, string, string])[] = [
  [
    'an error in another shape',
    events(
      { type: 'message_start', message: { id: 'm1', content: [], usage: { input_tokens: 1 } } },
      { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
      { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Hi' } },
      { type: 'error', message: 'Overloaded', code: 529 },
    ),
    'provider.overloaded',
  ],
];

describe.each([
  ['chat', CHATS],
  ['mistral', CHATS],
  ['responses', RESPONSES],
  ['gemini', GEMINIS],
  ['messages', MESSAGES],
] as const)('a stream of %s', (protocol, cases) => {
  it.each(cases)('with %s', async (_, body, kind) => {
    const { parts, rows: _rows, ...judged } = await inApplication(protocol, body);
    const run = await inRun(protocol, body);
    expect(run.kind).toBe(kind);
    expect(judged).toEqual(run);
    // a call that is made twice may be paid twice
    const ids = parts.filter(({ type }) => type === 'tool-call');
    if (kind === 'provider.unknown') expect(ids.length).toBeLessThan(2);
  });
});

it('what a provider counted before its stream broke off is on the bill of both', async () => {
  const counted = { input_tokens: 100, cache_read_input_tokens: 50, output_tokens: 1 };
  const body = events(
    { type: 'message_start', message: { id: 'm1', content: [], usage: counted } },
    { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
    { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Once upon' } },
  );
  const used = { inputTokens: 150, cachedTokens: 50, outputTokens: 3 };
  const { rows } = await inApplication('messages', body);
  expect(rows[0]).toMatchObject({ ...used, estimated: true });
  const protocol = PROTOCOLS.find(({ name }) => name === 'messages');
  if (protocol === undefined) throw new Error('no protocol');
  upstream.answer(streams(body));
  expect(await ask(protocol, upstream.url)).toMatchObject({ usage: used, isEstimated: true });
});

it.each([
  [{ object: 'error', message: 'x', type: 'Internal', code: 500 }, 'provider.server_error'],
  [{ message: 'Rate limit exceeded', code: 429 }, 'provider.rate_limited'],
])('the middleware knows the error %j, which the package cannot read, too', async (error, kind) => {
  const headers = EVENT_STREAM;
  const model = MODELS['chat']?.(async () => new Response(chat(HI, error), { headers }));
  if (model === undefined) throw new Error('no model');
  const params = {
    prompt: [{ role: 'user' as const, content: [{ type: 'text' as const, text: 'Say hello.' }] }],
  };
  const wrap = errandMiddleware().wrapStream;
  const result = await wrap?.({
    doStream: () => model.doStream(params),
    doGenerate: () => model.doGenerate(params),
    model,
    params,
  });
  const errors: unknown[] = [];
  for await (const part of result?.stream ?? []) if (part.type === 'error') errors.push(part.error);
  expect(errors).toMatchObject([{ report: { kind } }]);
});
