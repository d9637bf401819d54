import { spawn } from 'node:child_process';
import { getEventListeners, once } from 'node:events';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ErrandError, failure, raise } from '../../errors/thrown/errand-error.ts';
import { isKindName } from '../../errors/catalog/kinds.ts';
import { partial } from '../../workflow/authoring/partial.ts';
import { renderProblem } from '../../errors/render/problem-document.ts';
import {
  contextFor,
  failureOf,
  processesWith,
  reportOf,
  SECRET,
  standStill,
} from '../effect-port.cases.ts';
import type { EffectContext, EffectResult } from '../effect-port.ts';
import { callFunction, type FunctionRequest } from './call-function.ts';

type Run = FunctionRequest['run'];

function call(
  run: Run,
  request: Partial<FunctionRequest> = {},
  changes: Partial<EffectContext> = {},
): Promise<EffectResult> {
  return callFunction(
    { type: 'call', name: 'lookup', run, input: { id: 7 }, isIdempotent: false, ...request },
    contextFor(changes),
  );
}

const unhandled: unknown[] = [];
const note = (thrown: unknown): void => void unhandled.push(thrown);
beforeEach(() => process.on('unhandledRejection', note));
afterEach(() => {
  process.off('unhandledRejection', note);
  expect(unhandled).toEqual([]);
});

const ignoresSignal: Run = () => new Promise(() => {});

const endsOnSignal: Run = (_, { signal }) =>
  new Promise((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
  });

/** Throws at whatever is asked of it. */
function hostile(): object {
  const refuse = (): never => {
    throw new Error('trap');
  };
  return new Proxy({}, { get: refuse, ownKeys: refuse, getPrototypeOf: refuse, has: refuse });
}

describe('a thrown value that nothing may be asked of', () => {
  it.each(['call', 'tool'] as const)('fails a %s like any other', async (type) => {
    const kind = type === 'call' ? 'call.failed' : 'tool.failed';
    const thrown = hostile();
    const sync = await call(
      () => {
        throw thrown;
      },
      { type },
    );
    expect(failureOf(sync).failure).toMatchObject({ kind, retryable: null });
    const rejected = await call(() => Promise.reject(thrown), {
      type,
      keepsTruncated: true,
    });
    expect(failureOf(rejected).failure).toMatchObject({ kind, retryable: null });
  });
});

describe('a function', () => {
  it('receives its input and the context of its call', async () => {
    const result = await call(
      (input, { attempt, idempotencyKey, signal }) => ({
        input,
        attempt,
        idempotencyKey,
        aborted: signal.aborted,
      }),
      {},
      { attempt: 2 },
    );
    expect(result).toEqual({
      ok: true,
      output: { input: { id: 7 }, attempt: 2, idempotencyKey: 'key-1', aborted: false },
    });
  });

  it('may return at once, later, or nothing', async () => {
    expect(await call(() => 1)).toEqual({ ok: true, output: 1 });
    expect(await call(() => Promise.resolve('x'))).toEqual({ ok: true, output: 'x' });
    expect(await call(() => undefined)).toEqual({ ok: true, output: null });
  });

  it('cannot change what the run holds', async () => {
    const input = { list: [1] };
    await call((input) => (input as { list: number[] }).list.push(2), { input });
    expect(input).toEqual({ list: [1] });
  });

  it('reports its progress while it runs, and a listener that throws has no effect', async () => {
    const events: unknown[] = [];
    let later: (() => void) | undefined;
    const result = await call(
      (_, { progress }) => {
        progress({ done: 1 });
        later = () => progress({ done: 2 });
        return 1;
      },
      {},
      {
        progress: (value) => {
          events.push(value);
          throw new Error('watcher');
        },
      },
    );
    later?.();
    expect(events).toEqual([{ done: 1 }]);
    expect(result.ok).toBe(true);
  });

  it('has configured secrets removed from its output', async () => {
    expect(await call(() => ({ [SECRET]: [`a ${SECRET}`] }))).toEqual({
      ok: true,
      output: { '[redacted]': ['a [redacted]'] },
    });
  });

  it('returns dates and own classes as JSON does', async () => {
    class Order {
      id = 7;
      at = new Date(0);
      note = undefined;
    }
    expect(await call(() => new Order())).toEqual({
      ok: true,
      output: { id: 7, at: '1970-01-01T00:00:00.000Z' },
    });
  });
});

