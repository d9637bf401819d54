import { describe, expect, it } from 'vitest';
import { aiError, apiCallError } from './ai-sdk-errors.cases.ts';
import { aiSdk } from './ai-sdk.ts';
import { extractFailure } from './extract.ts';
import { reportFrom } from '../report-from.ts';

const QUOTA = { error: { code: 'insufficient_quota', message: 'You exceeded your quota' } };

describe('a response', () => {
  it('is kept whole, with provider and model, and without the prompt', () => {
    const failure = extractFailure(
      apiCallError({
        statusCode: 429,
        responseHeaders: { 'retry-after': '7', 'set-cookie': 'session=1' },
        responseBody: JSON.stringify(QUOTA),
      }),
    );
    expect(failure).toMatchObject({
      source: 'ai-sdk',
      provider: 'openai',
      model: 'gpt-4o',
      api: 'chat.completions',
      status: 429,
      headers: { 'retry-after': '7' },
      body: QUOTA,
      phase: 'headers',
      delivered: false,
    });
    expect(JSON.stringify(failure)).not.toContain('secret');
  });

  it('that is not JSON stays text, and an empty one stays empty', () => {
    const html = '<html><title>502</title></html>';
    expect(extractFailure(apiCallError({ statusCode: 502, responseBody: html }))?.body).toBe(html);
    expect(extractFailure(apiCallError({ statusCode: 500, responseBody: '' }))?.body).toBe('');
  });

  it('that failed inside a 200 keeps the 200, not the status that the SDK makes up', () => {
    const body = { status: 'incomplete', incomplete_details: { reason: 'content_filter' } };
    expect(extractFailure(apiCallError({ statusCode: 500, responseBody: body }))).toMatchObject({
      status: 200,
      body,
      phase: 'headers',
    });
  });

  it('of the Responses API that failed counts by its error, not by the output before it', () => {
    const error = { code: 'server_error', message: 'x' };
    const output = [{ type: 'message', status: 'incomplete', content: [] }];
    const body = { object: 'response', status: 'failed', error, output };
    for (const responseBody of [body, JSON.stringify(body)])
      expect(extractFailure(apiCallError({ statusCode: 500, responseBody }))?.body).toEqual({
        error,
      });
    expect(reportFrom(apiCallError({ statusCode: 500, responseBody: body })).kind).toBe(
      'provider.server_error',
    );
  });

  it('whose first event is an error was a 200, and nothing was delivered', () => {
    const failure = extractFailure(
      apiCallError({
        statusCode: 400,
        responseHeaders: { 'content-type': 'text/event-stream' },
        responseBody: JSON.stringify(QUOTA.error),
      }),
    );
    expect(failure).toMatchObject({ status: 200, phase: 'streaming', delivered: false });
  });

  it('that broke off is a stream with a fault', () => {
    const cause = new TypeError('terminated', {
      cause: Object.assign(new Error('other side closed'), { code: 'UND_ERR_SOCKET' }),
    });
    expect(extractFailure(apiCallError({ statusCode: 200, cause }))).toMatchObject({
      status: 200,
      phase: 'streaming',
      delivered: true,
      transport: { name: 'TypeError', code: 'UND_ERR_SOCKET' },
    });
  });

  it('that never came leaves the fault of the connection', () => {
    const cause = Object.assign(new Error('connect ECONNREFUSED 127.0.0.1:443'), {
      code: 'ECONNREFUSED',
      syscall: 'connect',
    });
    expect(extractFailure(apiCallError({ cause }))).toMatchObject({
      source: 'ai-sdk',
      transport: { code: 'ECONNREFUSED', syscall: 'connect' },
      phase: 'before_send',
    });
  });
});

describe('wrappers', () => {
  it('are seen through: retries end in their last error', () => {
    const last = apiCallError({ statusCode: 503, responseBody: '' });
    const errors = [apiCallError({ statusCode: 429, responseBody: '' }), last];
    const retry = aiError('RetryError', { reason: 'maxRetriesExceeded', errors, lastError: last });
    expect(extractFailure(retry)).toMatchObject({ status: 503 });
  });

  it('are seen through: an empty output is explained by the response that caused it', () => {
    const cause = apiCallError({ statusCode: 401, responseBody: '{}' });
    expect(extractFailure(aiError('NoOutputGeneratedError', { cause }))).toMatchObject({
      status: 401,
      body: {},
    });
  });

  it('are seen through: the gateway names itself and keeps the response', () => {
    const cause = apiCallError({ statusCode: 429, responseBody: JSON.stringify(QUOTA) });
    const gateway = Object.assign(new Error('Rate limit exceeded'), {
      name: 'GatewayRateLimitError',
      type: 'rate_limit_exceeded',
      statusCode: 429,
      cause,
      [Symbol.for('vercel.ai.gateway.error')]: true,
    });
    expect(extractFailure(gateway)).toMatchObject({
      provider: 'gateway',
      status: 429,
      body: QUOTA,
    });
  });
});

