import { describe, expect, it } from 'vitest';
import { extractFailure } from './extract.ts';

function coded(message: string, fields: object): Error {
  return Object.assign(new Error(message), fields);
}

function fetchFailed(cause: Error): Error {
  return new TypeError('fetch failed', { cause });
}

describe('faults below HTTP', () => {
  it.each([
    ['no address', fetchFailed(coded('getaddrinfo', { code: 'ENOTFOUND' })), 'before_send'],
    [
      'no connection after one that broke',
      coded('connect ECONNREFUSED', {
        code: 'ECONNREFUSED',
        cause: coded('socket hang up', { code: 'ECONNRESET' }),
      }),
      'sent',
    ],
    [
      'no TLS, wrapped with its code',
      coded('The request failed', {
        code: 'ECONNRESET',
        cause: coded('disconnected before secure TLS connection', { code: 'ECONNRESET' }),
      }),
      'before_send',
    ],
    ['no listener', fetchFailed(coded('connect', { code: 'ECONNREFUSED' })), 'before_send'],
    [
      'no trust',
      fetchFailed(coded('self-signed', { code: 'DEPTH_ZERO_SELF_SIGNED_CERT' })),
      'before_send',
    ],
    [
      'no connection in time',
      coded('connect ETIMEDOUT 1.2.3.4:443', { code: 'ETIMEDOUT' }),
      'before_send',
    ],
    [
      'no TLS',
      coded('socket disconnected before secure TLS connection was established', {
        code: 'ECONNRESET',
      }),
      'before_send',
    ],
    [
      'no valid header',
      new TypeError('Cannot convert argument to a ByteString because …'),
      'before_send',
    ],
    [
      'a closed socket',
      fetchFailed(coded('other side closed', { code: 'UND_ERR_SOCKET' })),
      'sent',
    ],
    [
      'no headers in time',
      fetchFailed(coded('Headers Timeout Error', { code: 'UND_ERR_HEADERS_TIMEOUT' })),
      'sent',
    ],
    ['a hang-up', coded('socket hang up', { code: 'ECONNRESET' }), 'sent'],
    ['a browser without a word', new TypeError('Failed to fetch'), 'sent'],
    ['Safari without a word', new TypeError('Load failed'), 'sent'],
    [
      'Bun',
      coded('Is there some typo in url or port?', { code: 'FailedToOpenSocket' }),
      'before_send',
    ],
    [
      'a cut response',
      new TypeError('terminated', {
        cause: coded('other side closed', { code: 'UND_ERR_SOCKET' }),
      }),
      'streaming',
    ],
    [
      'a silent response',
      new TypeError('terminated', {
        cause: coded('Body Timeout Error', { code: 'UND_ERR_BODY_TIMEOUT' }),
      }),
      'streaming',
    ],
    [
      'a premature close',
      coded('Premature close', { code: 'ERR_STREAM_PREMATURE_CLOSE' }),
      'streaming',
    ],
    ['half a response', new SyntaxError('Unterminated string in JSON at position 36'), 'streaming'],
    [
      'a page instead of a response',
      new SyntaxError('Unexpected token < in JSON at position 0'),
      'headers',
    ],
  ])('%s', (_, thrown, phase) => {
    const failure = extractFailure(thrown);
    expect(failure).toMatchObject({ source: 'fetch', phase, delivered: phase === 'streaming' });
    expect(failure?.transport?.message).toBe(thrown.message);
  });

  it('gives the first code along the chain and every link', () => {
    const thrown = fetchFailed(coded('connect', { code: 'ECONNREFUSED', syscall: 'connect' }));
    expect(extractFailure(thrown)?.transport).toEqual({
      name: 'TypeError',
      message: 'fetch failed',
      code: 'ECONNREFUSED',
      syscall: 'connect',
      causes: [{ name: 'Error', message: 'connect', code: 'ECONNREFUSED', syscall: 'connect' }],
    });
  });

  it('reads the attempts on several addresses', () => {
    const attempts = ['::1', '127.0.0.1'].map((address) =>
      coded(`connect ECONNREFUSED ${address}`, { code: 'ECONNREFUSED', syscall: 'connect' }),
    );
    const thrown = fetchFailed(
      Object.assign(new AggregateError(attempts), { code: 'ECONNREFUSED' }),
    );
    expect(extractFailure(thrown)).toMatchObject({
      phase: 'before_send',
      transport: { code: 'ECONNREFUSED' },
    });
    expect(extractFailure(thrown)?.transport?.causes).toHaveLength(3);
  });

  it('distinguishes an abort from a timeout', () => {
    const abort = new DOMException('This operation was aborted', 'AbortError');
    const limit = new DOMException('The operation was aborted due to timeout', 'TimeoutError');
    expect(extractFailure(abort)).toMatchObject({ finding: 'aborted', phase: 'sent' });
    expect(extractFailure(limit)).toMatchObject({ finding: 'timed_out', phase: 'sent' });
    expect(extractFailure(abort)?.transport).not.toHaveProperty('code');
  });

  it('uses what the caller knows about a reply that had begun', () => {
    const thrown = coded('read ECONNRESET', { code: 'ECONNRESET' });
    expect(extractFailure(thrown, { delivered: true })).toMatchObject({
      phase: 'streaming',
      delivered: true,
    });
  });

  it.each([
    new Error('boom'),
    new TypeError('undefined is not a function'),
    new SyntaxError('missing ) after argument list'),
    coded('no such file', { code: 'ENOENT', syscall: 'open' }),
    'fetch failed',
    undefined,
    null,
    42,
  ])('leaves %s alone', (thrown) => {
    expect(extractFailure(thrown)).toBeUndefined();
  });
});