describe('a throw', () => {
  it('of raise is that kind', async () => {
    const result = await call(() => {
      throw raise('external.order.missing', 'No such order', { id: 7 });
    });
    expect(reportOf(result)).toMatchObject({
      kind: 'external.order.missing',
      message: 'No such order',
      details: { id: 7 },
      outcome: 'failed',
    });
    expect(failureOf(result).failure).not.toHaveProperty('id');
    expect(failureOf(result).thrown).toBeInstanceOf(ErrandError);
  });

  it('of an own error class with an unreserved kind is a raise', async () => {
    const thrown = Object.assign(new Error('gone'), { kind: 'order.missing', details: { id: 1 } });
    expect(reportOf(await call(() => Promise.reject(thrown)))).toMatchObject({
      kind: 'order.missing',
      class: 'domain',
      details: { id: 1 },
    });
  });

  it('of an error that claims a reserved kind is not believed', async () => {
    const thrown = Object.assign(new Error('mine'), { kind: 'provider.auth' });
    expect(reportOf(await call(() => Promise.reject(thrown))).kind).toBe('call.failed');
  });

  it('of what a provider’s SDK throws is what it means', async () => {
    const thrown = Object.assign(new Error('Rate limit'), {
      name: 'AI_APICallError',
      statusCode: 429,
      url: 'https://api.openai.com/v1/chat/completions',
      responseHeaders: { 'retry-after': '7' },
      responseBody:
        '{"error":{"message":"Rate limit reached","type":"requests","code":"rate_limit_exceeded"}}',
      isRetryable: true,
    });
    expect(reportOf(await call(() => Promise.reject(thrown)))).toMatchObject({
      kind: 'provider.rate_limited',
      retryable: true,
      provider: { retryAfterMs: 7000 },
    });
  });

  it.each([
    [
      'aborted by a controller of its own',
      new DOMException('This operation was aborted', 'AbortError'),
    ],
    [
      'ended by the timeout of its client',
      Object.assign(new Error('network timeout at: http://127.0.0.1/'), {
        name: 'FetchError',
        type: 'request-timeout',
      }),
    ],
  ])('of a request that was %s leaves its outcome unknown', async (_, thrown) => {
    expect(reportOf(await call(() => Promise.reject(thrown)))).toMatchObject({
      outcome: 'unknown',
    });
  });

  it('of another Errand keeps its kind and drops the location in that one’s files', async () => {
    const thrown = (kind: string): Run => {
      const { report } = new ErrandError({ kind, message: 'Paid?', location: { node: 'pay' } });
      return () => {
        throw renderProblem(report) as unknown as Error;
      };
    };
    const doubt = reportOf(await call(thrown('effect.outcome_unknown')));
    expect(doubt).toMatchObject({ kind: 'effect.outcome_unknown', outcome: 'unknown' });
    expect(doubt).not.toHaveProperty('location');
    // failures of the other engine must not end this run: a route can take them
    for (const kind of ['store.corrupt', 'cancelled.run', 'run.drifted', 'internal.invariant']) {
      const report = reportOf(await call(thrown(kind), { type: 'tool' }));
      expect(report).toMatchObject({ kind: 'tool.failed', cause: { kind } });
      expect(report).not.toHaveProperty('location');
    }
  });

  it.each([
    'halt.intentional',
    'store.unavailable',
    'run.drifted',
    'request.invalid',
    'workflow.not_found',
    'internal.unexpected',
    'internal.invariant',
  ])(
    'of %s, which only the runtime may end a run with, is one that a route can take',
    async (kind) => {
      const thrown = (): never => {
        throw new ErrandError({ kind, message: 'Mine', location: { node: 'other' } });
      };
      const called = reportOf(await call(thrown));
      expect(called).toMatchObject({ kind: 'call.failed', message: 'Mine', cause: { kind } });
      expect(called).not.toHaveProperty('location');
      const tool = reportOf(await call(thrown, { type: 'tool' }));
      expect(tool).toMatchObject({ kind: 'tool.failed', cause: { kind } });
      const beside = await call(() => partial(1, [new ErrandError({ kind, message: 'Mine' })]));
      expect(beside).toMatchObject({
        ok: true,
        errors: [{ kind: 'call.failed', cause: { kind } }],
      });
    },
  );

  it.each([
    'provider.rate_limited',
    'tool.timeout',
    'limit.budget',
    'validation.input',
    'order.gone',
  ])('of %s keeps its kind', async (kind) => {
    const thrown = (): never => {
      throw new ErrandError({ kind, message: 'Mine' });
    };
    expect(reportOf(await call(thrown))).toMatchObject({ kind, message: 'Mine' });
  });

  it('of anything else is call.failed, in a tool tool.failed', async () => {
    const run: Run = () => {
      throw new TypeError(`broken by ${SECRET}`);
    };
    expect(reportOf(await call(run))).toMatchObject({
      kind: 'call.failed',
      retryable: null,
      message: 'broken by [redacted]',
    });
    expect(reportOf(await call(run, { type: 'tool' }))).toMatchObject({
      kind: 'tool.failed',
      retryable: null,
    });
  });

  it('of any value at all is a typed failure', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.anything({ withNullPrototype: true, withBigInt: true, withMap: true }),
        async (thrown) => {
          const result = await call(() => {
            throw thrown;
          });
          expect(isKindName(failureOf(result).failure.kind)).toBe(true);
        },
      ),
    );
  });

  it('is the same report for the same clock', async () => {
    const clock = { now: () => 0, after: () => () => {} };
    const one = (): Promise<EffectResult> =>
      call(() => Promise.reject(new Error('x', { cause: failure('a.b', 'root') })), {}, { clock });
    expect(JSON.stringify(await one())).toBe(JSON.stringify(await one()));
  });
});

