/** Whole answers of OpenAI's Responses: the SDK reads the reason for an incomplete one, and not the status. */
import { describe, expect, it } from 'vitest';
import { createOpenAI } from '../sdks/node_modules/@ai-sdk/openai/dist/index.js';
import { generateText, streamText } from '../sdks/node_modules/ai/dist/index.js';
import { resilientModel, type AttemptRow } from '../../src/ai-sdk/index.ts';
import { ErrandError } from '../../src/errors/thrown/errand-error.ts';
import { virtualClock } from './models.cases.ts';

/** The message of a response with these fields: half of one is no whole answer, whatever the response says. */
const outputOf = ({ status = 'completed' }: { readonly status?: string }): readonly object[] => [
  {
    type: 'message',
    id: 'msg_1',
    role: 'assistant',
    status: status === 'completed' ? status : 'incomplete',
    content: [{ type: 'output_text', text: 'half', annotations: [] }],
  },
];

/** The result of a whole answer with these fields. */
async function answered(fields: object) {
  const body = {
    id: 'resp_1',
    object: 'response',
    created_at: 1,
    model: 'gpt-6-mini',
    output: outputOf(fields),
    usage: { input_tokens: 10, output_tokens: 4 },
    ...fields,
  };
  const fetch = async () => Response.json(body);
  const rows: AttemptRow[] = [];
  const model = resilientModel([createOpenAI({ apiKey: 'key', fetch })('gpt-6-mini')], {
    clock: virtualClock(),
    onAttempt: (row) => rows.push(row),
  });
  const result = await generateText({ model, prompt: 'Tell me.', maxRetries: 0 }).catch(
    (thrown: unknown) => thrown,
  );
  return { result, rows };
}

describe('a whole answer of Responses', () => {
  it.each([
    [{ status: 'failed' }, 'provider.server_error'],
    [{ status: 'failed', error: null, output: [] }, 'provider.server_error'],
    [{ status: 'cancelled' }, 'provider.server_error'],
    [{ status: 'incomplete' }, 'provider.truncated'],
    [{ status: 'incomplete', incomplete_details: null }, 'provider.truncated'],
    [{ status: 'queued', output: [] }, 'provider.unknown'],
    [{ status: 'in_progress' }, 'provider.unknown'],
  ])('with %j is %s, and is on the bill', async (fields, kind) => {
    const { result, rows } = await answered(fields);
    expect(result).toBeInstanceOf(ErrandError);
    expect(rows[0]).toMatchObject({ kind, inputTokens: 10, outputTokens: 4, estimated: false });
  });

  it.each([
    [{ status: 'completed' }, 'stop'],
    [{}, 'stop'],
    [{ status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } }, 'length'],
  ])('with %j passes', async (fields, finishReason) => {
    const { result } = await answered(fields);
    expect(result).toMatchObject({ text: 'half', finishReason });
  });
});

/** The result of a stream whose last event, `response.completed`, has a response with these fields. */
async function streamed(fields: object, options: { readonly includeRawChunks?: boolean } = {}) {
  const response = { id: 'resp_1', created_at: 1, model: 'gpt-6-mini' };
  const item = { type: 'message', id: 'msg_1' };
  const usage = { input_tokens: 10, output_tokens: 4 };
  const body = [
    { type: 'response.created', response },
    { type: 'response.output_item.added', output_index: 0, item },
    { type: 'response.output_text.delta', item_id: 'msg_1', output_index: 0, delta: 'half' },
    { type: 'response.output_item.done', output_index: 0, item },
    {
      type: 'response.completed',
      response: { ...response, output: outputOf(fields), usage, ...fields },
    },
  ]
    .map((event) => `data: ${JSON.stringify(event)}\n\n`)
    .join('');
  const headers = { 'content-type': 'text/event-stream' };
  const fetch = async () => new Response(body, { headers });
  const rows: AttemptRow[] = [];
  const model = resilientModel([createOpenAI({ apiKey: 'key', fetch })('gpt-6-mini')], {
    clock: virtualClock(),
    onAttempt: (row) => rows.push(row),
  });
  const types: string[] = [];
  const asked = { model, prompt: 'Tell me.', maxRetries: 0, onError: () => {}, ...options };
  try {
    for await (const { type } of streamText(asked).stream) types.push(type);
  } catch (thrown) {
    expect(thrown).toBeInstanceOf(ErrandError);
  }
  return { types, rows };
}

describe('a stream of Responses that ends as completed', () => {
  it.each([
    [{ status: 'failed' }, 'provider.server_error'],
    [{ status: 'failed', error: { code: 'server_error', message: 'x' } }, 'provider.server_error'],
    [{ status: 'cancelled' }, 'provider.server_error'],
    [{ status: 'incomplete' }, 'provider.truncated'],
  ])('with %j is %s, and is on the bill', async (fields, kind) => {
    const { types, rows } = await streamed(fields);
    expect(types).toContain('error');
    expect(rows[0]).toMatchObject({ kind, inputTokens: 10, outputTokens: 4, estimated: false });
  });

  it.each([{ status: 'completed' }, {}])('with %j passes, without raw events', async (fields) => {
    const { types, rows } = await streamed(fields);
    expect(types).toContain('finish');
    expect(types).not.toContain('error');
    expect(types).not.toContain('raw');
    expect(rows[0]).toMatchObject({ outcome: 'succeeded' });
  });

  it('has its raw events where the caller asks for them', async () => {
    const { types } = await streamed({ status: 'completed' }, { includeRawChunks: true });
    expect(types.filter((type) => type === 'raw')).toHaveLength(5);
  });
});
