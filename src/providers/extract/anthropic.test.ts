import { describe, expect, it } from 'vitest';
import { extractFailure } from './extract.ts';

function anthropicError(fields: object, message: string, name = 'APIError'): Error {
  return Object.assign(new Error(message), {
    name,
    status: undefined,
    headers: undefined,
    requestID: undefined,
    error: undefined,
    apiMessage: null,
    type: null,
    ...fields,
  });
}

const BODY = { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } };

describe('the Anthropic client', () => {
  it('keeps the whole body', () => {
    const headers = new Headers({ 'retry-after': '16', 'request-id': 'req_1' });
    const thrown = anthropicError(
      { status: 529, headers, error: BODY },
      '529 {…}',
      'OverloadedError',
    );
    expect(extractFailure(thrown)).toMatchObject({
      source: 'anthropic',
      provider: 'anthropic',
      status: 529,
      headers: { 'retry-after': '16', 'request-id': 'req_1' },
      body: BODY,
    });
  });

  it('has headers and no status for an error event', () => {
    const thrown = anthropicError({ headers: new Headers(), error: BODY }, '{…}');
    expect(extractFailure(thrown)).toMatchObject({
      status: 200,
      phase: 'streaming',
      delivered: true,
      body: BODY,
    });
  });

  it('keeps text behind the status', () => {
    const thrown = anthropicError({ status: 502, headers: {} }, '502 Bad gateway');
    expect(extractFailure(thrown)?.body).toBe('Bad gateway');
  });

  it.each([
    ['Request timed out.', 'timed_out'],
    ['Request was aborted.', 'aborted'],
  ])('says "%s"', (message, finding) => {
    expect(extractFailure(anthropicError({}, message))?.finding).toBe(finding);
  });

  it('reports its own wrong settings', () => {
    const key = Object.assign(new Error('The `apiKey` function failed: no'), {
      name: 'AnthropicError',
    });
    const use = Object.assign(new Error('Streaming is required for long operations'), {
      name: 'AnthropicError',
    });
    expect(extractFailure(key)?.finding).toBe('api_key_missing');
    expect(extractFailure(use)?.finding).toBe('invalid_prompt');
  });

  it.each([
    'Failed to parse structured output: SyntaxError',
    'Unable to parse tool parameter JSON from model. Please retry your request',
  ])('reports a bad response: %s', (message) => {
    const thrown = Object.assign(new Error(message), { name: 'AnthropicError' });
    expect(extractFailure(thrown)?.finding).toBe('output_unparsable');
  });

  it('shares its shape with other clients, which are distinguished', () => {
    const error = { error: { message: 'Rate limit reached', code: 'rate_limit_exceeded' } };
    const groq = Object.assign(new Error('429 {…}'), { status: 429, headers: {}, error });
    expect(extractFailure(groq)).toMatchObject({ status: 429, body: error });
    expect(extractFailure(groq)).not.toHaveProperty('provider');
  });
});
