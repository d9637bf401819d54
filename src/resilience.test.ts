import { describe, expect, it } from 'vitest';
import { ErrandError, failure, isKind } from './errors/thrown/errand-error.ts';
import { renderProblem } from './errors/render/problem-document.ts';
import type { ErrorReport } from './errors/report/report.ts';
import { withResilience } from './judging.ts';
import type { ResiliencePolicy, ResilientCall } from './resilience.ts';
import type { ResilienceClock } from './machine-clock.ts';

/** A clock whose time passes only in `sleep`. */
function virtualClock(): ResilienceClock & { readonly slept: number[] } {
  let now = 1_000_000;
  const slept: number[] = [];
  return {
    slept,
    now: () => now,
    sleep: (ms, signal) => {
      if (signal.aborted) return Promise.reject(signal.reason as Error);
      if (ms >= 1_000_000) return new Promise(() => undefined);
      slept.push(ms);
      now += ms;
      return Promise.resolve();
    },
  };
}

const limited = (seconds: string): object => ({
  status: 429,
  headers: { 'retry-after': seconds },
  body: {},
});
const broken = { status: 500, headers: {}, body: {} };

function failing(...failures: unknown[]): (call: ResilientCall) => string {
  return ({ attempt }) => {
    if (attempt >= failures.length) return `answer ${attempt}`;
    throw failures[attempt];
  };
}

async function failureOf(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    (value) => ({ unexpectedly: value }),
    (error: unknown) => error,
  );
}

describe('withResilience', () => {
  it('waits exactly as long as the server asks, then answers', async () => {
    const clock = virtualClock();
    const answer = await withResilience(failing(limited('7'), limited('0.25')), { clock });
    expect(answer).toBe('answer 2');
    expect(clock.slept).toEqual([7000, 250]);
  });

  it('gives up after the attempts of the kind, with all of them in the report', async () => {
    const clock = virtualClock();
    const error = await failureOf(
      withResilience(failing(broken, broken, broken, broken), { clock, provider: 'openai' }),
    );
    expect(isKind(error, 'provider.server_error')).toBe(true);
    expect(error).toMatchObject({
      report: {
        attempts: [
          { number: 1, target: 'openai' },
          { number: 2 },
          { number: 3, kind: 'provider.server_error' },
        ],
      },
    });
    expect(clock.slept).toHaveLength(2);
  });

  it('asks once, and not again, for what waiting cannot fix', async () => {
    const clock = virtualClock();
    const error = await failureOf(
      withResilience(failing({ status: 401, headers: {}, body: {} }), { clock }),
    );
    expect(isKind(error, 'provider.auth')).toBe(true);
    expect(clock.slept).toEqual([]);
  });

  it('ends now, as a limit, when the hint lies past the deadline', async () => {
    const clock = virtualClock();
    const error = await failureOf(
      withResilience(failing(limited('60')), { clock, deadlineMs: 2_000_000 }),
    );
    expect(error).toMatchObject({ unexpectedly: 'answer 1' });
    const late = await failureOf(
      withResilience(failing(limited('60')), { clock: frozenDeadline(), deadlineMs: 30_000 }),
    );
    expect(late).toMatchObject({
      kind: 'limit.node_timeout',
      report: { cause: { kind: 'provider.rate_limited' }, attempts: [{ number: 1 }] },
    });
  });

  it('aborts the call at the deadline', async () => {
    const clock: ResilienceClock = { now: () => 0, sleep: () => Promise.resolve() };
    let signal: AbortSignal | undefined;
    const hangs = (call: ResilientCall): Promise<never> => {
      ({ signal } = call);
      return new Promise(() => undefined);
    };
    const error = await failureOf(withResilience(hangs, { clock, deadlineMs: 5 }));
    expect(isKind(error, 'limit.node_timeout')).toBe(true);
    expect(signal?.aborted).toBe(true);
  });

  it('refuses at once, without a call, while the breaker is open, and probes after its rest', async () => {
    const clock = virtualClock();
    const policy = { clock, breaker: 'a-test', retry: 'none' } as const;
    for (let index = 0; index < 5; index++)
      await failureOf(withResilience(failing(broken), policy));
    let calls = 0;
    const count = (): string => `call ${++calls}`;
    expect(isKind(await failureOf(withResilience(count, policy)), 'breaker.open')).toBe(true);
    expect(calls).toBe(0);
    await clock.sleep(60_000, new AbortController().signal);
    expect(await withResilience(count, policy)).toBe('call 1');
  });

  it('turns the caller’s abort into a cancellation, in a call and in a wait', async () => {
    const abort = new AbortController();
    const clock: ResilienceClock = {
      now: () => 0,
      sleep: (_, signal) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => reject(signal.reason as Error));
          abort.abort();
        }),
    };
    const error = await failureOf(
      withResilience(failing(limited('9')), { clock, signal: abort.signal }),
    );
    expect(error).toMatchObject({
      kind: 'cancelled.call',
      report: { attempts: [{ kind: 'provider.rate_limited' }] },
    });
  });
});

