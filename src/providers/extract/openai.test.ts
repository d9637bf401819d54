import { describe, expect, it } from 'vitest';
import { extractFailure } from './extract.ts';

/** The constructor sets all of these, undefined or not, and leaves `name` at "Error". */
function openaiError(fields: object, message: string, className = 'APIError'): Error {
  const Named = { [className]: class extends Error {} }[className] ?? Error;
  return Object.assign(new Named(message), {
    status: undefined,
    headers: undefined,
    requestID: undefined,
    error: undefined,
    code: undefined,
    param: undefined,
    type: undefined,
    ...fields,
  });
}

const ERROR = { message: 'You exceeded', type: 'insufficient_quota', code: 'insufficient_quota' };

describe('the OpenAI client', () => {
  it('keeps the inside of the body’s error, and its headers as a bag', () => {
    const headers = new Headers({ 'retry-after-ms': '1250', 'x-request-id': 'req_1', etag: 'x' });
    const thrown = openaiError({ status: 429, headers, error: ERROR }, '429 You exceeded');
    expect(extractFailure(thrown)).toMatchObject({
      source: 'openai',
      provider: 'openai',
      status: 429,
      headers: { 'retry-after-ms': '1250', 'x-request-id': 'req_1' },
      body: { error: ERROR },
      phase: 'headers',
    });
  });

  it('keeps a response that is not JSON behind the status in its message', () => {
    const thrown = openaiError({ status: 502, headers: new Headers() }, '502 <html>bad</html>');
    expect(extractFailure(thrown)?.body).toBe('<html>bad</html>');
  });

  it('says when there was no body', () => {
    const thrown = openaiError({ status: 403, headers: {} }, '403 status code (no body)');
    expect(extractFailure(thrown)).not.toHaveProperty('body');
  });

  it('has headers and no status for an error inside a stream', () => {
    const thrown = openaiError({ headers: new Headers(), error: ERROR }, 'You exceeded');
    expect(extractFailure(thrown)).toMatchObject({
      status: 200,
      phase: 'streaming',
      body: { error: ERROR },
    });
  });

  it('aborts to keep its own timeout, which is not a cancellation', () => {
    const cause = new DOMException('This operation was aborted', 'AbortError');
    const className = 'APIConnectionTimeoutError';
    const failure = extractFailure(openaiError({ cause }, 'Request timed out.', className));
    expect(failure).toMatchObject({ finding: 'timed_out', phase: 'sent' });
    expect(failure).not.toHaveProperty('transport');
  });

  it('yields to the socket, which is more exact', () => {
    const cause = new TypeError('fetch failed', {
      cause: Object.assign(new Error('Connect Timeout Error'), { code: 'UND_ERR_CONNECT_TIMEOUT' }),
    });
    const failure = extractFailure(openaiError({ cause }, 'Request timed out.'));
    expect(failure).toMatchObject({
      transport: { code: 'UND_ERR_CONNECT_TIMEOUT' },
      phase: 'before_send',
    });
    expect(failure).not.toHaveProperty('finding');
  });

  it('is stopped by the caller', () => {
    const thrown = openaiError({}, 'Request was aborted.', 'APIUserAbortError');
    expect(extractFailure(thrown)?.finding).toBe('aborted');
  });

  it.each([
    ['LengthFinishReasonError', 'length'],
    ['ContentFilterFinishReasonError', 'content_filter'],
  ])('%s is the ending %s', (className, reason) => {
    const Named = { [className]: class extends Error {} }[className] ?? Error;
    expect(extractFailure(new Named('Could not parse'))?.body).toEqual({ finish_reason: reason });
  });

  it('cannot start without a key', () => {
    const message = 'Could not resolve authentication method. Expected either apiKey or …';
    expect(extractFailure(new Error(message))).toMatchObject({
      finding: 'api_key_missing',
      phase: 'before_send',
    });
  });
});