describe('an output', () => {
  const cyclic: Record<string, unknown> = {};
  cyclic['self'] = { cyclic };
  const unusable: readonly [string, unknown, RegExp][] = [
    ['a function', { a: [() => 1] }, /\/a\/0 is a function$/],
    ['a bigint', 1n, /it is a bigint$/],
    ['a number that is not finite', { n: Number.NaN }, /\/n is a number that is not finite$/],
    ['a date that is none', { at: new Date('never') }, /\/at is a date that is not valid$/],
    ['a map', new Map(), /it is a Map, which JSON does not have$/],
    ['an error', { e: new Error('x') }, /\/e is a Error, which/],
    ['a cycle', cyclic, /contains itself$/],
    ['a hole', [1, undefined], /\/1 is undefined$/],
    [
      'a getter that throws',
      Object.defineProperty({}, 'x', {
        enumerable: true,
        get: () => {
          throw new Error('no');
        },
      }),
      /cannot be read$/,
    ],
  ];
  it.each(unusable)('that is or holds %s is refused, and says where', async (_, value, message) => {
    expect(reportOf(await call(() => value))).toMatchObject({
      kind: 'call.failed',
      message: expect.stringMatching(message),
    });
    expect(reportOf(await call(() => value, { type: 'tool' })).kind).toBe('tool.output_malformed');
  });

  it('off its schema is a failure with the output beside it', async () => {
    const outputSchema = { type: 'object', properties: { id: { type: 'string' } } };
    const result = await call(() => ({ id: 7 }), { outputSchema });
    expect(reportOf(result)).toMatchObject({
      kind: 'internal.schema_violation',
      title: 'Function output malformed',
      message:
        'The output of the function lookup does not have its declared shape: /id must be a string',
    });
    expect(failureOf(result).output).toEqual({ id: 7 });
    expect(reportOf(await call(() => ({ id: 7 }), { outputSchema, type: 'tool' })).kind).toBe(
      'tool.output_malformed',
    );
  });

  it('is checked before its secrets are removed', async () => {
    const outputSchema = { type: 'string', pattern: '^hunter2' };
    expect(await call(() => SECRET, { outputSchema })).toEqual({ ok: true, output: '[redacted]' });
  });
});