describe('streams', () => {
  it('carry errors of version 7 with the event that came', () => {
    const data = { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } };
    const error = aiError('StreamProviderError', {
      type: 'overloaded_error',
      code: undefined,
      statusCode: 529,
      isRetryable: true,
      data,
    });
    expect(extractFailure({ type: 'error', error })).toMatchObject({
      status: 200,
      type: 'overloaded_error',
      body: data,
      phase: 'streaming',
      delivered: true,
    });
  });

  it('carry errors of earlier versions as data or as a sentence', () => {
    const error = { message: 'Overloaded', type: 'overloaded_error' };
    expect(extractFailure({ type: 'error', error })?.body).toEqual({ error });
    expect(extractFailure({ type: 'error', error: 'Overloaded' })?.body).toBe('Overloaded');
  });

  it('carry errors in chunks that fit no schema', () => {
    const value = { error: 'quota exceeded' };
    expect(extractFailure(aiError('TypeValidationError', { value }))).toMatchObject({
      status: 200,
      body: value,
      phase: 'streaming',
    });
  });

  it('use what the caller knows about delivered content', () => {
    const error = { message: 'Overloaded' };
    expect(extractFailure({ type: 'error', error }, { delivered: false })?.delivered).toBe(false);
  });
});

describe('endings', () => {
  it.each(['content-filter', 'length', 'error'])('%s is a failure', (finishReason) => {
    expect(extractFailure({ finishReason, rawFinishReason: 'SAFETY', text: '' })).toMatchObject({
      status: 200,
      body: { finish_reason: 'SAFETY' },
    });
  });

  it.each(['stop', 'tool-calls'])('%s is a success', (finishReason) => {
    expect(extractFailure({ finishReason, rawFinishReason: 'stop' })).toBeUndefined();
  });

  it('a stream without an end is interrupted, a complete reply without a reason is not', () => {
    const nothing = { finishReason: 'other', rawFinishReason: undefined };
    expect(extractFailure({ type: 'finish', ...nothing })).toMatchObject({
      phase: 'streaming',
      transport: { message: 'The stream ended without its end marker' },
    });
    expect(extractFailure({ text: 'Hi', ...nothing })).toBeUndefined();
  });

  it('an object cut by the limit is that, not bad JSON', () => {
    const error = aiError('NoObjectGeneratedError', { text: '{"a', finishReason: 'length' });
    expect(extractFailure(error)).toMatchObject({ body: { finish_reason: 'length' } });
  });

  it('an abort is the caller’s', () => {
    expect(extractFailure({ type: 'abort', reason: 'enough' })?.finding).toBe('aborted');
  });
});

describe('what the SDK finds out by itself', () => {
  it.each([
    ['LoadAPIKeyError', 'api_key_missing', 'before_send'],
    ['LoadSettingError', 'api_key_missing', 'before_send'],
    ['NoSuchModelError', 'model_unknown', 'before_send'],
    ['UnsupportedFunctionalityError', 'unsupported_feature', 'before_send'],
    ['InvalidPromptError', 'invalid_prompt', 'before_send'],
    ['NoSuchToolError', 'no_such_tool', 'headers'],
    ['InvalidToolInputError', 'invalid_tool_arguments', 'headers'],
    ['NoObjectGeneratedError', 'output_unparsable', 'headers'],
    ['NoOutputGeneratedError', 'stream_empty', 'headers'],
    ['EmptyResponseBodyError', 'no_output', 'headers'],
    ['JSONParseError', 'output_unparsable', 'headers'],
    ['TypeValidationError', 'output_unparsable', 'headers'],
  ])('%s is %s', (name, finding, phase) => {
    expect(extractFailure(aiError(name))).toMatchObject({ finding, phase, type: `AI_${name}` });
  });

  it('is recognised under names that come later', () => {
    expect(extractFailure(aiError('SomethingNewError'))).toMatchObject({
      source: 'ai-sdk',
      type: 'AI_SomethingNewError',
    });
  });

  it('is not read from foreign errors', () => {
    expect(aiSdk.extract(new Error('boom'))).toBeUndefined();
  });
});
