import { describe, expect, it } from 'vitest';
import type { ProviderFailure } from '../provider-failure.ts';
import { classify } from './classify.ts';

const FAULTS = [409, 424, 500, 502, 503, 504, 520, 529];
const REFUSALS = [400, 403, 404, 412, 418, 422];

function sent(status: number, message: string, more: Partial<ProviderFailure> = {}) {
  return classify({
    operation: 'generate',
    status,
    headers: {},
    body: { error: { message } },
    phase: 'headers',
    delivered: false,
    source: 'test',
    ...more,
  });
}

describe('the words under a status that gateways use', () => {
  it.each([
    ['The API key is invalid', 'provider.auth'],
    ['The credit balance of your account is spent', 'provider.quota_exhausted'],
    ['The prompt is too long: 9000 tokens > 8192', 'provider.context_length'],
    ['The model does not support tools', 'provider.unsupported'],
    ['There is no such model', 'provider.model_not_found'],
  ])('%s: is a refusal under each status of a fault', (message, kind) => {
    for (const status of FAULTS)
      expect(sent(status, message)).toMatchObject({ kind, retryable: false });
  });

  it.each([
    ['The server is overloaded, come again later', 'provider.overloaded'],
    ['Too many requests per minute', 'provider.rate_limited'],
  ])('%s: passes under each status of a refusal', (message, kind) => {
    for (const status of REFUSALS)
      expect(sent(status, message)).toMatchObject({ kind, retryable: true });
  });

  it('leaves a fault without such words what its status says', () => {
    expect(sent(502, 'Something happened').kind).toBe('provider.server_error');
    expect(sent(504, 'Something happened').kind).toBe('provider.timeout');
    expect(sent(503, 'The model provider is down').retryable).toBe(true);
  });

  it('does not take a fault for a refusal once a part of the reply was delivered', () => {
    const message = 'The API key is invalid';
    const cut = sent(504, message, { phase: 'streaming', delivered: true });
    expect(cut.kind).toBe('provider.timeout');
  });
});

describe('one request that is larger than a limit by the minute', () => {
  it.each([
    'Tokens in this request (9000) exceed tokens allowed per minute (6000)',
    'Prompt of 120000 tokens is more than your limit of 30000 tokens per minute',
    'The request asks for 50,211 tokens but the whole per-minute allotment is 40,000.',
  ])('is not sent again: %s', (message) => {
    expect(sent(429, message).kind).toBe('provider.request_too_large');
  });

  it.each([
    'This request would exceed the limit of 30000 tokens per minute',
    'With this request you used 31000 tokens, the limit is 30000 tokens per minute',
  ])('is told from a rate that counts earlier requests: %s', (message) => {
    expect(sent(429, message).kind).toBe('provider.rate_limited');
  });
});

describe('an event that only its name calls an error', () => {
  it('is one', () => {
    const body = 'event: error\ndata: {"message":"Too many requests in flight"}\n\n';
    const found = sent(200, '', { body, phase: 'streaming' });
    expect(found).toMatchObject({ kind: 'provider.rate_limited', retryable: true });
  });
});

describe('a wait', () => {
  it('is read from the time of a day, with its seconds', () => {
    const headers = { date: 'Tue, 17 Nov 2026 10:00:00 GMT' };
    const found = sent(429, 'Rate limit. Next request allowed at 10:00:40 UTC', { headers });
    expect(found.retryAfterMs).toBe(40_000);
  });

  it('is read from a field with a clock', () => {
    const body = { message: 'Too many requests', try_after: '00:01:30' };
    expect(sent(429, '', { body }).retryAfterMs).toBe(90_000);
  });

  it('of a client, which it prints between its own attempts, is nobody’s hint', () => {
    const log = 'HTTP 429: too many requests. Retrying in 2.4s (attempt 1/3)';
    expect(sent(429, log).retryAfterMs).toBeNull();
  });
});

describe('a stop reason that nobody has recorded', () => {
  it.each(['blacklist', 'policy_violation', 'content_blocked', 'UNSAFE_OUTPUT'])(
    'is read by its words: %s',
    (finish_reason) => {
      const body = { choices: [{ finish_reason, message: { content: 'No' } }] };
      expect(sent(200, '', { body }).kind).toBe('provider.content_filter');
    },
  );
});