describe('a timeout', () => {
  it('names the limit of the node, not the time that was left of it', async () => {
    const result = await call(endsOnSignal, { timeoutMs: 30, limitMs: 500 });
    expect(reportOf(result).message).toBe('The function lookup did not finish within 500 ms');
  });

  it('of a function that ends on its signal is partial', async () => {
    const result = await call(endsOnSignal, { timeoutMs: 30 });
    expect(reportOf(result)).toMatchObject({
      kind: 'limit.node_timeout',
      outcome: 'partial',
      message: 'The function lookup did not finish within 30 ms',
      details: { abandoned: false },
    });
    const tool = { timeoutMs: 30, type: 'tool' } as const;
    expect(reportOf(await call(endsOnSignal, tool)).kind).toBe('tool.timeout');
    const ofNode = { ...tool, timeoutKind: 'limit.node_timeout' } as const;
    expect(reportOf(await call(endsOnSignal, ofNode)).kind).toBe('limit.node_timeout');
  });

  it('of a tool may have interrupted what it did, so it is transient only where it is idempotent', async () => {
    const tool = { timeoutMs: 30, type: 'tool' } as const;
    expect(reportOf(await call(endsOnSignal, tool))).toMatchObject({
      kind: 'tool.timeout',
      outcome: 'partial',
      category: 'ambiguous',
      retryable: false,
    });
    expect(reportOf(await call(endsOnSignal, { ...tool, isIdempotent: true }))).toMatchObject({
      kind: 'tool.timeout',
      outcome: 'partial',
      category: 'transient',
      retryable: true,
    });
  });

  it('of one that ignores its signal leaves its outcome unknown, unless it is idempotent', async () => {
    expect(reportOf(await call(ignoresSignal, { timeoutMs: 20 }))).toMatchObject({
      kind: 'limit.node_timeout',
      outcome: 'unknown',
      details: { abandoned: true },
    });
    expect(
      reportOf(await call(ignoresSignal, { timeoutMs: 20, isIdempotent: true })),
    ).toMatchObject({
      outcome: 'partial',
    });
  });

  it('is none where the function ended in time and only this process stood still', async () => {
    const marker = `97${process.pid}3`;
    const run: Run = async () => {
      const child = spawn('bash', ['-c', `: ${marker}`], { stdio: 'ignore' });
      await once(child, 'spawn');
      standStill(() => processesWith(marker).length === 0);
      const [code] = await once(child, 'exit');
      return { code };
    };
    expect(await call(run, { timeoutMs: 50 })).toEqual({ ok: true, output: { code: 0 } });
  });

  it('keeps what the function still returned after its signal', async () => {
    const run: Run = (_, { signal }) =>
      new Promise((resolve) => {
        signal.addEventListener('abort', () => resolve({ half: true }), { once: true });
      });
    const result = await call(run, { timeoutMs: 20 });
    expect(failureOf(result)).toMatchObject({
      failure: { outcome: 'partial' },
      output: { half: true },
    });
  });

  it('drops what an abandoned function does later', async () => {
    let reject: ((thrown: Error) => void) | undefined;
    const result = await call(
      () =>
        new Promise((_, no) => {
          reject = no;
        }),
      { timeoutMs: 10 },
    );
    expect(result.ok).toBe(false);
    reject?.(new Error('too late'));
    await new Promise((resolve) => setImmediate(resolve));
  });

  it('depends on the clock of the context alone', async () => {
    const timers: [number, () => void][] = [];
    const clock = {
      now: () => 0,
      after: (ms: number, fire: () => void) => {
        timers.push([ms, fire]);
        return () => {};
      },
    };
    const running = call(endsOnSignal, { timeoutMs: 3_600_000 }, { clock });
    expect(timers.map(([ms]) => ms)).toEqual([3_600_000]);
    timers[0]?.[1]();
    expect(reportOf(await running).kind).toBe('limit.node_timeout');
  });
});

describe('an abort', () => {
  it('reaches the function with its reason and is a cancellation', async () => {
    const control = new AbortController();
    let seen: unknown;
    const run: Run = (_, { signal }) =>
      new Promise((_resolve, reject) => {
        const hangUp = (): void => {
          seen = signal.reason;
          reject(new Error('socket hang up'));
        };
        signal.addEventListener('abort', hangUp, { once: true });
      });
    const running = call(run, {}, { signal: control.signal });
    control.abort('no longer wanted');
    expect(reportOf(await running)).toMatchObject({ kind: 'cancelled.call', outcome: 'unknown' });
    expect(seen).toBe('no longer wanted');
    expect(getEventListeners(control.signal, 'abort')).toEqual([]);
  });

  it('before the call calls nothing', async () => {
    const result = await call(
      () => expect.unreachable(),
      { type: 'tool' },
      { signal: AbortSignal.abort() },
    );
    expect(reportOf(result)).toMatchObject({ kind: 'cancelled.tool', outcome: 'not_started' });
  });

  it('keeps a result, and a typed failure', async () => {
    for (const [end, expected] of [
      [() => 7, { ok: true, output: 7 }],
      [
        () => {
          throw raise('card.declined', 'No money');
        },
        { ok: false, failure: { kind: 'card.declined' } },
      ],
    ] as const) {
      const control = new AbortController();
      const run: Run = async (_, { signal }) => {
        await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
        return end();
      };
      const running = call(run, {}, { signal: control.signal });
      control.abort();
      expect(await running).toMatchObject(expected);
    }
  });

  it('of an idempotent function leaves no unknown outcome', async () => {
    const control = new AbortController();
    const run: Run = (_, { signal }) =>
      new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason), { once: true });
      });
    const running = call(run, { isIdempotent: true }, { signal: control.signal });
    control.abort();
    expect(reportOf(await running)).toMatchObject({ kind: 'cancelled.call', outcome: 'partial' });
  });

  it('of a function that ignores its signal returns soon, and says so', async () => {
    const control = new AbortController();
    const running = call(ignoresSignal, { type: 'tool' }, { signal: control.signal });
    control.abort();
    expect(reportOf(await running)).toMatchObject({ kind: 'cancelled.tool', outcome: 'unknown' });
  });
});
