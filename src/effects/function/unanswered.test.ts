/** A function that gave up on its own request, or whose request nobody answered, may have had its effect. */
import { describe, expect, it } from 'vitest';
import { ErrandError, failure, raise } from '../../errors/thrown/errand-error.ts';
import { createResilience } from '../../judging.ts';
import { contextFor, reportOf } from '../effect-port.cases.ts';
import { callFunction, type FunctionRequest } from './call-function.ts';

const outcomeOf = async (
  run: FunctionRequest['run'],
  request: Partial<FunctionRequest> = {},
): Promise<string> =>
  reportOf(
    await callFunction(
      { type: 'call', name: 'pay', run, input: {}, isIdempotent: false, ...request },
      contextFor(),
    ),
  ).outcome;

const STILL = { now: () => 0, sleep: () => Promise.resolve() };
const withResilience = createResilience({ clock: STILL });

const http = (status: number): Error =>
  Object.assign(new Error(`HTTP ${status}`), { status, headers: {}, error: {} });

const aborted = (): Error => new DOMException('This operation was aborted', 'AbortError');

const grpc = (code: number): Error =>
  Object.assign(new Error(`${code}: no connection`), {
    code,
    details: 'no connection',
    metadata: { internalRepr: {} },
  });

/** Throws one after the other, and the last for ever. */
const inTurn = (...thrown: readonly Error[]): (() => never) => {
  let calls = 0;
  return () => {
    throw thrown[Math.min(calls++, thrown.length - 1)];
  };
};

describe('a call with resilience inside a function', () => {
  it.each([
    ['a gateway without a response', () => withResilience(inTurn(http(504)), { retry: 'none' })],
    ['a request that the function aborted', () => withResilience(inTurn(aborted()))],
    [
      'a gateway without a response, and then a refusal',
      () => withResilience(inTurn(http(504), http(401))),
    ],
    [
      'a connection that broke, and then a refusal',
      () =>
        withResilience(inTurn(Object.assign(new Error('x'), { code: 'ECONNRESET' }), http(401))),
    ],
    [
      'a gateway without a response, and then an open breaker',
      () =>
        createResilience({
          clock: STILL,
          breakers: new Map([['bank', { state: 'closed', failures: 4 }]]),
        })(inTurn(http(504)), { breaker: 'bank' }),
    ],
    [
      'a gateway without a response, wrapped by the function',
      async () => {
        try {
          return await withResilience(inTurn(http(504)), { retry: 'none' });
        } catch (cause) {
          throw new Error('The bank is away', { cause });
        }
      },
    ],
  ])('leaves the outcome unknown after %s', async (_, run) => {
    expect(await outcomeOf(run)).toBe('unknown');
  });

  it('has failed after a gateway without a response where it may be repeated', async () => {
    const run = (): Promise<unknown> => withResilience(inTurn(http(504)), { retry: 'none' });
    expect(await outcomeOf(run, { isIdempotent: true })).toBe('failed');
  });

  it('has failed where the server said so each time', async () => {
    expect(await outcomeOf(() => withResilience(inTurn(http(500), http(401))))).toBe('failed');
  });
});

describe('a gRPC call inside a function', () => {
  it.each([1, 4, 14])('that ended with the code %i leaves the outcome unknown', async (code) => {
    expect(await outcomeOf(inTurn(grpc(code)))).toBe('unknown');
    expect(await outcomeOf(inTurn(new Error('Not paid', { cause: grpc(code) })))).toBe('unknown');
  });

  it('that the server refused has failed', async () => {
    expect(await outcomeOf(inTurn(grpc(3)))).toBe('failed');
  });
});

/** Failures of which none may have had an effect, and failures that may. */
const CLOSED: Readonly<Record<string, () => Error>> = {
  'a refused connection': () =>
    Object.assign(new Error('refused'), { code: 'ECONNREFUSED', syscall: 'connect' }),
  'a rate limit': () => http(429),
  'a wrong key': () => http(401),
  'a bug': () => new TypeError('x is not a function'),
};
const OPEN: Readonly<Record<string, () => Error>> = {
  'a gateway without a response': () => http(504),
  'a connection that broke': () => Object.assign(new Error('read'), { code: 'ECONNRESET' }),
  'a gRPC call without a response': () => grpc(14),
};

