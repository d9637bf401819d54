/** Whole answers of OpenAI's Responses: the SDK reads the reason for an incomplete one, and not the status. */
import { describe, expect, it } from 'vitest';
import { createOpenAI } from '../sdks/node_modules/@ai-sdk/openai/dist/index.js';
import { generateText } from '../sdks/node_modules/ai/dist/index.js';
import { resilientModel, type AttemptRow } from '../../src/ai-sdk/index.ts';
import { ErrandError } from '../../src/errors/thrown/errand-error.ts';
import { virtualClock } from './models.cases.ts';

const OUTPUT = [
  {
    type: 'message',
    id: 'msg_1',
    role: 'assistant',
    status: 'incomplete',
    content: [{ type: 'output_text', text: 'half', annotations: [] }],
  },
];

/** What comes of a whole answer with these fields. */
async function answered(fields: object) {
  const body = {
    id: 'resp_1',
    object: 'response',
    created_at: 1,
    model: 'gpt-6-mini',
    output: OUTPUT,
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
