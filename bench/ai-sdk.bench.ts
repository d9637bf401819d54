/** A good call through `resilientModel` adds at most 30 µs to the same call of the bare model. */
import type { LanguageModelV4, LanguageModelV4GenerateResult } from '@ai-sdk/provider';
import { resilientModel } from '../src/ai-sdk/index.ts';
import { withResilience } from '../src/judging.ts';
import { median, type Bench } from './measure.ts';

const ALLOWED_US = 30;
const CALLS = 2000;
const ROUNDS = 15;

const ANSWER: LanguageModelV4GenerateResult = {
  content: [{ type: 'text', text: 'A refund.' }],
  finishReason: { unified: 'stop', raw: 'stop' },
  usage: {
    inputTokens: { total: 10, noCache: 10, cacheRead: 0, cacheWrite: 0 },
    outputTokens: { total: 4, text: 4, reasoning: 0 },
  },
  warnings: [],
};

const model: LanguageModelV4 = {
  specificationVersion: 'v4',
  provider: 'openai.responses',
  modelId: 'gpt-6-mini',
  supportedUrls: {},
  doGenerate: async () => ANSWER,
  doStream: () => Promise.reject(new Error('not asked for')),
};
const prompt = [
  { role: 'user', content: [{ type: 'text', text: 'What does this customer want?' }] },
] as const;
const call = {
  prompt: [...prompt].map((message) => ({ ...message, content: [...message.content] })),
};

export const bench: Bench = {
  name: 'a good call outside the engine',
  run: async () => {
    const chain = resilientModel([model, model]);
    const ways = {
      bare: () => model.doGenerate(call),
      chain: () => chain.doGenerate(call),
      resilience: () => withResilience(async () => ANSWER),
      deadline: () => withResilience(async () => ANSWER, { deadlineMs: 30_000, breaker: 'bench' }),
    };
    const names = Object.keys(ways) as (keyof typeof ways)[];
    const times = new Map<string, number[]>(names.map((name) => [name, []]));
    // in turns, so that a busy moment of the machine disturbs all of them alike
    for (let round = 0; round < ROUNDS; round++)
      for (const name of names) times.get(name)?.push(await usPerCall(ways[name]));
    const us = (name: keyof typeof ways): number => median(times.get(name) ?? []);
    const row = (name: string, own: number, limit: number) => ({
      name,
      ms: own / 1000,
      limitMs: limit / 1000,
    });
    return [
      row('resilientModel, beside the model', us('chain') - us('bare'), ALLOWED_US),
      row('withResilience', us('resilience') - us('bare'), ALLOWED_US),
      row('withResilience with deadline and breaker', us('deadline') - us('bare'), ALLOWED_US),
    ];
  },
};

async function usPerCall(work: () => PromiseLike<unknown>): Promise<number> {
  const start = process.cpuUsage();
  for (let index = 0; index < CALLS; index++) await work();
  const { user, system } = process.cpuUsage(start);
  return (user + system) / CALLS;
}
