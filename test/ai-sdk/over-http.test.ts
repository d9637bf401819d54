/**
 * A chat endpoint as people write it: `streamText` in an HTTP handler, over the providers' real packages
 * and two upstreams on the loopback interface, read by a real client.
 */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createAnthropic } from '../sdks/node_modules/@ai-sdk/anthropic/dist/index.js';
import { createOpenAI } from '../sdks/node_modules/@ai-sdk/openai/dist/index.js';
import { streamText } from '../sdks/node_modules/ai/dist/index.js';
import { resilientModel, type AttemptRow } from '../../src/ai-sdk/index.ts';
import { PROTOCOLS } from '../model/protocols.ts';
import { EVENT_STREAM, startUpstream, streams, type Upstream } from '../model/upstream.ts';

const anthropicWire = wire('anthropic');
const openaiWire = wire('openai');

function wire(provider: string) {
  const found = PROTOCOLS.find(
    ({ model, base }) => model.startsWith(`${provider}/`) && base !== undefined,
  );
  if (found === undefined) throw new Error(`no protocol of ${provider}`);
  return found;
}

let first: Upstream;
let second: Upstream;
let server: Server;
let address: string;
let rows: AttemptRow[] = [];
let failures: unknown[] = [];

beforeAll(async () => {
  [first, second] = await Promise.all([startUpstream(), startUpstream()]);
  server = createServer((_, response) => {
    const anthropic = createAnthropic({
      apiKey: 'test',
      baseURL: `${first.url}${anthropicWire.base}`,
    });
    const openai = createOpenAI({ apiKey: 'test', baseURL: `${second.url}${openaiWire.base}` });
    const model = resilientModel([anthropic('claude-sonnet-5'), openai.responses('gpt-6-mini')], {
      deadlineMs: 60_000,
      onAttempt: (row) => rows.push(row),
    });
    const result = streamText({
      model,
      prompt: 'Hello',
      onError: ({ error }) => void failures.push(error),
    });
    // `pipeTextStreamToResponse` ends a failed answer as if it were whole, and leaves its failure unhandled
    pipeline(Readable.fromWeb(result.textStream as never), response).catch(() => undefined);
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

afterAll(async () => {
  server.closeAllConnections();
  await Promise.all([
    first.close(),
    second.close(),
    new Promise((resolve) => server.close(resolve)),
  ]);
});

/** What a client reads, and whether the end was a good one. */
async function read(): Promise<{ readonly text: string; readonly isWhole: boolean }> {
  rows = [];
  failures = [];
  const response = await fetch(address);
  let text = '';
  try {
    for await (const piece of response.body ?? []) text += new TextDecoder().decode(piece);
  } catch {
    // the connection was cut, which is how a half answer ends
    return { text, isWhole: false };
  }
  return { text, isWhole: true };
}

const whole = () =>
  streams(openaiWire.stream({ text: 'From the second.', stop: openaiWire.stops.good }));

/** The events of Anthropic before the first word. */
const [MESSAGE_START = ''] = anthropicWire.beginning.match(/^event: message_start\n.*\n\n/) ?? [];
const OVERLOADED_EVENT = `event: error\ndata: ${JSON.stringify({ type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } })}\n\n`;

describe('a client of an endpoint with a chain', () => {
  it('reads the answer of the second model when the first is overloaded', async () => {
    const body = { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } };
    first.answer(
      (response) =>
        void response
          .writeHead(529, { 'content-type': 'application/json' })
          .end(JSON.stringify(body)),
    );
    second.answer(whole());
    expect(await read()).toEqual({ text: 'From the second.', isWhole: true });
    expect(rows).toMatchObject([
      { kind: 'provider.overloaded' },
      { target: 'openai/gpt-6-mini', outcome: 'succeeded', estimated: false },
    ]);
  });

  it('reads it also when the first breaks off before its first words', async () => {
    first.answer((response) => {
      response.writeHead(200, EVENT_STREAM);
      response.write('event: ping\ndata: {"type": "ping"}\n\n', () => response.destroy());
    });
    second.answer(whole());
    expect(await read()).toEqual({ text: 'From the second.', isWhole: true });
    expect(rows[0]).toMatchObject({ kind: 'provider.network' });
  });

  it.each([
    ['is overloaded', OVERLOADED_EVENT, 'provider.overloaded'],
    ['breaks off', '', 'provider.network'],
  ])('reads it also when the first announces its message and then %s', async (_, rest, kind) => {
    first.answer((response) => {
      response.writeHead(200, EVENT_STREAM);
      response.write(MESSAGE_START + rest, () => response.destroy());
    });
    second.answer(whole());
    expect(await read()).toEqual({ text: 'From the second.', isWhole: true });
    expect(rows[0]).toMatchObject({ kind });
  });

  it('reads half an answer once, and an end that is none, when the first breaks off after it', async () => {
    first.answer((response) => {
      response.writeHead(200, EVENT_STREAM);
      response.write(anthropicWire.beginning, () => response.destroy());
    });
    second.answer(whole());
    const { text, isWhole } = await read();
    expect(text).not.toBe('');
    expect(text).not.toContain('second');
    expect(isWhole).toBe(false);
    expect(second.received).toHaveLength(0);
    expect(failures).toMatchObject([{ kind: 'provider.stream_interrupted' }]);
  });
});
