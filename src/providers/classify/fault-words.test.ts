/** Faults of the way that say who ended a call, or what the two ends do not agree on. */
import { describe, expect, it } from 'vitest';
import type { ProviderFailure } from '../provider-failure.ts';
import { classify, type Classification } from './classify.ts';

const BARE: ProviderFailure = {
  operation: 'generate',
  headers: {},
  phase: 'sent',
  delivered: false,
  source: 'test',
};

function thrown(message: string, name = 'Error'): Classification {
  return classify({ ...BARE, transport: { name, message } });
}

function refused(status: number, message: string, code?: string): Classification {
  return classify({ ...BARE, phase: 'headers', status, body: { error: { message, code } } });
}

describe('a call that somebody on our side ended', () => {
  it.each([
    'request aborted by the application',
    'generation was stopped by our operator',
    'client left the page',
    'got SIGINT, closing the connection',
    'the user pressed esc and the socket was closed',
    'Client disconnected. No more is generated.',
    'Vorgang vom Benutzer abgebrochen',
    '用户已取消请求',
  ])('is cancelled: %s', (message) => {
    expect(thrown(message)).toMatchObject({ kind: 'cancelled.call', retryable: false });
  });

  it.each([
    'an established connection was aborted by the software in your host machine',
    'connection aborted',
    'the peer closed the connection',
  ])('is not one that broke: %s', (message) => {
    expect(thrown(message)).toMatchObject({ kind: 'provider.network', retryable: true });
  });
});

describe('two ends that do not fit', () => {
  it.each([
    '[SSL: UNSUPPORTED_PROTOCOL] unsupported protocol',
    'SSL_ERROR_NO_CYPHER_OVERLAP: SSL_ERROR_UNSUPPORTED_VERSION',
    'net::ERR_SSL_VERSION_OR_CIPHER_MISMATCH',
    'remote error: tls: protocol version not supported',
    'Das Zertifikat ist abgelaufen',
    'net::ERR_NO_SUPPORTED_PROXIES',
    'fetch was blocked by CORS policy',
  ])('need a person: %s', (message) => {
    expect(thrown(message)).toMatchObject({
      kind: 'provider.network',
      category: 'configuration',
      retryable: false,
    });
  });

  it.each([
    '[SSL: UNEXPECTED_EOF_WHILE_READING] EOF occurred in violation of protocol',
    'SSL_ERROR_SYSCALL in connection to the host',
  ])('are no connection that broke under TLS: %s', (message) => {
    expect(thrown(message)).toMatchObject({ kind: 'provider.network', retryable: true });
  });

  it.each([
    ['illegal status line: b"220 mail ready"', 'RemoteProtocolError'],
    ['220 mail ready', 'BadStatusLine'],
    ['Parse Error: Expected HTTP/', 'Error'],
    ['the port talks, but not HTTP', 'Error'],
  ])('may be a port that does not speak HTTP: %s', (message, name) => {
    expect(thrown(message, name)).toMatchObject({
      kind: 'provider.network',
      category: 'unknown',
      retryable: false,
    });
  });
});

describe('a fault that names a part of the reply', () => {
  it.each(['connection reset after 40 chunks', 'socket closed mid-answer', 'got half an answer'])(
    'broke a reply, so that the call is not sent again: %s',
    (message) => {
      expect(thrown(message)).toMatchObject({
        kind: 'provider.stream_interrupted',
        retryable: false,
      });
    },
  );
});

describe('a 429 of one request that is above the limit', () => {
  it.each([
    'asked: 95000, limit: 90000',
    'Requested 45,000 tokens against a limit of 30,000 per minute',
    'size of request (131k tokens) > TPM (100k)',
    'This prompt alone is more than a minute holds',
    'It would be too much even when the minute is unused',
    'Such a call can never be admitted',
  ])('is too large, as no wait lets it pass: %s', (message) => {
    expect(refused(429, message)).toMatchObject({
      kind: 'provider.request_too_large',
      retryable: false,
    });
  });

  it.each([
    'Rate limit reached on tokens per min (TPM): Limit 40000, Used 39120, Requested 2010',
    'limit of 3 calls per second; requested 1',
  ])('is a rate where earlier requests filled it: %s', (message) => {
    expect(refused(429, message)).toMatchObject({ kind: 'provider.rate_limited' });
  });
});

describe('the code UNAVAILABLE', () => {
  it.each([
    [400, 'Streaming is unavailable for this model', 'provider.unsupported'],
    [403, 'This model is unavailable in your country', 'provider.permission'],
    [503, 'The service is unavailable', 'provider.overloaded'],
  ])('means load only where the status is that of a server: %d %s', (status, message, kind) => {
    expect(refused(status, message, 'unavailable').kind).toBe(kind);
  });
});

describe('a call that the model wrote badly', () => {
  it.each([
    [400, 'The model produced a malformed function call', undefined],
    [422, 'Failed to parse the tool call the model generated', undefined],
    [200, 'stopped', 'malformed_model_output'],
  ])('may be good in the next sample: %d %s', (status, message, code) => {
    expect(refused(status, message, code)).toMatchObject({
      kind: 'provider.unknown',
      category: 'transient',
    });
  });
});

describe('words of another meaning', () => {
  it.each([
    [400, 'user turn does not have any content', 'provider.invalid_request'],
    [400, 'invalid JSON: expected a key at line 3', 'provider.invalid_request'],
    [404, 'unknown provider: fireworx', 'provider.not_configured'],
    [429, 'The request cap for this minute is reached on your key', 'provider.rate_limited'],
    [403, 'Billing for project demo is closed', 'provider.quota_exhausted'],
  ])('do not mislead: %d %s', (status, message, kind) => {
    expect(refused(status, message).kind).toBe(kind);
  });

  it('are those of a download, whose status is that of another server', () => {
    const found = thrown('Failed to download https://a.example/cat.png: 403', 'AI_DownloadError');
    expect(found).toMatchObject({ kind: 'provider.invalid_request', category: 'content' });
  });
});
