/** The clients' own readers of streams wrap what they meet; what it was has to come out all the same. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { reportFrom } from '../../src/providers/report-from.ts';
import { PROTOCOLS, type Protocol } from '../model/protocols.ts';
import { cuts, startUpstream, streams, type Upstream } from '../model/upstream.ts';
import { load, requireSdks } from './install.ts';

let upstream: Upstream;
beforeAll(async () => {
  requireSdks();
  upstream = await startUpstream();
});
afterAll(() => upstream.close());

const MESSAGES = [{ role: 'user', content: 'Tell.' }];
const CLIENT = { apiKey: 'test-key', maxRetries: 0, logLevel: 'off' };

interface Helper {
  readonly name: string;
  readonly protocol: string;
  readonly read: () => Promise<unknown>;
}

async function anthropicStream() {
  const { Anthropic } = await load('@anthropic-ai/sdk/index.mjs');
  const client = new Anthropic({ ...CLIENT, baseURL: upstream.url });
  return client.messages.stream({ model: 'm', max_tokens: 9, messages: MESSAGES });
}

async function openai() {
  const { OpenAI } = await load('openai/index.mjs');
  return new OpenAI({ ...CLIENT, baseURL: `${upstream.url}/v1` });
}

const HELPERS: readonly Helper[] = [
  {
    name: 'messages.stream().finalMessage()',
    protocol: 'messages',
    read: async () => (await anthropicStream()).finalMessage(),
  },
  {
    name: 'messages.stream().finalText()',
    protocol: 'messages',
    read: async () => (await anthropicStream()).finalText(),
  },
  {
    name: 'chat.completions.stream()',
    protocol: 'chat',
    read: async () =>
      (await openai()).chat.completions
        .stream({ model: 'm', messages: MESSAGES })
        .finalChatCompletion(),
  },
];

function protocolOf({ protocol }: Helper): Protocol {
  const found = PROTOCOLS.find(({ name }) => name === protocol);
  if (found === undefined) throw new Error(`no protocol ${protocol}`);
  return found;
}

async function thrownBy({ read }: Helper): Promise<unknown> {
  return read().then(
    () => 'nothing was thrown',
    (thrown: unknown) => thrown,
  );
}

const INTERRUPTED = {
  kind: 'provider.stream_interrupted',
  category: 'ambiguous',
  retryable: false,
};

describe.each(HELPERS)('$name', (helper) => {
  const { beginning } = protocolOf(helper);

  it.each([
    ['is cut', () => cuts(beginning)],
    ['just stops', () => streams(beginning)],
    ['has a torn event', () => streams(`${beginning}event: x\ndata: {"type\n\n`)],
  ])('of a stream that %s', async (_how, reply) => {
    upstream.answer(reply());
    expect(reportFrom(await thrownBy(helper))).toMatchObject(INTERRUPTED);
  });

  it.each([
    ['has nothing in it', ''],
    ['is a page of a gateway', '<html>wait</html>'],
  ])('of a stream that %s, and may be asked for again', async (_how, text) => {
    upstream.answer(streams(text));
    expect(reportFrom(await thrownBy(helper))).toMatchObject({
      kind: 'provider.network',
      category: 'transient',
      retryable: true,
    });
  });

  it('of a refusal, which it hands on', async () => {
    upstream.answer((response) => void response.writeHead(503, { 'retry-after': '2' }).end('{}'));
    expect(reportFrom(await thrownBy(helper))).toMatchObject({
      kind: 'provider.overloaded',
      provider: { retryAfterMs: 2000 },
    });
  });

  it('of nobody who listens', async () => {
    const away = await startUpstream();
    const { url } = away;
    await away.close();
    const before = upstream;
    upstream = { ...before, url };
    try {
      expect(reportFrom(await thrownBy(helper))).toMatchObject({
        kind: 'provider.network',
        outcome: 'not_started',
      });
    } finally {
      upstream = before;
    }
  });
});

const START = `event: message_start\ndata: ${JSON.stringify({
  type: 'message_start',
  message: { id: 'm', role: 'assistant', content: [], usage: { input_tokens: 1 } },
})}\n\n`;

function chunk(delta: object, finish: string | null = null): string {
  const choices = [{ index: 0, delta, finish_reason: finish }];
  return `data: ${JSON.stringify({ id: 'c', choices })}\n\n`;
}

it.each([
  ['messages that begin twice', 'messages', START + START],
  [
    'completions without a finish reason',
    'chat',
    `${chunk({ role: 'assistant', content: 'Hel' })}data: [DONE]\n\n`,
  ],
  [
    'completions without a role',
    'chat',
    `${chunk({ content: 'Hel' })}${chunk({}, 'stop')}data: [DONE]\n\n`,
  ],
])('a stream of %s was interrupted', async (_, protocol, text) => {
  const helper = HELPERS.find((each) => each.protocol === protocol);
  if (helper === undefined) throw new Error(`no helper for ${protocol}`);
  upstream.answer(streams(text));
  expect(reportFrom(await thrownBy(helper))).toMatchObject(INTERRUPTED);
});