describe('one owner of retries', () => {
  const counted = (
    policies: readonly ResiliencePolicy[],
  ): { made: number; call: () => unknown } => {
    const counter = {
      made: 0,
      call: (): unknown => {
        counter.made++;
        throw broken as unknown as Error;
      },
    };
    for (const policy of policies) {
      const { call } = counter;
      counter.call = () => withResilience(call, policy);
    }
    return counter;
  };

  it('is the innermost that retries, however many stand around it', async () => {
    const clock = virtualClock();
    const policy = { clock, provider: 'openai' };
    for (const around of [
      { clock },
      { clock, retry: { max: 4 } },
      { clock, retry: 'none' as const },
    ]) {
      const counter = counted([policy, around, around]);
      const error = await failureOf(Promise.resolve().then(counter.call));
      expect(counter.made).toBe(3);
      expect(error).toMatchObject({
        kind: 'provider.server_error',
        report: { attempts: [{ number: 1, target: 'openai' }, { number: 2 }, { number: 3 }] },
      });
    }
  });

  it('is the outer one where the inner one retries nothing', async () => {
    const clock = virtualClock();
    const counter = counted([{ clock, retry: 'none' }, { clock }]);
    const error = await failureOf(Promise.resolve().then(counter.call));
    expect(counter.made).toBe(3);
    expect(error).toMatchObject({
      report: { attempts: [{ number: 1 }, { number: 2 }, { number: 3 }] },
    });
  });

  it('is seen through wrappers and raises', async () => {
    const clock = virtualClock();
    let made = 0;
    const inner = (): Promise<never> =>
      withResilience<never>(
        () => {
          made++;
          throw broken as unknown as Error;
        },
        { clock },
      );
    for (const wrap of [
      (cause: unknown) => new Error('outer', { cause }),
      (cause: unknown) => failure('order.missing', 'No order', {}, { cause }),
    ]) {
      made = 0;
      const call = (): Promise<never> =>
        inner().catch((error: unknown) => Promise.reject(wrap(error)));
      await failureOf(
        withResilience(call, { clock, retry: { max: 3, on: ['order.missing', 'provider.*'] } }),
      );
      expect(made).toBe(3);
    }
  });
});

describe('an answer that is thrown as it came', () => {
  const QUOTA = '{"error":{"code":"insufficient_quota"}}';

  it.each([
    ['a response', (response: Response): unknown => response],
    ['an error with one', (response: Response) => Object.assign(new Error('HTTP'), { response })],
  ])('is read before it is judged, and left to the caller: %s', async (_, thrown) => {
    const clock = virtualClock();
    const response = new Response(QUOTA, { status: 429 });
    const error = await failureOf(
      withResilience(failing(thrown(response)), { clock, provider: 'openai' }),
    );
    expect(isKind(error, 'provider.quota_exhausted')).toBe(true);
    expect(clock.slept).toEqual([]);
    expect(await response.text()).toBe(QUOTA);
  });

  it('is repeated when it says that waiting helps', async () => {
    const clock = virtualClock();
    const limit = new Response('{"error":{"code":"rate_limit_exceeded"}}', {
      status: 429,
      headers: { 'retry-after': '3' },
    });
    expect(await withResilience(failing(limit), { clock, provider: 'openai' })).toBe('answer 1');
    expect(clock.slept).toEqual([3000]);
  });

  it('keeps what another Errand says in it', async () => {
    const { report } = new ErrandError({ kind: 'effect.outcome_unknown', message: 'Was it paid?' });
    const { body, ...init } = renderProblem(report);
    const response = new Response(JSON.stringify(body), init);
    const error = await failureOf(
      withResilience(failing(response), { clock: virtualClock(), retry: { max: 3 } }),
    );
    expect(error).toMatchObject({ kind: 'effect.outcome_unknown', report: { id: report.id } });
  });

  it('is not claimed to be anything when it cannot be read any more', async () => {
    const response = new Response(QUOTA, { status: 429 });
    await response.text();
    const error = await failureOf(withResilience(failing(response), { clock: virtualClock() }));
    expect(error).toMatchObject({ kind: 'provider.unknown', report: { retryable: null } });
  });

  it('is not waited for when it is cancelled', async () => {
    const abort = new AbortController();
    const response = new Response(new ReadableStream({ start: () => undefined }), { status: 429 });
    const call = (): never => {
      queueMicrotask(() => abort.abort());
      throw response as unknown as Error;
    };
    const error = await failureOf(
      withResilience(call, { clock: virtualClock(), signal: abort.signal }),
    );
    expect(error).toMatchObject({ name: 'ErrandError' });
  });
});

