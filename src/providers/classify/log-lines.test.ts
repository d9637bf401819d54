/** Failures as a log or an agent prints them: what a response had in fields stands in a line of text. */
import { describe, expect, it } from 'vitest';
import type { ProviderFailure } from '../provider-failure.ts';
import { classify } from './classify.ts';

const BARE: ProviderFailure = {
  operation: 'generate',
  headers: {},
  phase: 'sent',
  delivered: false,
  source: 'test',
};

const kindOf = (body: unknown, more: Partial<ProviderFailure> = {}): string =>
  classify({ ...BARE, ...more, body }).kind;

describe('a status in a line of text', () => {
  it.each([
    ['call failed: Acme 401: no entry', 'provider.auth'],
    ['the request was rejected (429)', 'provider.rate_limited'],
    ['acme API returned 500: boom', 'provider.server_error'],
    ['POST "https://acme.test/v1": 402 Payment Required', 'provider.quota_exhausted'],
    ['AcmeError: 413 of the edge', 'provider.request_too_large'],
    ['completion failed: 404 Not Found', 'provider.model_not_found'],
  ])('counts: %s', (line, kind) => {
    expect(kindOf(line)).toBe(kind);
  });

  it.each(['the agent wrote 429 lines', 'it took 503 seconds', 'row 404.5 is odd'])(
    'is none: %s',
    (line) => {
      expect(kindOf(line)).toBe('provider.unknown');
    },
  );

  it.each([
    ['upstream returned 401: go away', 'provider.auth'],
    ['the provider responded with status 403', 'provider.permission'],
    ['request failed with status code 404', 'provider.model_not_found'],
  ])('is that of the upstream under a 502: %s', (message, kind) => {
    expect(kindOf({ error: { message } }, { status: 502 })).toBe(kind);
  });

  it('does not overrule a refusal of the gateway itself', () => {
    const message = 'upstream returned 401: go away';
    expect(kindOf({ error: { message } }, { status: 429 })).toBe('provider.rate_limited');
  });
});

describe('a code in a line of text', () => {
  it.each([
    ['It did not work. Error Code: rate_limited', 'provider.rate_limited'],
    ['no (code=insufficient_quota)', 'provider.quota_exhausted'],
    ['failed, reason: context_length_exceeded', 'provider.context_length'],
    ['[model_not_found] sorry', 'provider.model_not_found'],
    ['overloaded_error', 'provider.overloaded'],
  ])('counts: %s', (line, kind) => {
    expect(kindOf(line)).toBe(kind);
  });

  it('does not count where it is only mentioned', () => {
    expect(kindOf('the tool named cyber_policy ran')).toBe('provider.unknown');
  });
});

describe('a status at the end of a line', () => {
  it.each([
    ['Execution failed: Error: Failed to list models: 403', 'provider.permission'],
    ['Error calling API: 500', 'provider.server_error'],
    ['upload failed - 503', 'provider.overloaded'],
    ['Failed to embed, limit: 500', 'provider.unknown'],
    ['It took 403', 'provider.unknown'],
  ])('counts where it is all that is said of the failure: %s', (line, kind) => {
    expect(kindOf(line)).toBe(kind);
  });
});

describe('a WebSocket that was closed with a reason', () => {
  it.each([
    [
      'closed (code: 1008, reason: Operation is not implemented, or supported, or enabled.)',
      'provider.unsupported',
    ],
    ['WebSocket closed: code=1008 reason=Invalid API key', 'provider.auth'],
    [
      "{code: 1011, reason: 'You exceeded your current quota', wasClean: true}",
      'provider.quota_exhausted',
    ],
    ['connection closed (code: 1006, reason: )', 'provider.network'],
    ['received 1008 (policy violation) Your key is not valid; then sent 1008', 'provider.auth'],
  ])('failed for that reason: %s', (message, kind) => {
    expect(classify({ ...BARE, transport: { name: 'Error', message } }).kind).toBe(kind);
  });

  it.each([
    ['received 1011 (internal error) The service is currently unavailable', 'provider.overloaded'],
    ['received 1001 (going away) The session was long', 'provider.stream_interrupted'],
  ])('failed for it in the middle of a session too, unless it went away: %s', (message, kind) => {
    const transport = { name: 'ConnectionClosedError', message };
    const found = classify({ ...BARE, transport, phase: 'streaming', delivered: true });
    expect(found).toMatchObject({ kind, category: 'ambiguous' });
  });
});

describe('a message that only says how long to wait', () => {
  it('is one about a limit', () => {
    expect(classify({ ...BARE, body: 'Grmpf: wait 5 s' })).toMatchObject({
      kind: 'provider.rate_limited',
      rule: 'rate.stated-wait',
      retryAfterMs: 5_000,
    });
    expect(kindOf('It ran for 5 seconds')).toBe('provider.unknown');
  });
});

describe('a fault in a line of text', () => {
  it.each([
    ['Request failed: error sending request for url (http://127.0.0.1:1/v1)', 'transient'],
    ['dial tcp 127.0.0.1:11434: connect: connection refused', 'transient'],
    ['x509: certificate signed by unknown authority', 'configuration'],
  ])('is one of the network: %s', (line, category) => {
    expect(classify({ ...BARE, body: line })).toMatchObject({ kind: 'provider.network', category });
  });

  it('is a setting where the address has no scheme', () => {
    expect(
      classify({ ...BARE, body: "Request URL is missing an 'http://' protocol." }),
    ).toMatchObject({ kind: 'provider.invalid_request', category: 'configuration' });
  });
});

describe('a response in a line of text', () => {
  it('is read up to where the log cut it off', () => {
    const line = 'scoring failed (Acme: {"error":{"message":"Provider error","code":429,"metada)';
    expect(kindOf(line)).toBe('provider.rate_limited');
  });

  it('is read where a terminal broke its lines', () => {
    const line =
      'Error: {"error":{"type":"invalid_request_error","message":"tools.3.x.input_schema: \n  no"}}';
    expect(kindOf(line, { status: 400 })).toBe('provider.tool_schema');
  });

  it('is read with the tuples of Python', () => {
    const line = "[{'type': 'missing', 'loc': ('body',), 'msg': 'Field needed', 'input': None}]";
    expect(classify({ ...BARE, status: 400, body: line })).toMatchObject({
      kind: 'provider.invalid_request',
      category: 'configuration',
      rule: 'parameter.no-body',
    });
  });

  it('is where the reply of a command-line agent would be, when the agent says that it failed', () => {
    const result = 'API Error: the model is overloaded';
    expect(kindOf({ type: 'result', subtype: 'success', is_error: true, result })).toBe(
      'provider.overloaded',
    );
    expect(kindOf({ type: 'result', is_error: true, api_error_status: 403, result: 'No' })).toBe(
      'provider.permission',
    );
  });

  it('may have a sentence for its status', () => {
    expect(kindOf({ id: '1', status: 'Content Moderated' }, { status: 200 })).toBe(
      'provider.content_filter',
    );
  });
});
