/**
 * The readers of streams that OpenAI's and Anthropic's clients bring along, against a server that
 * breaks, garbles and withholds: what they throw is their own, and means what happened to the stream.
 */
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { reportFrom } from '../../src/providers/report-from.ts';
import { load } from './install.ts';

interface Played {
  readonly text: string;
  /** The connection breaks after it, instead of ending. */
  readonly isCut?: boolean;
}

const event = (name: string, data: object): string =>
  `event: ${name}\ndata: ${JSON.stringify({ type: name, ...data })}\n\n`;
const START = event('message_start', {
  message: { id: 'm', role: 'assistant', content: [], usage: { input_tokens: 1 } },
});
const BLOCK = event('content_block_start', {
  index: 0,
  content_block: { type: 'text', text: '' },
});
const WORDS = event('content_block_delta', {
  index: 0,
  delta: { type: 'text_delta', text: 'Hello' },
});
const chunk = (delta: object, finish: string | null = null): string =>
  `data: ${JSON.stringify({ id: 'c', choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;
const HELLO = chunk({ role: 'assistant', content: 'Hel' });
const DONE = 'data: [DONE]\n\n';

const BROKEN = { kind: 'provider.stream_interrupted', category: 'ambiguous', outcome: 'partial' };
const UNHEARD = { kind: 'provider.network', category: 'transient', retryable: true };

const MESSAGES: readonly (readonly [string, Played, object])[] = [
  ['breaks', { text: START + BLOCK + WORDS, isCut: true }, BROKEN],
  ['just ends', { text: START + BLOCK + WORDS }, BROKEN],
  ['has a torn event', { text: `${START}${BLOCK}${WORDS}event: x\ndata: {"type\n\n` }, BROKEN],
  ['begins twice', { text: START + START }, BROKEN],
  ['is empty', { text: ':\n\n' }, UNHEARD],
  ['is a page of a gateway', { text: '<html>wait</html>' }, UNHEARD],
];

const COMPLETIONS: readonly (readonly [string, Played, object])[] = [
  ['breaks', { text: HELLO, isCut: true }, BROKEN],
  ['just ends', { text: HELLO }, BROKEN],
  ['has no finish reason', { text: HELLO + DONE }, BROKEN],
  ['has no role', { text: chunk({ content: 'Hel' }) + chunk({}, 'stop') + DONE }, BROKEN],
  ['has a torn event', { text: `${HELLO}data: {"id": "c", "obj\n\n` }, BROKEN],
  ['is empty', { text: ':\n\n' }, UNHEARD],
  ['says only that it is done', { text: DONE }, UNHEARD],
];

let server: Server;
let url = '';
let playing: Played = { text: '' };

beforeAll(async () => {
  server = createServer((request, response) => {
    const { text, isCut = false } = playing;
    request.resume();
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(text, () => {
      if (!isCut) response.end();
      // what was written is on its way before the connection goes
      else setImmediate(() => response.socket?.destroySoon());
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  // a server that listens on a port
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

afterAll(async () => {
  server.closeAllConnections();
  server.close();
  await once(server, 'close');
});

async function reported(ask: () => Promise<unknown>): Promise<unknown> {
  const thrown: unknown = await ask().then(
    () => 'answered',
    (failure: unknown) => failure,
  );
  return thrown === 'answered' ? thrown : reportFrom(thrown);
}

const USER = [{ role: 'user', content: 'hi' }];

describe('a stream of messages, read by Anthropic’s own helper', () => {
  it.each(MESSAGES)('that %s', async (_, played, expected) => {
    playing = played;
    const { default: Anthropic } = await load('@anthropic-ai/sdk');
    const client = new Anthropic({ apiKey: 'k', baseURL: url, maxRetries: 0, logLevel: 'off' });
    const asked = { model: 'x', max_tokens: 9, messages: USER };
    expect(await reported(() => client.messages.stream(asked).finalMessage())).toMatchObject(
      expected,
    );
  });
});

describe('a stream of completions, read by OpenAI’s own helper', () => {
  it.each(COMPLETIONS)('that %s', async (_, played, expected) => {
    playing = played;
    const { default: OpenAI } = await load('openai');
    const client = new OpenAI({ apiKey: 'k', baseURL: url, maxRetries: 0, logLevel: 'off' });
    const asked = { model: 'x', messages: USER };
    expect(
      await reported(() => client.chat.completions.stream(asked).finalChatCompletion()),
    ).toMatchObject(expected);
  });
});
