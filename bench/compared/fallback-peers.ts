/**
 * `node bench/compared/fallback-peers.ts`: plays the failures of the examinations to a chain of two
 * models over the loopback interface, and writes `fallback.jsonl`. `errand/ai-sdk`, `ai-retry` and
 * `ai-fallback` each make the chain. The first model always fails that way, the second always
 * answers. `npm ci` in `bench/peers` installs the two peers.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { LanguageModelV4 } from '@ai-sdk/provider';
import { resilientModel } from '../../src/ai-sdk/index.ts';
import { load, requireSdks } from '../../test/sdk-parity/install.ts';
import { makeModelFor } from '../../test/sdk-parity/players-ai.ts';
import { scriptOf } from '../../test/sdk-parity/play-entry.ts';
import { protocolOf } from '../../test/sdk-parity/protocol.ts';
import { startLoopback } from '../../test/sdk-parity/server.ts';
import { COMPARED } from './compared-entries.ts';
import { FALLBACK_FILE, judge, type Handled, type System } from './fallback-table.ts';

requireSdks();
Object.assign(globalThis, { AI_SDK_LOG_WARNINGS: false });
const { generateText } = await load('ai/dist/index.js');
const peer = (file: string) => import(join(import.meta.dirname, '../peers/node_modules', file));
const { createRetryableModel, error, finishReason, httpStatus } = await peer(
  'ai-retry/dist/model/language-model/index.mjs',
);
const { createFallback } = await peer('ai-fallback/dist/index.js');

/** Each as its own documentation shows it, with the second model as its fallback. */
const SYSTEMS: Readonly<
  Record<System, (first: LanguageModelV4, second: LanguageModelV4) => unknown>
> = {
  errand: (first, second) => resilientModel([first, second]),
  'ai-retry': (first, second) =>
    createRetryableModel({
      model: first,
      retries: [
        httpStatus(529, 'overloaded').switch({ model: second }),
        finishReason('content-filter').switch({ model: second }),
        error.isRetryable(true).retry({ delay: 1, backoffFactor: 2 }),
        second,
      ],
    }),
  'ai-fallback': (first, second) => createFallback({ models: [first, second] }),
};

/** Longer than any of them needs if it does not wait for a provider. */
const MOST_MS = 3000;

const server = await startLoopback();
const handled: Handled[] = [];
for (const entry of COMPARED) {
  const protocol = protocolOf(entry) ?? 'chat';
  for (const system of Object.keys(SYSTEMS) as System[]) {
    let requests = 0;
    const script = scriptOf(entry, protocol);
    const baseUrl = server.play((response, socket) => {
      requests++;
      script(response, socket);
    });
    const first = (await makeModelFor({
      baseUrl,
      protocol,
      api: entry.api,
      isStream: false,
    })) as LanguageModelV4;
    let answers = 0;
    const model = SYSTEMS[system](
      first,
      good(() => answers++),
    );
    const begunMs = performance.now();
    const maxRetries = system === 'errand' ? 2 : 0;
    const isAnswered = await generateText({
      model,
      prompt: 'Hello',
      maxRetries,
      abortSignal: AbortSignal.timeout(MOST_MS),
    })
      .then(({ text }: { text: string }) => text === 'second')
      .catch(() => false);
    const ms = Math.round(performance.now() - begunMs);
    handled.push({
      id: entry.id,
      system,
      requests,
      answers,
      isAnswered,
      ms,
      isRight: judge(entry, { requests, answers, isAnswered }),
    });
  }
}
await server.close();
writeFileSync(FALLBACK_FILE, handled.map((row) => `${JSON.stringify(row)}\n`).join(''));
console.log(`wrote ${handled.length} rows`);

function good(onCall: () => void): LanguageModelV4 {
  return {
    specificationVersion: 'v4',
    provider: 'second',
    modelId: 'second',
    supportedUrls: {},
    async doGenerate() {
      onCall();
      return {
        content: [{ type: 'text', text: 'second' }],
        finishReason: { unified: 'stop', raw: 'stop' },
        usage: {
          inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
          outputTokens: { total: 1, text: 1, reasoning: 0 },
        },
        warnings: [],
      };
    },
    doStream: () => Promise.reject(new Error('not asked for')),
  };
}
