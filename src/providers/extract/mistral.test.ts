import { describe, expect, it } from 'vitest';
import { extractFailure } from './extract.ts';

describe('the Mistral client', () => {
  it('keeps the response as text', () => {
    const body = { object: 'error', message: 'Invalid model: x', type: 'invalid_model' };
    const thrown = Object.assign(new Error('API error occurred: Status 400'), {
      name: 'SDKError',
      statusCode: 400,
      body: JSON.stringify(body),
      headers: new Headers({ 'x-request-id': 'r1' }),
      contentType: 'application/json',
      rawResponse: { url: 'https://api.mistral.ai/v1/chat/completions' },
    });
    expect(extractFailure(thrown)).toMatchObject({
      source: 'mistral',
      provider: 'mistral',
      api: 'chat.completions',
      status: 400,
      headers: { 'x-request-id': 'r1' },
      body,
    });
  });

  it.each([
    ['RequestTimeoutError', 'timed_out', 'sent'],
    ['RequestAbortedError', 'aborted', 'sent'],
    ['SDKValidationError', 'invalid_prompt', 'before_send'],
  ])('%s is %s', (name, finding, phase) => {
    const cause = new Error('why');
    const thrown = Object.assign(new Error('failed', { cause }), { name });
    expect(extractFailure(thrown)).toMatchObject({ source: 'mistral', finding, phase });
  });

  it('wraps a network fault', () => {
    const cause = new TypeError('fetch failed', {
      cause: Object.assign(new Error('getaddrinfo ENOTFOUND'), {
        code: 'ENOTFOUND',
        syscall: 'getaddrinfo',
      }),
    });
    const thrown = Object.assign(new Error('Unable to make request', { cause }), {
      name: 'ConnectionError',
    });
    expect(extractFailure(thrown)).toMatchObject({
      source: 'mistral',
      transport: { name: 'TypeError', code: 'ENOTFOUND' },
      phase: 'before_send',
    });
  });

  it('is distinguished from other errors of that name', () => {
    expect(
      extractFailure(Object.assign(new Error('no'), { name: 'ConnectionError' })),
    ).toBeUndefined();
  });
});
