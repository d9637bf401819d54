/** Answers that mislead a client, as a reader met them on a first day, and the reports about them. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { reportFrom } from '../../src/providers/report-from.ts';
import { load, requireSdks } from './install.ts';

type Answer = (response: ServerResponse) => void;

const page =
  (status: number, title: string): Answer =>
  (response) =>
    response
      .writeHead(status, { 'content-type': 'text/html' })
      .end(`<!DOCTYPE html><html><head><title>${title}</title></head><body>hi</body></html>`);

const json =
  (status: number, body: object): Answer =>
  (response) =>
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));

let server: Server;
let url: string;
let answer: Answer = page(200, 'Welcome');

beforeAll(async () => {
  requireSdks();
  // while an SDK is loaded, the connection of the call before it would expire just as the next request leaves
  server = createServer({ keepAliveTimeout: 0 }, (request, response) => {
    request.resume().on('end', () => answer(response));
  });
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => void server.close());

const MESSAGES = [{ role: 'user', content: 'Tell.' }];

async function thrownBy(read: () => Promise<unknown>): Promise<unknown> {
  return read().then(
    () => 'nothing was thrown',
    (thrown: unknown) => thrown,
  );
}

async function aiModel() {
  const ai = await load('ai/dist/index.js');
  const { createOpenAI } = await load('@ai-sdk/openai/dist/index.js');
  return { ai, model: createOpenAI({ apiKey: 'k', baseURL: `${url}/v1` }).chat('m') };
}

const CLIENTS = {
  openai: async () => {
    const { OpenAI } = await load('openai/index.mjs');
    const client = new OpenAI({ apiKey: 'k', baseURL: url, maxRetries: 0 });
    return client.chat.completions.create({ model: 'm', messages: MESSAGES });
  },
  anthropic: async () => {
    const { Anthropic } = await load('@anthropic-ai/sdk/index.mjs');
    const client = new Anthropic({ apiKey: 'k', baseURL: url, maxRetries: 0, logLevel: 'off' });
    return client.messages.create({ model: 'm', max_tokens: 9, messages: MESSAGES });
  },
  ai: async () => {
    const { ai, model } = await aiModel();
    return ai.generateText({ model, prompt: 'Tell.', maxRetries: 0 });
  },
};

describe('a web page', () => {
  it('in a 200 is no refusal of the provider', async () => {
    answer = page(200, 'Welcome to nginx!');
    const report = reportFrom(await thrownBy(CLIENTS.ai), { provider: 'openai' });
    expect(report).toMatchObject({
      kind: 'provider.invalid_request',
      category: 'configuration',
      retryable: false,
      message:
        'A web page came back instead of a reply from OpenAI: the base URL is wrong, or a proxy responded.',
    });
  });

  it.each(Object.entries(CLIENTS))(
    'in a 403 says nothing of the key, through %s',
    async (_name, call) => {
      answer = page(403, 'Attention Required! | Cloudflare');
      const report = reportFrom(await thrownBy(call), { provider: 'openai' });
      expect(report).toMatchObject({
        kind: 'provider.permission',
        message:
          'Something in front of OpenAI, such as a CDN, a proxy or a firewall, refused the request (HTTP 403).',
        action: { kind: 'fix_setup' },
      });
    },
  );

  it('is distinguished from a 403 of the provider itself', async () => {
    answer = json(403, { error: { message: 'No access to this model', type: 'permission' } });
    const report = reportFrom(await thrownBy(CLIENTS.openai));
    expect(report.message).toContain('accepts the key');
  });
});

describe('a result of streamText that is awaited after its stream failed', () => {
  it.each([
    ['a 502', page(502, 'Bad Gateway')],
    ['a 429', json(429, { error: { message: 'Slow down', code: 'rate_limit_exceeded' } })],
  ])('is a stream that failed, after %s', async (_name, failing) => {
    answer = failing;
    const { ai, model } = await aiModel();
    const result = ai.streamText({ model, prompt: 'Tell.', maxRetries: 0, onError: () => {} });
    const report = reportFrom(await thrownBy(async () => result.text));
    expect(report).toMatchObject({
      kind: 'provider.stream_interrupted',
      category: 'transient',
      retryable: true,
      message:
        'The stream from the provider failed before any output came; its error part says why.',
    });
  });

  it('is what it holds, where it holds anything', async () => {
    answer = json(429, { error: { message: 'Slow down', code: 'rate_limit_exceeded' } });
    const { ai } = await aiModel();
    const cause = await thrownBy(CLIENTS.ai);
    const wrapped = (inner: unknown): unknown => new ai.NoOutputGeneratedError({ cause: inner });
    expect(reportFrom(wrapped(cause)).kind).toBe('provider.rate_limited');
    const reset = Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' });
    expect(reportFrom(wrapped(reset)).kind).toBe('provider.network');
  });
});

describe('a failure of a tool, as a part of the AI SDK’s stream', () => {
  const part = (error: unknown): object => ({
    type: 'tool-error',
    toolCallId: '1',
    toolName: 'lookup',
    input: {},
    error,
  });

  it.each([
    ['a text', part('The order does not exist'), 'tool.failed', 'The order does not exist'],
    ['an error', part(new Error('No such order')), 'tool.failed', 'No such order'],
  ])('is the tool’s, where it holds %s', (_name, thrown, kind, message) => {
    expect(reportFrom(thrown)).toMatchObject({ kind });
    expect(reportFrom(thrown).message).toContain(message);
  });

  it('is what was thrown, where that is recognised', () => {
    const reset = Object.assign(new TypeError('fetch failed'), {
      cause: Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' }),
    });
    expect(reportFrom(part(reset)).kind).toBe('provider.network');
  });
});