/** Errors in which libraries hold several failures, or wrap one under a name of their own. */
const HOLDERS: Readonly<Record<string, (failures: readonly Error[]) => unknown>> = {
  'an AggregateError': (failures) => new AggregateError(failures, 'all failed'),
  'the retries of the AI SDK': (failures) =>
    Object.assign(new Error('Failed after 2 attempts'), {
      name: 'AI_RetryError',
      errors: failures,
      lastError: failures.at(-1),
    }),
  'an error with a list of errors': (errors) => Object.assign(new Error('several'), { errors }),
  'a list as the cause': (cause) => new Error('several', { cause }),
  'a SuppressedError': ([first, second]) => new SuppressedError(second, first, 'both'),
  'an AggregateError in another': ([first, second]) =>
    new AggregateError([new AggregateError([first]), new Error('x', { cause: second })]),
};

describe('failures that were thrown together leave the outcome unknown when one of them does', () => {
  const pairs = Object.entries(CLOSED).flatMap(([known, closed]) =>
    Object.entries(OPEN).map(([unknown, open]) => ({
      name: `${known} and ${unknown}`,
      closed,
      open,
    })),
  );
  const cases = Object.entries(HOLDERS).flatMap(([holder, hold]) =>
    pairs.map((pair) => ({ ...pair, holder, hold })),
  );

  it.each(cases)('$holder: $name, in either order', async ({ hold, closed, open }) => {
    const throwing = (thrown: unknown) => () => {
      throw thrown;
    };
    expect(await outcomeOf(throwing(hold([closed(), open()])))).toBe('unknown');
    expect(await outcomeOf(throwing(hold([open(), closed()])))).toBe('unknown');
    expect(await outcomeOf(throwing(hold([closed(), closed()])))).toBe('failed');
  });

  it.each(['inner', 'innerError', 'innerException', 'nested', 'error', 'reason', 'jse_cause'])(
    'one that a wrapper holds as `%s`',
    async (key) => {
      for (const open of Object.values(OPEN))
        expect(await outcomeOf(inTurn(Object.assign(new Error('x'), { [key]: open() })))).toBe(
          'unknown',
        );
    },
  );
});

/** Each is evidence of another request of the same function. */
const refused = (): Error =>
  Object.assign(new Error('connect ECONNREFUSED 127.0.0.1:9'), {
    code: 'ECONNREFUSED',
    syscall: 'connect',
  });
const reset = (): Error =>
  Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET', syscall: 'read' });

describe('several requests inside a function', () => {
  it.each([
    ['one refused and one reset', new AggregateError([refused(), reset()], 'All failed')],
    ['one reset and one refused', new AggregateError([reset(), refused()])],
    ['one rejected and one without a response', new AggregateError([http(401), http(504)])],
    [
      'one that broke, and no connection for the next',
      Object.assign(refused(), { cause: reset() }),
    ],
    ['one that broke, and then a rejected one', Object.assign(http(401), { cause: reset() })],
    ['one that the function aborted among others', new AggregateError([http(400), aborted()])],
    ['the last of several', Object.assign(new Error('Gave up'), { lastError: http(504) })],
    ['a member of a member', new AggregateError([http(401), new AggregateError([reset()])])],
  ])('leave the outcome unknown: %s', async (_, thrown) => {
    expect(await outcomeOf(inTurn(thrown))).toBe('unknown');
    expect(await outcomeOf(inTurn(new Error('Not paid', { cause: thrown })))).toBe('unknown');
  });

  it.each([
    ['none was connected', new AggregateError([refused(), refused()])],
    ['each was rejected', new AggregateError([http(401), http(422)])],
  ])('have failed where %s', async (_, thrown) => {
    expect(await outcomeOf(inTurn(thrown))).toBe('failed');
  });
});

