import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ENTRIES } from '../../../test/corpus/entries.ts';
import { aiError, apiCallError } from './ai-sdk-errors.cases.ts';
import { extractFailure } from './extract.ts';
import { runs } from '../../../test/runs.ts';

describe('wrappers of any depth', () => {
  it('do not hide the failure', () => {
    const failure = apiCallError({ statusCode: 429, responseBody: '{}' });
    const wrapped = new Error('node failed', {
      cause: new Error('agent failed', { cause: failure }),
    });
    expect(extractFailure(wrapped)).toMatchObject({ source: 'ai-sdk', status: 429 });
  });

  it('end', () => {
    const loop: { cause?: unknown; lastError?: unknown } = {};
    loop.cause = loop;
    loop.lastError = [loop, { error: loop }];
    expect(extractFailure(loop)).toBeUndefined();
  });

  it('do not replace the status of an SDK’s response', () => {
    const cause = apiCallError({ statusCode: 401, responseBody: '{}' });
    const outer = Object.assign(new Error('Bad gateway', { cause }), { status: 502 });
    expect(extractFailure(outer)).toMatchObject({ status: 401 });
  });

  it('give the fault below a response that broke off', () => {
    const socket = Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' });
    const thrown = apiCallError({ statusCode: 500, cause: socket });
    expect(extractFailure(thrown)).toMatchObject({
      status: 500,
      phase: 'headers',
      transport: { code: 'ECONNRESET' },
    });
  });
});

describe('bodies', () => {
  it('are copies that nothing can change or trap', () => {
    const error = {
      message: 'x',
      get code(): string {
        throw new Error('trap');
      },
    };
    const failure = extractFailure({ status: 400, body: { error, self: undefined as unknown } });
    error.message = 'changed';
    expect(failure?.body).toEqual({ error: { message: 'x' } });
  });

  it('are cut beyond what is read', () => {
    const body = Array.from({ length: 100_000 }, (_, index) => ({ index }));
    expect(JSON.stringify(extractFailure({ status: 400, body })?.body).length).toBeLessThan(
      300_000,
    );
  });
});

describe('any value at all', () => {
  const poisons = [
    new Proxy(
      {},
      {
        get: () => {
          throw new Error('get');
        },
      },
    ),
    new Proxy(
      {},
      {
        has: () => {
          throw new Error('has');
        },
      },
    ),
    new Proxy([], {
      getOwnPropertyDescriptor: () => {
        throw new Error('own');
      },
    }),
    Proxy.revocable({}, {}).proxy,
    new Proxy(() => undefined, {}),
    Object.create(null) as object,
  ];
  const revoked = Proxy.revocable([], {});
  revoked.revoke();

  it.each([...poisons, revoked.proxy].map((poison, index) => ({ index, poison })))(
    'survives hostile value $index in every position',
    ({ poison }) => {
      const positions = [
        poison,
        { cause: poison },
        { type: 'error', error: poison },
        { status: poison, headers: poison, error: poison, param: poison, message: poison },
        { status: 429, headers: poison, body: poison, transport: poison },
        { isAxiosError: true, response: poison, config: poison },
        { isError: true, content: poison },
        { $fault: poison, $metadata: poison, $response: poison },
        { [Symbol.for('mcp.sdk.errorBrands')]: poison },
        { statusCode: 400, rawResponse: poison, headers: poison, body: poison },
        apiCallError({ responseHeaders: poison, responseBody: poison, requestBodyValues: poison }),
        aiError('RetryError', { lastError: poison, errors: poison }),
        Object.assign(new AggregateError([]), { errors: poison }),
      ];
      for (const position of positions) expect(() => extractFailure(position)).not.toThrow();
    },
  );

  it('gives an envelope or nothing', () => {
    const shapes = fc.constantFrom<readonly string[]>(
      ['status', 'headers', 'body', 'transport', 'stream'],
      ['status', 'headers', 'error', 'param', 'message'],
      ['name', 'message', 'code', 'cause', 'stack'],
      ['statusCode', 'rawResponse', 'body', 'response', 'data'],
      ['isAxiosError', 'isError', 'content', '$fault', '$metadata'],
      ['finishReason', 'rawFinishReason', 'type', 'error', 'lastError'],
    );
    const value = shapes.chain((keys) =>
      fc.record(Object.fromEntries(keys.map((key) => [key, fc.anything()]))),
    );
    fc.assert(
      fc.property(
        fc.oneof(value, fc.anything({ withBigInt: true, withNullPrototype: true })),
        (any) => {
          const failure = extractFailure(any);
          return (
            failure === undefined ||
            (typeof failure.headers === 'object' && typeof failure.delivered === 'boolean')
          );
        },
      ),
      { numRuns: runs(2000) },
    );
  });

  it('survives what is left of real failures when parts go wrong', () => {
    const fields = ['status', 'headers', 'body', 'transport', 'stream', 'provider', 'operation'];
    fc.assert(
      fc.property(
        fc.constantFrom(...ENTRIES),
        fc.constantFrom(...fields),
        fc.anything(),
        (entry, field, junk) => {
          extractFailure({ ...entry, [field]: junk });
        },
      ),
      { numRuns: runs(2000) },
    );
  });
});
