/**
 * `errand/ai-sdk` against the types of the AI SDK itself: compiled, never run. A line that does not
 * compile means that our models no longer fit where applications use them.
 */
import { expectTypeOf } from 'vitest';
import { createOpenAI } from '../sdks/node_modules/@ai-sdk/openai/dist/index.js';
import {
  embed,
  embedMany,
  generateText,
  streamText,
  wrapLanguageModel,
  type EmbeddingModel,
  type LanguageModel,
} from '../sdks/node_modules/ai/dist/index.js';
import {
  errandMiddleware,
  resilientEmbeddingModel,
  resilientModel,
  type AttemptRow,
} from '../../src/ai-sdk/index.ts';

export async function everyCall(): Promise<void> {
  const openai = createOpenAI({});
  const rows: AttemptRow[] = [];

  // entries of the SDK, alone and with settings
  const model = resilientModel(
    [
      openai('gpt-6-mini'),
      {
        model: openai.chat('gpt-6'),
        on: ['provider.content_filter', 'provider.truncated'],
        timeoutMs: 20_000,
        providerOptions: { openai: { reasoningEffort: 'low' } },
        cooldownKey: 'tenant-7',
      },
      { model: openai('gpt-6'), on: 'any' },
    ],
    {
      deadlineMs: 60_000,
      budgetUsd: 0.5,
      prices: { 'openai/gpt-6': { inputPerMtok: 2, outputPerMtok: 8 } },
      repair: 1,
      onAttempt: (row) => rows.push(row),
    },
  );
  expectTypeOf(model).toExtend<LanguageModel>();
  expectTypeOf(rows[0]?.target).toEqualTypeOf<string | undefined>();

  // the places where applications use it
  const { text } = await generateText({ model, prompt: 'Hello' });
  expectTypeOf(text).toEqualTypeOf<string>();
  expectTypeOf(streamText({ model, prompt: 'Hello', streamRetries: 1 }).text).toExtend<
    PromiseLike<string>
  >();

  const vectors = resilientEmbeddingModel([openai.embedding('text-embedding-3-small')], {
    mixed: false,
  });
  expectTypeOf(vectors).toExtend<EmbeddingModel>();
  await embed({ model: vectors, value: 'a' });
  await embedMany({ model: vectors, values: ['a', 'b'] });

  const typed = wrapLanguageModel({ model: openai('gpt-6'), middleware: errandMiddleware() });
  expectTypeOf(typed).toExtend<LanguageModel>();
  // a wrapped model is an entry too
  resilientModel([typed]);

  // @ts-expect-error a name is no model
  resilientModel(['openai/gpt-6']);
  // @ts-expect-error there is no such option
  resilientModel([openai('gpt-6')], { retries: 3 });
  // @ts-expect-error a language model has no vectors
  resilientEmbeddingModel([openai('gpt-6')]);
}
