/** Responses inside the text of another one: which of them counts. */
import { describe, expect, it } from 'vitest';
import type { ProviderFailure } from '../provider-failure.ts';
import { classify } from './classify.ts';

const failed = (status: number, body: unknown): ProviderFailure => ({
  operation: 'generate',
  headers: {},
  phase: 'headers',
  delivered: false,
  source: 'test',
  status,
  body,
});

const nested = (type: string): string =>
  JSON.stringify({ error: { type, message: 'the upstream’s own words' } });

describe('a response within the text of another', () => {
  it.each([
    ['invalid_request_error', 500, 'provider.invalid_request'],
    ['invalid_request_error', 503, 'provider.invalid_request'],
    ['authentication_error', 502, 'provider.auth'],
    ['permission_error', 500, 'provider.permission'],
    ['not_found_error', 500, 'provider.model_not_found'],
    ['rate_limit_error', 500, 'provider.rate_limited'],
    ['overloaded_error', 400, 'provider.overloaded'],
    ['api_error', 400, 'provider.server_error'],
  ])('counts more than its wrapper: %s under %i', (type, status, kind) => {
    const texts = [
      `API error: ${nested(type)}`,
      `upstream said ${nested(type)} (request id: 1)`,
      `Error: ${JSON.stringify(nested(type))}`,
    ];
    for (const text of texts) {
      const wrapper = { type: 'internal_error', code: String(status), message: text };
      expect(classify(failed(status, { error: wrapper })).kind).toBe(kind);
      expect(classify(failed(status, text)).kind).toBe(kind);
    }
  });

  it('is not what the sentence quotes of the request', () => {
    const quoted = 'Could not run {"name":"permission","type":"authentication"} here';
    expect(classify(failed(500, { error: { message: quoted } })).kind).not.toBe(
      'provider.permission',
    );
  });

  it('does not overrule a status that is clear by itself', () => {
    const text = `API error: ${nested('invalid_request_error')}`;
    expect(classify(failed(429, { error: { message: text } })).kind).toBe('provider.rate_limited');
  });

  it('is also recognised by the name of an exception', () => {
    const text = 'gateway.BadRequestError: content must be a string';
    expect(classify(failed(500, { error: { message: text } })).kind).toBe(
      'provider.invalid_request',
    );
  });
});