describe('withResilience and a failure of which nobody knows whether it may be retried', () => {
  const unknown = (): ErrandError =>
    new ErrandError({ kind: 'provider.unknown', message: 'A failure that no rule recognises' });

  it.each([
    ['by default', {}],
    ['by the default schedule', { retry: 'default' }],
    ['with attempts', { retry: { attempts: 3, waitsMs: [1, 1] } }],
    ['with a maximum', { retry: { max: 3 } }],
  ] as const)('calls once %s', async (_, options) => {
    let calls = 0;
    const call = (): never => {
      calls++;
      throw unknown();
    };
    const error = await failureOf(withResilience(call, { clock: virtualClock(), ...options }));
    expect(error).toMatchObject({ kind: 'provider.unknown', report: { retryable: null } });
    expect(calls).toBe(1);
  });

  it('calls again where the policy names its kind', async () => {
    const retry = { max: 1, initialSeconds: 1, jitter: 0, on: ['provider.unknown'] };
    const clock = virtualClock();
    expect(await withResilience(failing(unknown()), { clock, retry })).toBe('answer 1');
    expect(clock.slept).toEqual([1000]);
  });
});

describe('withResilience and what it saw', () => {
  const words = (error: unknown): string => {
    const { message, title, action, outcome } = (error as { report: ErrorReport }).report;
    return JSON.stringify({ message, title, action, outcome });
  };

  it('keeps the failure as the cause of a deadline, and says nothing of nodes', async () => {
    const late = await failureOf(
      withResilience(failing(limited('7')), {
        clock: frozenDeadline(),
        deadlineMs: 3000,
        provider: 'openai',
      }),
    );
    expect(late).toMatchObject({
      report: {
        kind: 'limit.node_timeout',
        message: 'The next attempt would come after its deadline of 3 s',
        title: 'Deadline passed',
        cause: { kind: 'provider.rate_limited', retryable: true, provider: { retryAfterMs: 7000 } },
        attempts: [{ number: 1, kind: 'provider.rate_limited', target: 'openai' }],
      },
    });
    expect(words(late)).not.toMatch(/node|timeout_seconds|partial/i);
  });

  it('keeps it also when the deadline passes in a later call', async () => {
    let now = 0;
    const fire: (() => void)[] = [];
    const clock: ResilienceClock = {
      now: () => now,
      sleep: (ms, signal) =>
        ms <= 2000
          ? Promise.resolve(void (now += ms))
          : new Promise((resolve, reject) => {
              fire.push(resolve);
              signal.addEventListener('abort', () => reject(signal.reason as Error));
            }),
    };
    const call = ({ attempt }: ResilientCall): Promise<never> => {
      if (attempt === 0) return Promise.reject(broken);
      fire.at(-1)?.();
      return new Promise(() => undefined);
    };
    const error = await failureOf(withResilience(call, { clock, deadlineMs: 30_000 }));
    expect(error).toMatchObject({
      kind: 'limit.node_timeout',
      report: {
        outcome: 'unknown',
        cause: { kind: 'provider.server_error' },
        attempts: [{ kind: 'provider.server_error' }, { number: 2, kind: 'limit.node_timeout' }],
      },
    });
    expect(words(error)).not.toMatch(/node|timeout_seconds/i);
  });

  it('has no cause where nothing was seen before the deadline', async () => {
    const clock: ResilienceClock = { now: () => 0, sleep: () => Promise.resolve() };
    const hangs = (): Promise<never> => new Promise(() => undefined);
    const error = await failureOf(withResilience(hangs, { clock, deadlineMs: 5 }));
    expect(error).toMatchObject({ report: { attempts: [{ number: 1 }] } });
    expect((error as { report: ErrorReport }).report.cause).toBeUndefined();
    expect(words(error)).not.toMatch(/node|timeout_seconds/i);
  });

  it('is not mistaken for a failure of the call that has the same kind', async () => {
    const own = new ErrandError({ kind: 'limit.node_timeout', message: 'a node of theirs' });
    const error = await failureOf(withResilience(failing(own), { clock: virtualClock() }));
    expect(error).toMatchObject({ message: 'a node of theirs', report: { attempts: [{}] } });
  });

  it('keeps it behind a cancellation, and behind a breaker that opens meanwhile', async () => {
    const abort = new AbortController();
    const clock: ResilienceClock = {
      now: () => 0,
      sleep: (_, signal) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => reject(signal.reason as Error));
          abort.abort();
        }),
    };
    expect(
      await failureOf(withResilience(failing(limited('9')), { clock, signal: abort.signal })),
    ).toMatchObject({
      kind: 'cancelled.call',
      report: { cause: { kind: 'provider.rate_limited' } },
    });
    const retry = { attempts: 9, waitsMs: [1] };
    const opened = await failureOf(
      withResilience(failing(...Array.from({ length: 9 }, () => broken)), {
        clock: virtualClock(),
        breaker: 'meanwhile',
        retry,
      }),
    );
    expect(opened).toMatchObject({
      kind: 'breaker.open',
      report: { cause: { kind: 'provider.server_error' } },
    });
  });
});

