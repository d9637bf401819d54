/** Where the words of a failure and its status or ending disagree. */
import { describe, expect, it } from 'vitest';
import type { ProviderFailure } from '../provider-failure.ts';
import { classify, type Classification } from './classify.ts';

const BARE: ProviderFailure = {
  operation: 'generate',
  headers: {},
  phase: 'headers',
  delivered: false,
  source: 'test',
};

function said(status: number, message: string): Classification {
  return classify({ ...BARE, status, body: { error: { message } } });
}

describe('a 429', () => {
  it.each([
    ['Account has a violation, ask the customer service', 'provider.permission'],
    ['Your organization must be verified', 'provider.permission'],
    ['invalid api key', 'provider.auth'],
    ['the prompt is too long', 'provider.context_length'],
  ])('that speaks of something else is no rate: %s', (message, kind) => {
    expect(said(429, message)).toMatchObject({ kind, retryable: false });
  });

  it.each([
    'Too many requests from this account',
    'Your organization reached the rate limit of tier 1',
    'The account is temporarily restricted, try again later',
    'Requests of your project are limited at the moment',
  ])('that also speaks of a rate stays one: %s', (message) => {
    expect(said(429, message)).toMatchObject({ kind: 'provider.rate_limited', retryable: true });
  });
});

describe('a 500', () => {
  it.each([
    ['Invalid parameter: temperature must be between 0 and 2', 'provider.invalid_request'],
    ['messages must not be empty', 'provider.invalid_request'],
    ['failed to parse the tool schema', 'provider.tool_schema'],
    ['Failed to decode image', 'provider.invalid_request'],
  ])('that speaks of the request is not repeated: %s', (message, kind) => {
    expect(said(500, message)).toMatchObject({ kind, retryable: false });
  });

  it.each([
    'invalid response from upstream',
    'Failed to parse the upstream response: missing field choices',
    'the model produced invalid content',
    'database connection limit reached',
    'moderation service timed out',
    'failed to load moderation model',
    "permission denied: '/var/cache/model'",
    'could not save message: redis down',
    'Failed to generate image',
  ])('that speaks of the server is repeated, whatever it sounds like: %s', (message) => {
    expect(said(500, message).retryable).toBe(true);
  });
});

describe('a job that failed', () => {
  function failed(error: unknown): Classification {
    return classify({ ...BARE, status: 200, body: { id: 'j', status: 'failed', error } });
  }

  it.each([
    ['Unable to access the file at https://acme.test/a.mp3', 'provider.invalid_request'],
    ['The file does not appear to contain audio', 'provider.invalid_request'],
    [{ code: 'failed_to_download_image', message: 'no' }, 'provider.invalid_request'],
    [{ code: 'cyber_policy', message: 'blocked' }, 'provider.content_filter'],
    ['The account has run out of credits', 'provider.quota_exhausted'],
  ])('for a reason that stays is not repeated: %j', (error, kind) => {
    expect(failed(error)).toMatchObject({ kind, retryable: false });
  });

  it.each([
    ['The generation failed unexpectedly', 'provider.server_error'],
    [{ code: 'resource_exhausted', message: 'Upstream nodes are depleted' }, 'provider.overloaded'],
    [{ code: 'vector_store_timeout', message: 'no' }, 'provider.timeout'],
  ])('for a reason that passes is: %j', (error, kind) => {
    expect(failed(error)).toMatchObject({ kind, retryable: true });
  });

  it('is judged by its message although its finish reason is only an error', () => {
    const body = { is_error: true, error: 'Failed to authenticate.', finish_reason: 'error' };
    expect(classify({ ...BARE, body })).toMatchObject({ kind: 'provider.auth', retryable: false });
  });
});

describe('a limit', () => {
  it.each([
    [400, 'You have reached your maximum amount of voices (10 / 10).', 'provider.quota_exhausted'],
    [400, 'The recording is longer than 25 minutes', 'provider.request_too_large'],
    [413, 'the input must have less than 512 tokens', 'provider.context_length'],
    [403, 'You have used all your 100000 tokens.', 'provider.quota_exhausted'],
  ])('is what it counts: %i %s', (status, message, kind) => {
    expect(said(status, message)).toMatchObject({ kind, retryable: false });
  });
});
