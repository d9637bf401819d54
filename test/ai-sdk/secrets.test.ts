/** A failure at the door, as an application may log or trace it: without prompts, keys, headers and raw bodies. */
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createOpenAI } from '../sdks/node_modules/@ai-sdk/openai/dist/index.js';
import {
  embed,
  generateText,
  streamText,
  wrapLanguageModel,
} from '../sdks/node_modules/ai/dist/index.js';
import {
  errandMiddleware,
  resilientEmbeddingModel,
  resilientModel,
} from '../../src/ai-sdk/index.ts';
import { ErrandError } from '../../src/errors/thrown/errand-error.ts';
import { startUpstream, type Upstream } from '../model/upstream.ts';
import { recordTelemetry, type Recorded } from '../telemetry/otel.ts';

const KEY = 'sk-planted-3c1f8a7d9e2b4c6f0a5d';
const PLANTED = {
  key: KEY,
  prompt: 'pelican-of-the-prompt',
  header: 'heron-of-the-header',
  body: 'bittern-of-the-body',
};
const prompt = `The word is ${PLANTED.prompt}`;
const host = globalThis as { AI_SDK_TELEMETRY_INTEGRATIONS?: unknown[] };

let upstream: Upstream;
let recorded: Recorded;

beforeAll(async () => {
  upstream = await startUpstream();
});
afterAll(() => upstream.close());

beforeEach(() => {
  recorded = recordTelemetry();
  const load = createRequire(join(import.meta.dirname, '../otel-sdk/package.json'));
  const { OpenTelemetry } = load('@ai-sdk/otel') as { OpenTelemetry: new () => object };
  host.AI_SDK_TELEMETRY_INTEGRATIONS = [new OpenTelemetry()];
  upstream.answer((response) => {
    response
      .writeHead(401, { 'content-type': 'application/json', 'x-planted': PLANTED.header })
      .end(
        JSON.stringify({
          error: { message: `Incorrect API key provided: ${KEY}`, code: 'invalid_api_key' },
          echo: PLANTED.body,
        }),
      );
  });
});

afterEach(async () => {
  delete host.AI_SDK_TELEMETRY_INTEGRATIONS;
  await recorded.close();
});

/** The host traces, and has said that it wants no content. */
const telemetry = { isEnabled: true, recordInputs: false, recordOutputs: false };

function provider() {
  return createOpenAI({ apiKey: KEY, baseURL: `${upstream.url}/v1` });
}

const behind = () =>
  wrapLanguageModel({ model: provider()('gpt-6-mini'), middleware: errandMiddleware() });
const resilient = () => resilientModel([provider()('gpt-6-mini')]);

async function thrownBy(work: PromiseLike<unknown>): Promise<unknown> {
  try {
    await work;
  } catch (thrown) {
    return thrown;
  }
  throw new Error('It should have failed');
}

async function streamed(model: ReturnType<typeof behind>): Promise<unknown> {
  const seen: unknown[] = [];
  const result = streamText({
    model,
    prompt,
    telemetry,
    onError: ({ error }) => void seen.push(error),
  });
  await thrownBy(result.text);
  expect(seen).toHaveLength(1);
  return seen[0];
}

const DOORS: readonly (readonly [string, () => Promise<unknown>])[] = [
  ['errandMiddleware', () => thrownBy(generateText({ model: behind(), prompt, telemetry }))],
  ['errandMiddleware in a stream', () => streamed(behind())],
  ['resilientModel', () => thrownBy(generateText({ model: resilient(), prompt, telemetry }))],
  ['resilientModel in a stream', () => streamed(resilient())],
  [
    'resilientEmbeddingModel',
    () => {
      const model = resilientEmbeddingModel([provider().embedding('text-embedding-3-small')]);
      return thrownBy(embed({ model, value: prompt, telemetry }));
    },
  ],
];

describe('a failure at the door', () => {
  it.each(DOORS)('of %s shows nothing that was sent or came back', async (_door, fail) => {
    const thrown = await fail();
    expect(thrown).toBeInstanceOf(ErrandError);
    expect(thrown).toMatchObject({ kind: 'provider.auth' });
    const spans = await recorded.spans();
    expect(spans.length).toBeGreaterThan(0);
    const shown = {
      // as `console.error` and loggers write it, with all causes and hidden fields
      logged: inspect(thrown, { depth: Infinity, showHidden: true, maxStringLength: null }),
      traced: spans.map(({ attributes, status, events }) =>
        inspect({ attributes, status, events }, { depth: Infinity, maxStringLength: null }),
      ),
    };
    for (const [what, planted] of Object.entries(PLANTED))
      for (const [where, text] of Object.entries(shown))
        expect(`${where}: ${String(text).includes(planted) ? what : 'nothing'}`).toBe(
          `${where}: nothing`,
        );
  });
});
