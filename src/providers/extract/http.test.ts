import { describe, expect, it } from 'vitest';
import { extractFailure } from './extract.ts';

describe('a recorded failure', () => {
  it('is read unchanged', () => {
    const line = {
      id: 'x',
      provider: 'openai',
      api: 'images.generations',
      operation: 'submit',
      status: 429,
      headers: { 'Retry-After': '3', Cookie: 'a=b' },
      body: { error: { code: 'rate_limit_exceeded' } },
      transport: null,
      stream: false,
    };
    expect(extractFailure(line)).toEqual({
      source: 'http',
      provider: 'openai',
      api: 'images.generations',
      operation: 'submit',
      status: 429,
      headers: { 'retry-after': '3' },
      body: { error: { code: 'rate_limit_exceeded' } },
      phase: 'headers',
      delivered: false,
    });
  });

  it('may be a fault, a stream, or both', () => {
    const transport = {
      name: 'TypeError',
      message: 'fetch failed',
      code: 'ENOTFOUND',
      codeAt: 'cause',
    };
    expect(extractFailure({ status: null, transport })).toMatchObject({
      transport: { code: 'ENOTFOUND' },
      phase: 'before_send',
    });
    expect(extractFailure({ status: 200, stream: 'mid-stream', transport })).toMatchObject({
      phase: 'streaming',
      delivered: true,
    });
  });

  it('may record a fault by its code, and a refused stream', () => {
    expect(extractFailure({ transport: 'ECONNRESET' })).toMatchObject({
      transport: { code: 'ECONNRESET' },
      phase: 'sent',
    });
    expect(extractFailure({ status: 429, stream: true, body: '' })).toMatchObject({
      phase: 'headers',
      delivered: false,
    });
  });

  it('parses JSON that was kept as text', () => {
    expect(extractFailure({ status: 400, body: '{"a":1}' })?.body).toEqual({ a: 1 });
  });

  it('must have at least one fact', () => {
    expect(extractFailure({ transport: null, stream: false })).toBeUndefined();
  });

  it('yields to facts from the caller', () => {
    const line = { provider: 'openai', status: 500, body: '' };
    const hints = { provider: 'azure', model: 'm', api: 'responses', operation: 'submit' } as const;
    expect(extractFailure(line, hints)).toMatchObject(hints);
  });
});

describe('a status beside a response', () => {
  it.each([
    ['Cohere', Object.assign(new Error('x'), { statusCode: 401, body: { message: 'bad' } })],
    ['Ollama', Object.assign(new Error('x'), { status_code: 401, error: 'bad' })],
    ['ofetch', Object.assign(new Error('x'), { statusCode: 401, data: { message: 'bad' } })],
    [
      'got',
      Object.assign(new Error('x'), { response: { statusCode: 401, body: '{"message":"bad"}' } }),
    ],
    [
      'gaxios',
      Object.assign(new Error('x'), { response: { status: 401, data: { message: 'bad' } } }),
    ],
    ['Hugging Face', Object.assign(new Error('x'), { httpResponse: { status: 401, body: 'bad' } })],
  ])('is found in the errors of %s', (_, thrown) => {
    const failure = extractFailure(thrown);
    expect(failure).toMatchObject({ source: 'http', status: 401, phase: 'headers' });
    expect(JSON.stringify(failure?.body)).toContain('bad');
  });

  it('is found in an unread response', () => {
    const response = new Response('ignored', {
      status: 503,
      headers: { 'retry-after': '9', 'set-cookie': 'x=1' },
    });
    expect(extractFailure(response)).toEqual({
      source: 'http',
      operation: 'generate',
      status: 503,
      headers: { 'retry-after': '9', 'content-type': 'text/plain;charset=UTF-8' },
      isUnread: true,
      phase: 'headers',
      delivered: false,
    });
    expect(extractFailure(new Response('fine'))).toBeUndefined();
  });

  it('is found in a problem document', () => {
    const problem = { type: 'about:blank', title: 'Too Many Requests', status: 429 };
    expect(extractFailure(problem)).toMatchObject({ status: 429, body: problem });
  });

  it('is not needed where the body itself was thrown', () => {
    const body = { error: { message: 'Overloaded', type: 'overloaded_error' } };
    expect(extractFailure(body)).toMatchObject({ body, phase: 'headers' });
  });

  it('counts less than the error of an SDK below it', () => {
    const sdk = Object.assign(new Error('{"error":{"code":429}}'), {
      name: 'ApiError',
      status: 429,
    });
    const wrapper = Object.assign(new Error('upstream', { cause: sdk }), {
      status: 500,
      body: 'x',
    });
    expect(extractFailure(wrapper)).toMatchObject({ source: 'google-genai', status: 429 });
  });
});
