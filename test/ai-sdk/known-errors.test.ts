/** Every error class that the AI SDK exports is known to `reportFrom`. */
import { describe, expect, it } from 'vitest';
import * as ai from '../sdks/node_modules/ai/dist/index.js';
import * as provider from '@ai-sdk/provider';
import { reportFrom } from '../../src/providers/report-from.ts';

const classes = new Map<string, new (options: object) => Error>();
for (const [name, value] of [...Object.entries(ai), ...Object.entries(provider)])
  if (typeof value === 'function' && name.endsWith('Error') && value.prototype instanceof Error)
    classes.set(name, value as unknown as new (options: object) => Error);

describe('an error of the AI SDK', () => {
  it('comes from one of these classes', () => {
    expect(classes.size).toBeGreaterThanOrEqual(40);
  });

  it.each([...classes.keys()].toSorted())('%s is recognised', (name) => {
    const Class = classes.get(name);
    if (Class === undefined) throw new Error(name);
    const error = new Class({
      message: 'It failed',
      cause: new Error('inner'),
      errors: [new Error('last')],
      reason: 'maxRetriesExceeded',
      value: {},
      toolName: 't',
      toolInput: '{}',
      availableTools: [],
      modelId: 'm',
      modelType: 'languageModel',
      url: 'http://127.0.0.1',
      requestBodyValues: {},
      statusCode: 500,
      text: 'x',
      response: {},
      usage: {},
      finishReason: 'stop',
      functionality: 'x',
      provider: 'openai',
      parameter: 'p',
      values: [],
      maxEmbeddingsPerCall: 1,
      toolCallIds: ['c'],
      originalError: new Error('x'),
      error: new Error('x'),
      chunkType: 'x',
      chunkId: 'x',
      calls: [],
      responses: [],
      data: {},
      prompt: 'x',
      role: 'x',
      type: 'x',
      availableProviders: [],
      providerId: 'p',
    });
    const report = reportFrom(error);
    expect({ name, kind: report.kind }).not.toEqual({ name, kind: 'call.failed' });
  });
});

/** A package says it of what its host sent: nobody asked for a form, so no agent broke one. */
describe('a reply that its package cannot read', () => {
  const said = (data: unknown, delivered?: boolean) =>
    reportFrom(new provider.InvalidResponseDataError({ data, message: 'No choices.' }), {
      provider: 'openai',
      ...(delivered === undefined ? {} : { delivered }),
    });

  const unseen = { kind: 'provider.network', category: 'transient', outcome: 'unknown' };
  const half = { kind: 'provider.stream_interrupted', category: 'ambiguous', outcome: 'partial' };

  it.each([
    ['a whole one', said({ id: 'c', choices: [] }), unseen],
    ['nothing seen', said({ id: 'c' }, false), unseen],
    ['a part seen', said({ id: 'c' }, true), half],
    ['no end', said(undefined), half],
  ])('is the failure of the provider: %s', (_, report, expected) => {
    expect(report).toMatchObject(expected);
  });

  it('is reported as such', () => {
    expect(said({ id: 'c' }).message).toBe('OpenAI sent a reply that its SDK cannot read.');
  });

  it('is the error that is in it', () => {
    const error = { code: 'insufficient_quota', message: 'No more.' };
    expect(said({ error, choices: [] })).toMatchObject({ kind: 'provider.quota_exhausted' });
  });
});
