import { describe, expect, it } from 'vitest';
import { extractFailure } from './extract.ts';

function apiError(status: number, message: string): Error {
  return Object.assign(new Error(message), { name: 'ApiError', status });
}

const BODY = { error: { code: 429, message: 'Quota', status: 'RESOURCE_EXHAUSTED', details: [] } };

describe('the Google client', () => {
  it('has the body as its message', () => {
    expect(extractFailure(apiError(429, JSON.stringify(BODY)))).toMatchObject({
      source: 'google-genai',
      provider: 'google',
      status: 429,
      body: BODY,
      phase: 'headers',
    });
  });

  it('wraps text in JSON', () => {
    const dressed = { error: { message: '<html>502</html>', code: 502, status: 'Bad Gateway' } };
    expect(extractFailure(apiError(502, JSON.stringify(dressed)))?.body).toBe('<html>502</html>');
    const inner = { error: { message: JSON.stringify(BODY), code: 429, status: '' } };
    expect(extractFailure(apiError(429, JSON.stringify(inner)))?.body).toEqual(BODY);
  });

  it('announces an error in a stream', () => {
    const message = `got status: UNAVAILABLE. ${JSON.stringify(BODY)}`;
    expect(extractFailure(apiError(503, message))).toMatchObject({
      status: 200,
      phase: 'streaming',
      body: BODY,
    });
  });

  it('shares its name with other clients, which keep the response', () => {
    const fal = Object.assign(new Error('Unprocessable'), {
      name: 'ApiError',
      status: 422,
      body: { detail: [] },
    });
    expect(extractFailure(fal)).toMatchObject({
      source: 'http',
      status: 422,
      body: { detail: [] },
    });
  });
});
