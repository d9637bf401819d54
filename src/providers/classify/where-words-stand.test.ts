import { describe, expect, it } from 'vitest';
import { extractFailure } from '../extract/extract.ts';
import { classify, type Classification } from './classify.ts';

const CALL = { id: 'x', provider: 'gateway', api: '', operation: 'generate', stream: false };

function refused(status: number, body: unknown, headers = {}): Classification {
  return classifyEntry({ ...CALL, status, headers, body, transport: null });
}

function thrown(message: string, name = 'Error'): Classification {
  const transport = { code: null, name, message };
  return classifyEntry({ ...CALL, status: null, headers: {}, body: null, transport });
}

function classifyEntry(entry: object): Classification {
  const failure = extractFailure(entry);
  if (failure === undefined) throw new Error('the entry was not recognised as a failure');
  return classify(failure);
}

describe('names that a user chose', () => {
  it.each([
    "Invalid value: 'server_overloaded'. Supported values are: 'user' and 'tool'.",
    'Unknown role `insufficient_quota` in message 3',
    'The value "rate_limit_exceeded" is no language',
  ])('are no evidence: %s', (message) => {
    expect(refused(400, { error: { message } }).kind).toBe('provider.invalid_request');
  });

  it('are evidence where a dump of a response labels them', () => {
    const text = "request failed, code: 'insufficient_quota', try another plan";
    expect(refused(429, text).kind).toBe('provider.quota_exhausted');
  });

  it('are evidence where they are the name of a header that holds a key', () => {
    expect(refused(400, { error: { message: "Missing 'x-api-key' header" } }).kind).not.toBe(
      'provider.model_not_found',
    );
    expect(refused(400, { error: { message: "Invalid 'api_key'" } }).kind).toBe('provider.auth');
  });
});

describe('the place that a message names', () => {
  it.each([
    ['tools.0: name must match the pattern', 'provider.tool_schema', 'configuration'],
    ['Bad value at tools[3].function.parameters', 'provider.tool_schema', 'configuration'],
    ['`stop` takes up to 4 sequences', 'provider.invalid_request', 'configuration'],
    ['messages.3.content: empty', 'provider.invalid_request', 'content'],
  ])('decides: %s', (message, kind, category) => {
    expect(refused(400, { error: { message } })).toMatchObject({ kind, category });
  });
});

describe('a status that no registry knows', () => {
  it.each([
    [446, 'Blocked by the content filter', 'provider.content_filter'],
    [434, 'You do not have access to this', 'provider.permission'],
    [452, 'Nothing more', 'provider.invalid_request'],
    [599, 'Nothing more', 'provider.server_error'],
  ])('counts as the first of its class: %i', (status, message, kind) => {
    expect(refused(status, { error: { message } }).kind).toBe(kind);
  });
});

describe('a page', () => {
  it('inside a sentence counts by its title', () => {
    const page = '<html><title>500 Internal Server Error</title><p>or the server is overloaded';
    expect(refused(424, `Received an error with message "${page}"`).kind).toBe(
      'provider.server_error',
    );
  });

  it('may name a wait anywhere', () => {
    const page = '<html><body><h1>Too Many Requests</h1><p>Please retry in 45 seconds.</p></body>';
    expect(refused(429, page).retryAfterMs).toBe(45_000);
  });
});

describe('waits', () => {
  const date = { date: 'Sun, 15 Nov 2026 00:00:00 GMT' };

  it.each([
    [{ error: { message: 'Try again in about 2 minutes' } }, 120_000],
    [{ error: { message: 'Slow down', reset_seconds: 47 } }, 47_000],
    [{ error: { message: 'Slow down', reset_at: '2026-11-15T00:00:20Z' } }, 20_000],
    [{ error: { message: 'Slow down', reset_at: 1_794_700_815 } }, 15_000],
    [{ error: { message: 'Limit resets at: 2026-11-15 00:00:42 UTC' } }, 42_000],
    [{ error: { message: 'Limit resets at: 2026-11-15 00:00:42' } }, null],
    ['{"error":{"message":"Later","details":[{"retryDelay":"31s"},{"@ty', 31_000],
  ])('are read from %j', (body, ms) => {
    expect(refused(429, body, date).retryAfterMs).toBe(ms);
  });

  it('are read from the header of the IETF draft', () => {
    expect(refused(429, '', { ratelimit: '"default";r=0;t=17' }).retryAfterMs).toBe(17_000);
  });

  it('are not made from a header that names no wait', () => {
    expect(refused(429, '', { 'x-rate-limit-window': '60' }).retryAfterMs).toBe(null);
  });
});

describe('faults of other runtimes', () => {
  it.each([
    ['curl: (6) Could not resolve host: api.example.com', 'provider.network', 'transient'],
    ['cURL error 28: Operation timed out after 30001 ms', 'provider.timeout', 'transient'],
    ['curl: (60) SSL certificate problem', 'provider.network', 'configuration'],
    [
      'javax.net.ssl.SSLHandshakeException: PKIX path building failed',
      'provider.network',
      'configuration',
    ],
    ['java.net.SocketTimeoutException: timeout', 'provider.timeout', 'transient'],
    [
      'The remote certificate is invalid because of errors in the certificate chain',
      'provider.network',
      'configuration',
    ],
    ['[SSL: BAD_RECORD_MAC] sslv3 alert bad record mac', 'provider.network', 'transient'],
    [
      'Tunnel connection failed: 407 Proxy Authentication Required',
      'provider.network',
      'configuration',
    ],
    ['rpc error: code = ResourceExhausted', 'provider.rate_limited', 'transient'],
    ['Post "https://example.com": context canceled', 'cancelled.call', 'cancelled'],
    ['The api_key client option must be set', 'provider.not_configured', 'configuration'],
  ])('are read in their own words: %s', (message, kind, category) => {
    expect(thrown(message)).toMatchObject({ kind, category });
  });
});
