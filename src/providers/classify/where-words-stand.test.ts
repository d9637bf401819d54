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
    'Could not parse the content: "my credit balance is too low" is not an array',
    'Invalid value: "quota exceeded, please upgrade your plan". Expected an object.',
    'Expected an array of objects, got "rate limit reached" instead.',
  ])('are no evidence: %s', (message) => {
    expect(refused(400, { error: { message } }).kind).toBe('provider.invalid_request');
  });

  it('are evidence where a dump of a response labels them', () => {
    const text = "request failed, code: 'insufficient_quota', try another plan";
    expect(refused(429, text).kind).toBe('provider.quota_exhausted');
  });

  it('are evidence where they are the sentence of another server', () => {
    const text = 'The upstream said "Your credit balance is too low" and nothing more';
    expect(refused(400, { error: { message: text } }).kind).toBe('provider.quota_exhausted');
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
    [
      'metadata.label is too long: at most 64 characters are allowed',
      'provider.invalid_request',
      'configuration',
    ],
    ['tools.0.name must match the pattern', 'provider.tool_schema', 'configuration'],
    ['tools.function.parameters.properties is required', 'provider.tool_schema', 'configuration'],
    ['functions.parameters.required is required', 'provider.tool_schema', 'configuration'],
    ['Missing field(s): text', 'provider.invalid_request', 'configuration'],
    ['The job has missing fields: input or voice', 'provider.invalid_request', 'configuration'],
  ])('decides: %s', (message, kind, category) => {
    expect(refused(400, { error: { message } })).toMatchObject({ kind, category });
  });
});

describe('a key that is good and lacks a right', () => {
  it.each([
    ['Unauthorized', 'Tenant provided in token does not match resource token'],
    ['authentication_error', 'You have insufficient permissions. Missing scopes: model.request'],
    ['unauthenticated', 'The principal lacks the role that this call needs'],
    ['UNAUTHORIZED', 'Project p-1 does not match with the project p-2 of the service account'],
    ['invalid_api_key', 'This key does not belong to the workspace of the request'],
  ])('is told by the message, whatever the code says: %s', (code, message) => {
    expect(refused(401, { error: { code, message } }).kind).toBe('provider.permission');
  });
});

describe('a key of another place than the one that is asked for', () => {
  it.each([
    'The project ID in the path does not match the project of the API key.',
    'Workspace mismatch: the token was made for another one',
    'Проект в запросе не совпадает с проектом ключа.',
    '请求的项目与密钥所属的项目不匹配',
  ])('lacks a right, in any language: %s', (message) => {
    expect(refused(400, { error: message }).kind).toBe('provider.permission');
  });

  it.each([
    'The picture in the folder does not match its format',
    'The folder name does not match',
  ])('is not meant where no key is named: %s', (message) => {
    expect(refused(400, { error: message }).kind).toBe('provider.invalid_request');
  });
});

describe('a limit as a limiter writes it', () => {
  const page = (line: string): string =>
    `<!doctype html>\n<title>429 Too Many Requests</title>\n<p>${line}</p>`;

  it.each([
    ['ratelimit exceeded 100 per 7 days', 'provider.quota_exhausted'],
    ['5 requests every 30 days', 'provider.quota_exhausted'],
    [page('20 per 24 hour'), 'provider.quota_exhausted'],
    [page('200 per 1 month'), 'provider.quota_exhausted'],
    ['ratelimit exceeded 100 per 7 minutes', 'provider.rate_limited'],
    [page('20 per 2 hour'), 'provider.rate_limited'],
  ])('is a quota where its window is a day or longer: %s', (body, kind) => {
    expect(refused(429, body).kind).toBe(kind);
  });
});

describe('a trial', () => {
  it.each([
    [429, 'You have hit the maximum calls for trial users', 'provider.quota_exhausted'],
    [403, 'Trial messages exceeded', 'provider.quota_exhausted'],
    [429, 'The rate limit of the trial key is reached', 'provider.rate_limited'],
    [429, 'Trial keys reached 10 calls / minute', 'provider.rate_limited'],
  ])('that is used up is a quota, its rate is none: %i %s', (status, message, kind) => {
    expect(refused(status, { error: { message } }).kind).toBe(kind);
  });
});

describe('a full queue', () => {
  const submitted = (provider: string, body: object): Classification =>
    classifyEntry({ ...CALL, provider, operation: 'submit', status: 200, headers: {}, body });

  it.each([
    ['midjourney-proxy', { code: 23, description: 'Отклонено', result: null }],
    ['gateway', { error: { message: 'The queue is full, submit again later' } }],
    ['gateway', { error: { message: 'キューが満杯です' } }],
  ])('took nothing, so a job may be submitted again: %s %j', (provider, body) => {
    expect(submitted(provider, body)).toMatchObject({
      kind: 'provider.overloaded',
      category: 'transient',
      outcome: 'not_started',
      retryable: true,
    });
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

describe('a status that is only a loan', () => {
  it.each([
    [402, 'Too many requests from this address', 'provider.rate_limited'],
    [402, 'Your balance is too low', 'provider.quota_exhausted'],
    [451, 'The content that you sent is blocked', 'provider.content_filter'],
    [451, 'Not available in your country', 'provider.permission'],
    [500, '3 validation errors for ChatCompletionChunk', 'provider.server_error'],
  ])('leaves it to the words: %i %s', (status, message, kind) => {
    expect(refused(status, { error: { message } }).kind).toBe(kind);
  });
});

describe('the reason for which a session ended', () => {
  it.each([
    ['pipeline-error-openai-503-server-overloaded-error', 'provider.overloaded'],
    ['call.in-progress.error-openai-401-incorrect-api-key', 'provider.auth'],
    ['call.in-progress.error-transport-never-connected', 'provider.network'],
  ])('is a code, without the place where it was reached: %s', (endedReason, kind) => {
    expect(refused(200, { status: 'ended', endedReason }).kind).toBe(kind);
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
    [
      'rpc error: code = DeadlineExceeded desc = stream terminated by RST_STREAM with error code: CANCEL',
      'provider.timeout',
      'transient',
    ],
    [
      '7 PERMISSION_DENIED: stream terminated by RST_STREAM with error code 0',
      'provider.permission',
      'configuration',
    ],
    ['14 UNAVAILABLE: stream terminated by RST_STREAM', 'provider.network', 'transient'],
    ['16 UNAUTHENTICATED: certificate verify failed', 'provider.auth', 'configuration'],
    [
      '5 NOT_FOUND: Model x not found, proxy authentication required',
      'provider.model_not_found',
      'configuration',
    ],
    ['Post "https://example.com": context canceled', 'cancelled.call', 'cancelled'],
    ['The api_key client option must be set', 'provider.not_configured', 'configuration'],
  ])('are read in their own words: %s', (message, kind, category) => {
    expect(thrown(message)).toMatchObject({ kind, category });
  });
});
