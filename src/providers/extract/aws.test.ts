import { describe, expect, it } from 'vitest';
import { extractFailure } from './extract.ts';

class ThrottlingException extends Error {
  static readonly shapeId = 'com.amazonaws.bedrockruntime#ThrottlingException';
  override readonly name = 'ThrottlingException';
  readonly $fault = 'client';
  readonly $metadata: object | undefined;

  constructor(message: string, $metadata?: object, $response?: object) {
    super(message);
    this.$metadata = $metadata;
    if ($response !== undefined) Object.defineProperty(this, '$response', { value: $response });
  }
}

const ANSWER = {
  statusCode: 429,
  headers: { 'x-amzn-requestid': 'r1', 'retry-after': '3' },
  body: { pipe: () => undefined },
};

describe('the AWS client', () => {
  it('names the exception and keeps the message', () => {
    const thrown = new ThrottlingException('Too many requests', { httpStatusCode: 429 }, ANSWER);
    expect(extractFailure(thrown)).toMatchObject({
      source: 'aws',
      provider: 'bedrock',
      status: 429,
      code: 'ThrottlingException',
      headers: { 'x-amzn-requestid': 'r1', 'retry-after': '3' },
      body: { message: 'Too many requests' },
      phase: 'headers',
    });
  });

  it('has no status for an exception in the middle of an event stream', () => {
    expect(extractFailure(new ThrottlingException('Too many requests'))).toMatchObject({
      status: 200,
      code: 'ThrottlingException',
      phase: 'streaming',
      delivered: true,
    });
  });

  it('has read nothing else when the first event is the exception', () => {
    const response = { statusCode: 200, headers: {} };
    const thrown = new ThrottlingException('Too many requests', undefined, response);
    expect(extractFailure(thrown)).toMatchObject({ phase: 'streaming', delivered: false });
  });

  it('gives exceptions that it does not know only a name', () => {
    const thrown = Object.assign(new Error('{"message":"Rate limit exceeded"}'), {
      name: 'ThrottlingException',
    });
    expect(extractFailure(thrown)).toMatchObject({
      code: 'ThrottlingException',
      body: { message: 'Rate limit exceeded' },
      phase: 'streaming',
    });
  });

  it('keeps the status of a response that it cannot read', () => {
    const thrown = Object.assign(new SyntaxError('Unexpected token < in JSON'), {
      $metadata: { httpStatusCode: 503 },
      $response: { statusCode: 503, headers: { server: 'x' }, body: '<html></html>' },
    });
    expect(extractFailure(thrown)).toMatchObject({
      status: 503,
      headers: { server: 'x' },
      body: '<html></html>',
      phase: 'headers',
    });
  });

  it('calls a broken socket a timeout, and the code says what happened', () => {
    const thrown = Object.assign(new Error('socket hang up'), {
      name: 'TimeoutError',
      code: 'ECONNRESET',
      $metadata: { attempts: 1 },
    });
    const failure = extractFailure(thrown);
    expect(failure).toMatchObject({ transport: { name: 'Error', code: 'ECONNRESET' } });
    expect(failure).not.toHaveProperty('finding');
  });

  it('cannot start without credentials', () => {
    const thrown = Object.assign(new Error('Could not load credentials'), {
      name: 'CredentialsProviderError',
    });
    expect(extractFailure(thrown)?.finding).toBe('api_key_missing');
  });
});
