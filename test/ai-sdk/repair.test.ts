/** Answers off their schema, embeddings, and the middleware that only types failures. */
import type { EmbeddingModelV4 } from '@ai-sdk/provider';
import { describe, expect, it } from 'vitest';
import {
  embed,
  generateText,
  isStepCount,
  Output,
  streamText,
  tool,
  wrapLanguageModel,
  jsonSchema,
} from '../sdks/node_modules/ai/dist/index.js';
import {
  errandMiddleware,
  resilientEmbeddingModel,
  resilientModel,
  type AttemptRow,
} from '../../src/ai-sdk/index.ts';
import { ErrandError } from '../../src/errors/thrown/errand-error.ts';
import { reportFrom } from '../../src/providers/report-from.ts';
import {
  apiError,
  begunText,
  limited,
  overloaded,
  quota,
  scripted,
  virtualClock,
} from './models.cases.ts';

const prompt = 'Classify.';
const schema = jsonSchema<{ label: string }>({
  type: 'object',
  properties: { label: { type: 'string', enum: ['refund', 'bug'] } },
  required: ['label'],
});
const output = Output.object({ schema });

describe('repair', () => {
  it('sends an answer off its schema back with what is wrong, and bills it', async () => {
    const rows: AttemptRow[] = [];
    const model = scripted(
      'a',
      'one',
      { text: '{"label": "other"}' },
      { text: '{"label": "bug"}' },
    );
    const resilient = resilientModel([model], { repair: 2, onAttempt: (row) => rows.push(row) });
    const result = await generateText({ model: resilient, prompt, output });
    expect(result.output).toEqual({ label: 'bug' });
    expect(model.calls[1]?.prompt.slice(-2)).toMatchObject([
      { role: 'assistant', content: [{ text: '{"label": "other"}' }] },
      { role: 'user', content: [{ text: expect.stringContaining('/label') }] },
    ]);
    expect(rows).toMatchObject([
      { kind: 'agent.output_invalid', outcome: 'failed', inputTokens: 10, outputTokens: 4 },
      { outcome: 'succeeded' },
    ]);
  });

  it('leaves a reply that calls a tool alone: its answer is still to come', async () => {
    const model = scripted('a', 'one', { calls: 'lookup' }, { text: '{"label": "bug"}' });
    const result = await generateText({
      model: resilientModel([model], { repair: 1 }),
      prompt,
      output,
      tools: {
        lookup: tool({ inputSchema: jsonSchema({ type: 'object' }), execute: () => 'yes' }),
      },
      stopWhen: isStepCount(3),
    });
    expect(result.output).toEqual({ label: 'bug' });
    expect(result.steps).toHaveLength(2);
  });

  it('ends as agent.output_invalid when it is spent', async () => {
    const model = scripted('a', 'one', { text: 'no JSON' });
    const call = generateText({ model: resilientModel([model], { repair: 1 }), prompt, output });
    await expect(call).rejects.toMatchObject({ kind: 'agent.output_invalid' });
    expect(model.calls).toHaveLength(2);
  });

  it('is off by default: the SDK judges', async () => {
    const model = scripted('a', 'one', { text: 'no JSON' });
    const call = generateText({ model: resilientModel([model]), prompt, output });
    const thrown: unknown = await Promise.resolve(call)
      .then((result) => result.output)
      .catch((error: unknown) => error);
    expect(thrown).toMatchObject({ name: 'AI_NoObjectGeneratedError' });
  });
});

function embedding(provider: string, modelId: string, turn: () => number[]): EmbeddingModelV4 {
  return {
    specificationVersion: 'v4',
    provider,
    modelId,
    maxEmbeddingsPerCall: provider === 'a' ? 5 : 3,
    supportsParallelCalls: true,
    doEmbed: async () => ({ embeddings: [turn()], usage: { tokens: 2 }, warnings: [] }),
  };
}

describe('a chain of embedding models', () => {
  const fails = embedding('a', 'vectors', () => {
    throw overloaded();
  });
  const works = embedding('b', 'vectors', () => [1, 2]);

  it('answers from the next entry, with the smallest limit of all', async () => {
    const model = resilientEmbeddingModel([fails, works], { clock: virtualClock() });
    const { embedding: vector, providerMetadata } = await embed({ model, value: 'text' });
    expect(vector).toEqual([1, 2]);
    expect(await model.maxEmbeddingsPerCall).toBe(3);
    expect(providerMetadata?.['errand']).toMatchObject({
      servedBy: 'b/vectors',
      attempts: [{ kind: 'provider.overloaded' }, { inputTokens: 2, outputTokens: 0 }],
    });
  });

  it('refuses models whose vectors cannot be compared, unless that is meant', () => {
    const other = embedding('b', 'other', () => [1]);
    expect(() => resilientEmbeddingModel([works, other])).toThrowError(
      expect.objectContaining({ kind: 'validation.input' }),
    );
    expect(resilientEmbeddingModel([works, other], { mixed: true }).modelId).toBe('vectors');
  });
});

describe('errandMiddleware', () => {
  const wrapped = (...turns: Parameters<typeof scripted>[2][]) => {
    const inner = scripted('openai.chat', 'gpt-6', ...turns);
    return { inner, model: wrapLanguageModel({ model: inner, middleware: errandMiddleware() }) };
  };

  it('types what is thrown, and lets the SDK retry what is retryable', async () => {
    const { inner, model } = wrapped({ thrown: limited(0) }, { text: 'done' });
    expect((await generateText({ model, prompt, maxRetries: 2 })).text).toBe('done');
    expect(inner.calls).toHaveLength(2);
  });

  it('keeps the SDK from asking a spent quota again', async () => {
    const { inner, model } = wrapped({ thrown: quota() });
    const call = generateText({ model, prompt, maxRetries: 2 });
    await expect(call).rejects.toMatchObject({ kind: 'provider.quota_exhausted' });
    expect(inner.calls).toHaveLength(1);
  });

  it('types errors inside a stream', async () => {
    const errors: unknown[] = [];
    const { model } = wrapped({
      parts: [...begunText('half'), { type: 'error', error: overloaded() }],
    });
    const result = streamText({ model, prompt, onError: ({ error }) => void errors.push(error) });
    await result.consumeStream();
    expect(errors).toMatchObject([{ kind: 'provider.overloaded' }]);
    expect(errors[0]).toBeInstanceOf(ErrandError);
  });

  it('gives a report that reads a RetryError by its last error, with the earlier ones as attempts', async () => {
    const { model } = wrapped(
      { thrown: limited(0) },
      { thrown: limited(0) },
      { thrown: apiError(503) },
    );
    const thrown: unknown = await generateText({ model, prompt, maxRetries: 2 }).catch(
      (error: unknown) => error,
    );
    const report = reportFrom(thrown);
    expect(report.kind).toBe('provider.overloaded');
    expect(report.attempts?.map(({ kind }) => kind)).toEqual([
      'provider.rate_limited',
      'provider.rate_limited',
      'provider.overloaded',
    ]);
  });
});
