/** Streams that broke before anything of the reply came, by what their faults say. */
import { describe, expect, it } from 'vitest';
import { classify, type Classification } from './classify/classify.ts';
import { extractFailure, type FailureHints } from './extract/extract.ts';

function broken(message: string, name = 'Error', hints?: FailureHints): Classification {
  const failure = extractFailure(
    { status: 200, transport: { name, message }, stream: 'mid-stream' },
    hints,
  );
  if (failure === undefined) throw new Error('nothing was extracted');
  return classify(failure);
}

describe('a stream that broke', () => {
  it.each([
    'socket shut ahead of time, before the first chunk',
    'connection lost; 0 events',
    'the body ended without a single byte',
    'the stream yielded nothing',
    'peer hung up, deltas received: 0',
    'empty event stream from the relay',
    'the stream ended without emitting anything',
    'Verbindung weg, bevor das erste Wort kam',
  ])('before anything came may be sent again: %s', (message) => {
    expect(broken(message)).toMatchObject({
      kind: 'provider.stream_interrupted',
      category: 'transient',
      retryable: true,
    });
  });

  it.each([
    "Connection broken: InvalidChunkLength(got length b'', 0 bytes read)",
    'peer closed connection without sending complete message body (incomplete chunked read)',
    'half an answer, and then no data',
    'no chunk for 60 s',
    'stream ended before message_stop, 4 deltas and no output item',
    'no close frame received or sent',
    'stream ended without finish_reason',
    'Connection closed before the reply was finished',
  ])('after something may have come may not: %s', (message) => {
    expect(broken(message)).toMatchObject({ category: 'ambiguous', retryable: false });
  });

  it('is judged by what its caller saw, whatever the fault says', () => {
    const message = 'connection lost before the first chunk';
    expect(broken(message, 'Error', { delivered: true }).retryable).toBe(false);
  });

  it('may have created what the request was to create', () => {
    const message = 'connection lost before the first chunk';
    expect(broken(message, 'Error', { operation: 'submit' }).retryable).toBe(false);
  });

  it('is late where its first part did not come in time', () => {
    const late = broken('gave up: no first token within the limit');
    expect(late).toMatchObject({ kind: 'provider.timeout', retryable: true });
  });
});

describe('an error that a client throws out of a stream', () => {
  it.each([
    ['content_filter', 'halted', 'provider.content_filter'],
    ['overloaded_error', 'Overloaded', 'provider.overloaded'],
    ['invalid_api_key', 'the socket is being closed', 'provider.auth'],
    ['rate_limit_error', 'the minute is full', 'provider.rate_limited'],
    ['Error', '{"error":{"message":"Balance too low","code":402}}', 'provider.quota_exhausted'],
  ])('says why the stream ended: %s %s', (name, message, kind) => {
    expect(broken(message, name).kind).toBe(kind);
  });

  it.each([
    ['Error', 'got 3 content blocks and then the line was dead'],
    ['MalformedChunkCodingException', 'Bad chunk header: half a line'],
    ['Error', 'UNAVAILABLE: stream removed'],
    ['Error', 'overloaded or not, upstream cut us off'],
  ])('only says how it ended: %s %s', (name, message) => {
    expect(broken(message, name).kind).toBe('provider.stream_interrupted');
  });
});
