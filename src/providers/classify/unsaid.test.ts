/** Failures whose words stand where few servers put them, or that have no words at all. */
import { describe, expect, it } from 'vitest';
import { extractFailure } from '../extract/extract.ts';
import { classify, type Classification } from './classify.ts';

function classified(status: number | null, body: unknown, stream = false): Classification {
  const failure = extractFailure({
    status,
    headers: {},
    body,
    transport: null,
    stream: stream ? 'mid-stream' : false,
  });
  if (failure === undefined) throw new Error('It is a failure');
  return classify(failure);
}

describe('an event of a stream', () => {
  it('that is a code and a message is an error', () => {
    const body = 'data:{"code":"InvalidApiKey","message":"No such key","request_id":"x"}\n\n';
    expect(classified(200, body, true)).toMatchObject({ kind: 'provider.auth', retryable: false });
  });

  it('that has choices is none, whatever code it has', () => {
    const event = { code: 200, message: 'ok', choices: [{ delta: { content: 'Hel' } }] };
    const body = `data:${JSON.stringify(event)}\n\n`;
    expect(classified(200, body, true).kind).toBe('provider.stream_interrupted');
  });
});

describe('an error without words', () => {
  it('says what it is by the names of its fields', () => {
    const error = { unsupported_parameters: ['tools'] };
    expect(classified(422, { error }).kind).toBe('provider.unsupported');
  });

  it('is a refusal of the content where a guardrail flagged it', () => {
    const guardrail = [{ flagged: true, categories: { privacy: true, violence: false } }];
    const body = { message: JSON.stringify({ input_guardrail: guardrail }) };
    expect(classified(400, body).kind).toBe('provider.content_filter');
    const clean = { message: JSON.stringify({ input_guardrail: [{ flagged: false }] }) };
    expect(classified(400, clean).kind).toBe('provider.invalid_request');
  });
});

describe('a message', () => {
  it('is read in fields that are named after it', () => {
    const body = { status: 'error', short_message: 'error_audio_too_long', detail_message: '' };
    expect(classified(200, body).kind).toBe('provider.request_too_large');
  });

  it('of curl is about the way, also where it prints the status of a proxy', () => {
    expect(classified(null, 'curl: (56) CONNECT tunnel failed, response 403')).toMatchObject({
      kind: 'provider.network',
      category: 'configuration',
    });
  });
});

describe('what contradicts a code', () => {
  it.each([
    [401, 'invalid_api_key', 'This key reached its usage limit', 'provider.quota_exhausted'],
    [401, 'auth_error', 'Not allowed to access the model by its tags', 'provider.permission'],
    [403, 'model_not_found', 'The project does not have access to it', 'provider.permission'],
    [400, 'LimitExceeded', 'These service limits were exceeded: gpu', 'provider.quota_exhausted'],
  ])('%i %s: %s', (status, code, message, kind) => {
    expect(classified(status, { error: { code, message } }).kind).toBe(kind);
  });
});

describe('what is not there under 404', () => {
  it.each(["Job doesn't exist or has expired.", 'Task not found', 'No such batch'])(
    'is what the request points at: %s',
    (message) => {
      expect(classified(404, { error: { message } }).kind).toBe('provider.invalid_request');
    },
  );
});