describe('the options of withResilience', () => {
  it('take the retry that routes and tools have', async () => {
    const clock = virtualClock();
    const retry = { max: 2, initialSeconds: 0.1, backoff: 'fixed', jitter: 0 } as const;
    const error = await failureOf(
      withResilience(failing(broken, broken, broken), { clock, retry }),
    );
    expect(isKind(error, 'provider.server_error')).toBe(true);
    expect(error).toMatchObject({ report: { attempts: [{}, {}, { number: 3 }] } });
    expect(clock.slept).toEqual([100, 100]);

    const picky = { ...retry, on: ['provider.auth'] };
    const denied = { status: 401, headers: {}, body: {} };
    expect(await withResilience(failing(denied), { clock, retry: picky })).toBe('answer 1');
    expect(
      isKind(
        await failureOf(withResilience(failing(broken), { clock, retry: picky })),
        'provider.*',
      ),
    ).toBe(true);
    // a wait set by the user is never shorter than the server asks for
    expect(await withResilience(failing(limited('7')), { clock, retry })).toBe('answer 1');
    expect(clock.slept.at(-1)).toBe(7000);
  });

  it.each<[string, unknown]>([
    ['retry', { retry: 'twice' }],
    ['retry', { retry: 3 }],
    ['retry', { retry: null }],
    ['retry.max', { retry: {} }],
    ['retry.max', { retry: { initialSeconds: 1 } }],
    ['retry.max', { retry: { max: -1 } }],
    ['retry.max', { retry: { max: '2' } }],
    ['retry.initial_seconds', { retry: { max: 1, initial_seconds: 1 } }],
    ['retry.initialSeconds', { retry: { max: 1, initialSeconds: 'soon' } }],
    ['retry.backoff', { retry: { max: 1, backoff: 'cubic' } }],
    ['retry.on', { retry: { max: 1, on: 'provider.auth' } }],
    ['retry.attempts', { retry: { waitsMs: [1] } }],
    ['retry.waitsMs', { retry: { attempts: 2 } }],
    ['retry.waitsMs', { retry: { attempts: 2, waitsMs: ['1'] } }],
    ['deadlineMs', { deadlineMs: -1 }],
    ['deadlineMs', { deadlineMs: Number.NaN }],
    ['deadlineMs', { deadlineMs: '30s' }],
    ['deadlineMs', { deadlineMs: 367 * 86_400_000 }],
    ['breaker', { breaker: 7 }],
    ['signal', { signal: {} }],
    ['clock', { clock: { now: () => 0 } }],
    ['deadline', { deadline: 3000 }],
    ['options', 'default'],
  ])('are refused by name before the call is made: %s of %j', async (option, options) => {
    let calls = 0;
    const error = await failureOf(
      // as a program without types may call it
      withResilience(() => ++calls, options as ResiliencePolicy),
    );
    expect(error).toMatchObject({ kind: 'validation.input', details: { option } });
    expect(calls).toBe(0);
  });

  it('include the call itself', async () => {
    const error = await failureOf(withResilience(7 as unknown as () => string));
    expect(error).toMatchObject({ kind: 'validation.input', details: { option: 'call' } });
  });
});

/** A clock whose deadline never fires by itself, so that only the hint can end the call. */
function frozenDeadline(): ResilienceClock {
  return { now: () => 0, sleep: () => new Promise(() => undefined) };
}
