import { describe, expect, it } from 'vitest';
import { extractFailure } from '../extract/extract.ts';
import { classify } from './classify.ts';

function kindOf(status: number, error: object): string {
  const call = { provider: 'gateway', api: '', operation: 'generate', stream: false };
  const failure = extractFailure({
    ...call,
    status,
    headers: {},
    body: { error },
    transport: null,
  });
  if (failure === undefined) throw new Error('the entry was not recognised as a failure');
  return classify(failure).kind;
}

describe('the place of a word', () => {
  it.each([
    ['The model is not available', 'provider.model_not_found'],
    ['Prefill is not available for this model', 'provider.unsupported'],
    ['The model `x` is an image model and not available on this endpoint', 'provider.unsupported'],
    ['Model does not support this API', 'provider.unsupported'],
    ['foo is not a supported model', 'provider.model_not_found'],
    ['Could not verify credentials supplied', 'provider.auth'],
    ['No credits that were bought are left', 'provider.quota_exhausted'],
    ['A tool_call_id of the history is not found in tool_calls', 'provider.invalid_request'],
    ['The parameters of tool 3 are missing', 'provider.tool_schema'],
    ['Your country is not supported', 'provider.permission'],
    ['The field countryCode was not provided', 'provider.invalid_request'],
  ])('tells what is spoken of: %s', (message, kind) => {
    expect(kindOf(400, { message })).toBe(kind);
  });

  it('tells a token that opens an account from a right of access', () => {
    expect(kindOf(401, { message: 'Unauthorized: no access token supplied' })).toBe(
      'provider.auth',
    );
    expect(kindOf(401, { message: 'You have no access to this organization' })).toBe(
      'provider.permission',
    );
  });
});

describe('the words of a code', () => {
  it.each([
    [400, 'RUN_IN_PROGRESS', 'provider.conflict'],
    [400, 'modelOffline', 'provider.model_not_found'],
    [503, 'modelOffline', 'provider.overloaded'],
    [400, 'TooManyTokens', 'provider.context_length'],
    [400, 'unsupported_audio_format', 'provider.invalid_request'],
    [400, 'AUDIO_NOT_SUPPORTED', 'provider.unsupported'],
    [400, 'media_budget_exceeded', 'provider.request_too_large'],
    [400, 'budget_exceeded', 'provider.quota_exhausted'],
    [403, 'plan_limit_exceeded', 'provider.quota_exhausted'],
    [403, 'quota.per_minute', 'provider.rate_limited'],
    [400, 'feature.not_in_plan', 'provider.permission'],
    [200, 'systemError', 'provider.server_error'],
  ])('count like those of a sentence: %i %s', (status, code, kind) => {
    expect(kindOf(status, { code, message: 'No' })).toBe(kind);
  });
});
