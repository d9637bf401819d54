import { describe, expect, it } from 'vitest';
import { extractFailure } from './extract.ts';

function axiosError(fields: object, message = 'Request failed'): Error {
  const config = { baseURL: 'https://api.groq.com/openai/v1/', url: '/chat/completions' };
  return Object.assign(new Error(message), {
    name: 'AxiosError',
    isAxiosError: true,
    config,
    ...fields,
  });
}

describe('errors in axios’ shape', () => {
  it('keep the response and the address', () => {
    const data = { error: { message: 'slow down' } };
    const response = { status: 429, headers: { 'Retry-After': '2' }, data };
    expect(extractFailure(axiosError({ code: 'ERR_BAD_REQUEST', response }))).toMatchObject({
      source: 'axios',
      provider: 'groq',
      api: 'chat.completions',
      status: 429,
      headers: { 'retry-after': '2' },
      body: data,
    });
  });

  it('distinguish a refused connection from its own timer', () => {
    const refused = axiosError({ code: 'ECONNREFUSED', syscall: 'connect' });
    expect(extractFailure(refused)).toMatchObject({
      transport: { code: 'ECONNREFUSED' },
      phase: 'before_send',
    });
    const timer = axiosError({ code: 'ECONNABORTED' }, 'timeout of 1000ms exceeded');
    expect(extractFailure(timer)).toMatchObject({ finding: 'timed_out', phase: 'sent' });
  });

  it('say that the caller cancelled', () => {
    expect(extractFailure(axiosError({ code: 'ERR_CANCELED' }))?.finding).toBe('aborted');
  });
});
