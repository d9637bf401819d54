/** The two compared calls: one through the AI SDK alone, one through our effect. */
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { createModelEffect } from '../src/effects/model/model-effect.ts';
import { createRedactor } from '../src/errors/redaction/redact.ts';

const SDKS = join(import.meta.dirname, '../test/sdks');

export type Call = () => Promise<void>;

/** Declared here only as far as it is used: the package is only present for tests. */
interface Ai {
  readonly streamText: (call: object) => {
    readonly fullStream: AsyncIterable<{ readonly type: string }>;
  };
}

interface Compatible {
  readonly createOpenAICompatible: (settings: object) => (model: string) => object;
}

export function bareCall(baseURL: string): Call {
  const load = createRequire(join(SDKS, 'package.json'));
  const { streamText } = load('ai') as Ai;
  const { createOpenAICompatible } = load('@ai-sdk/openai-compatible') as Compatible;
  const model = createOpenAICompatible({
    name: 'groq',
    baseURL,
    apiKey: 'key',
    includeUsage: true,
  })('m');
  return async () => {
    let last = '';
    const messages = [{ role: 'user', content: 'Say hello.' }];
    const { fullStream } = streamText({
      model,
      messages,
      maxRetries: 0,
      abortSignal: new AbortController().signal,
    });
    for await (const part of fullStream) last = part.type;
    if (last !== 'finish') throw new Error(`the bare call ended with ${last}`);
  };
}

export function ourCall(baseUrl: string): Call {
  const effect = createModelEffect({ env: { GROQ_API_KEY: 'key' } });
  const redactor = createRedactor(['key-that-is-configured']);
  const settings = { name: 'groq', baseUrl };
  const messages = [{ role: 'user' as const, text: 'Say hello.' }];
  return async () => {
    const { ok } = await effect(
      { call: { model: 'groq/m', messages, tools: [], ordinal: 0 }, settings, directory: SDKS },
      {
        signal: new AbortController().signal,
        attempt: 0,
        idempotencyKey: 'k',
        run: 'r',
        node: 'n',
        path: 'n',
        redactor,
        progress: () => undefined,
      },
    );
    if (!ok) throw new Error('our call failed');
  };
}