describe('an author is believed', () => {
  it('who raises a kind of their own', async () => {
    const cause = new ErrandError({ kind: 'provider.timeout', message: 'HTTP 504' });
    expect(await outcomeOf(() => raise('bank.closed', 'The bank is closed'))).toBe('failed');
    const raised = failure('bank.closed', 'The bank is closed');
    expect(await outcomeOf(inTurn(Object.assign(raised, { cause })))).toBe('failed');
    expect(await outcomeOf(inTurn(Object.assign(raised, { cause: grpc(14) })))).toBe('failed');
  });
});

const answered = (status: number, more: object = {}): Error =>
  Object.assign(new Error(`HTTP ${status}`), { status, ...more });

describe('a gateway in front of a server that a function wrote to', () => {
  const AXIOS = { name: 'AxiosError', isAxiosError: true, code: 'ERR_BAD_RESPONSE' };
  const CLIENTS: Readonly<Record<string, (status: number) => object>> = {
    axios: (status) => ({
      ...AXIOS,
      config: { method: 'post' },
      response: { status, headers: {}, data: '<html></html>' },
    }),
    got: () => ({ options: { method: 'POST' } }),
    octokit: () => ({ request: { method: 'PATCH', url: 'https://bank.example' } }),
    superagent: (status) => ({ response: { status, req: { method: 'DELETE' } } }),
  };
  const cases = Object.entries(CLIENTS).flatMap(([client, shape]) =>
    [502, 503].map((status) => ({ client, status, thrown: answered(status, shape(status)) })),
  );

  it.each(cases)('may have passed on the request of $client: $status', async ({ thrown }) => {
    expect(await outcomeOf(inTurn(thrown))).toBe('unknown');
    expect(await outcomeOf(inTurn(new Error('Not paid', { cause: thrown })))).toBe('unknown');
    expect(await outcomeOf(inTurn(thrown), { isIdempotent: true })).toBe('failed');
  });

  it.each([502, 520, 522])('has no answer of the server with HTTP %i', async (status) => {
    expect(await outcomeOf(inTurn(answered(status)))).toBe('unknown');
  });

  it.each([
    ['a request that only reads', answered(502, { config: { method: 'get' } })],
    ['a model, which may be asked again', answered(502, { url: 'https://api.openai.com/v1/x' })],
    ['a server that is too busy', answered(503)],
    ['a server that failed', answered(500, { config: { method: 'post' } })],
  ])('has failed for %s', async (_, thrown) => {
    expect(await outcomeOf(inTurn(thrown))).toBe('failed');
  });
});

describe('a database whose connection was lost', () => {
  it.each([
    ['mysql2', { code: 'PROTOCOL_CONNECTION_LOST', fatal: true }],
    ['postgres', { code: 'CONNECTION_CLOSED', errno: 'CONNECTION_CLOSED' }],
    ['SQL, which does not know whether it was resolved', { code: '08007', severity: 'FATAL' }],
    ['SQL, which does not know whether it completed', { code: '40003' }],
    ['SQL, whose connection failed', { code: '08006' }],
    ['Prisma', { code: 'P1017', clientVersion: '7.0.0' }],
    ['MongoDB', { name: 'MongoNetworkError' }],
    ['pg', { message: 'Connection terminated unexpectedly' }],
  ])('may have done the work: %s', async (_, shape) => {
    const lost = Object.assign(new Error('lost'), shape);
    expect(await outcomeOf(inTurn(lost))).toBe('unknown');
    expect(await outcomeOf(inTurn(new Error('Not stored', { cause: lost })))).toBe('unknown');
  });

  it.each([
    ['a constraint', { code: '23505' }],
    ['no connection at all', { code: '08001' }],
  ])('has failed by %s', async (_, shape) => {
    expect(await outcomeOf(inTurn(Object.assign(new Error('x'), shape)))).toBe('failed');
  });
});
