/** The real SDKs talk to the simulator as they would to their providers. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startSimulator, type SimulatorServer } from '../../src/simulator-server/start.ts';
import { checkValue } from '../../src/workflow/json-schema/check-value.ts';
import { requireSdks } from '../sdk-parity/install.ts';
import { CLIENTS, type Client } from './clients.ts';
import { scriptOf } from './script.cases.ts';

const SCHEMA = {
  type: 'object',
  properties: {
    label: { type: 'string', enum: ['refund', 'bug'] },
    score: { type: 'integer', minimum: 2 },
  },
  required: ['label', 'score'],
  additionalProperties: false,
};

const TOOL = {
  name: 'lookup',
  inputSchema: { type: 'object', properties: { id: { type: 'integer' } }, required: ['id'] },
};

const STORY = 'A long story, told in more than one piece: the end is near.';

let server: SimulatorServer;

beforeAll(async () => {
  requireSdks();
  Object.assign(globalThis, { AI_SDK_LOG_WARNINGS: false });
  server = await startSimulator({
    script: scriptOf(`
teller:
  - answer: "${STORY}"
    usage: {input_tokens: 120, output_tokens: 8}
asker:
  - tool_calls: [{name: lookup, arguments: {id: 7}}]
counter:
  - answer: one
  - answer: two
ruled:
  - {when: refund, fail: {kind: provider.content_filter}}
  - {when: "tell me", answer: By rule.}
  - answer: In line.
`),
  });
});

afterAll(async () => {
  await server?.close();
});

describe.each(
  CLIENTS.flatMap((client) => [
    { name: client.name, client, isStream: false },
    { name: `${client.name}, streamed`, client, isStream: true },
  ]),
)('$name', ({ client, isStream }) => {
  const ask = (model: string, more: object = {}): ReturnType<Client['ask']> =>
    client.ask({ url: server.url, model, prompt: 'Tell me.', isStream, ...more });

  it('hears the text and the bill of the script', async () => {
    const pieces: string[] = [];
    const received = await ask('teller', { onText: (text: string) => pieces.push(text) });
    expect(received.text).toBe(STORY);
    expect(received.usage).toEqual({ inputTokens: 120, outputTokens: 8 });
    if (isStream) expect(pieces.length).toBeGreaterThan(1);
  });

  it('gets its own words back from a model without a script', async () => {
    expect((await ask('sim/nobody')).text).toBe('Tell me.');
  });

  it('gets JSON of the form that it asks for', async () => {
    const received = await ask('nobody', { schema: SCHEMA });
    expect(checkValue(SCHEMA, JSON.parse(received.text))).toEqual([]);
  });

  it('is asked for a tool', async () => {
    const received = await ask('asker', { tool: TOOL });
    expect(received.toolCalls).toEqual([{ name: 'lookup', input: { id: 7 } }]);
    expect(received.text).toBe('');
  });
});

it('answers by rules on the prompt, before anything else', async () => {
  const [client] = CLIENTS;
  const say = async (prompt: string): Promise<string | undefined> =>
    (await client?.ask({ url: server.url, model: 'ruled', prompt, isStream: false }))?.text;
  expect([await say('Tell me.'), await say('And?'), await say('Tell me.')]).toEqual([
    'By rule.',
    'In line.',
    'By rule.',
  ]);
});

it('gives the n-th request to a model the n-th entry, and then the last one', async () => {
  const [client] = CLIENTS;
  const said: string[] = [];
  for (let number = 0; number < 3; number++) {
    const received = await client?.ask({
      url: server.url,
      model: 'counter',
      prompt: '?',
      isStream: false,
    });
    said.push(received?.text ?? '');
  }
  expect(said).toEqual(['one', 'two', 'two']);
});

it('answers what it does not serve, and what it cannot read, as a provider would', async () => {
  const post = (path: string, body: string): Promise<Response> =>
    fetch(`${server.url}${path}`, { method: 'POST', body });
  const missing = await post('/v1/embeddings', '{}');
  expect(missing.status).toBe(404);
  expect(await missing.json()).toMatchObject({ error: { type: 'invalid_request_error' } });
  const broken = await post('/v1/messages', '{');
  expect(broken.status).toBe(400);
  expect(await broken.json()).toMatchObject({ type: 'error' });
  const empty = await post('/v1beta/models/m:generateContent', '{}');
  expect(await empty.json()).toMatchObject({ error: { status: 'INVALID_ARGUMENT' } });
  expect((await fetch(`${server.url}/v1/models`)).status).toBe(404);
});

/** One conversation in each protocol: a rule, a question, the call of a tool, and its result. */
const CONVERSATIONS: Readonly<Record<string, object>> = {
  '/v1/chat/completions': {
    model: 'nobody',
    messages: [
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: [{ type: 'text', text: 'Where is order 7?' }] },
      {
        role: 'assistant',
        content: null,
        tool_calls: [
          { id: 'c1', type: 'function', function: { name: 'lookup', arguments: '{"id":7}' } },
        ],
      },
      { role: 'tool', tool_call_id: 'c1', content: '{"found":true}' },
    ],
    tools: [{ type: 'function', function: { name: TOOL.name, parameters: TOOL.inputSchema } }],
  },
  '/v1/responses': {
    model: 'nobody',
    instructions: 'Be brief.',
    input: [
      { role: 'user', content: [{ type: 'input_text', text: 'Where is order 7?' }] },
      { type: 'function_call', call_id: 'c1', name: 'lookup', arguments: '{"id":7}' },
      { type: 'function_call_output', call_id: 'c1', output: '{"found":true}' },
    ],
    tools: [{ type: 'function', name: TOOL.name, parameters: TOOL.inputSchema }],
  },
  '/v1/messages': {
    model: 'nobody',
    max_tokens: 100,
    system: [{ type: 'text', text: 'Be brief.' }],
    messages: [
      { role: 'user', content: 'Where is order 7?' },
      {
        role: 'assistant',
        content: [{ type: 'tool_use', id: 'c1', name: 'lookup', input: { id: 7 } }],
      },
      {
        role: 'user',
        content: [{ type: 'tool_result', tool_use_id: 'c1', content: '{"found":true}' }],
      },
    ],
    tools: [{ name: TOOL.name, input_schema: TOOL.inputSchema }],
  },
  '/v1beta/models/nobody:generateContent': {
    systemInstruction: { parts: [{ text: 'Be brief.' }] },
    contents: [
      { role: 'user', parts: [{ text: 'Where is order 7?' }] },
      { role: 'model', parts: [{ functionCall: { name: 'lookup', args: { id: 7 } } }] },
      {
        role: 'user',
        parts: [{ functionResponse: { name: 'lookup', response: { found: true } } }],
      },
    ],
    tools: [
      {
        functionDeclarations: [
          {
            name: TOOL.name,
            parameters: {
              type: 'OBJECT',
              properties: { id: { type: 'INTEGER' } },
              required: ['id'],
            },
          },
        ],
      },
    ],
  },
};

it('understands a conversation the same in every protocol', async () => {
  const before = server.records.length;
  for (const [path, body] of Object.entries(CONVERSATIONS)) {
    const answer = await fetch(`${server.url}${path}`, {
      method: 'POST',
      body: JSON.stringify(body),
    });
    expect(await answer.text()).toContain('Where is order 7?');
  }
  const bills = server.records.slice(before).map(({ usage }) => usage);
  expect(bills).toHaveLength(4);
  expect(new Set(bills.map((usage) => JSON.stringify(usage))).size).toBe(1);
  expect(bills[0]?.inputTokens).toBeGreaterThan(30);
});
