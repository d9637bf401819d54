import { describe, expect, it } from 'vitest';
import { isKind } from './errors/errand-error.ts';
import { withResilience, type Call, type Clock } from './resilience.ts';

/** Time that passes only by being slept through. */
function virtualClock(): Clock & { readonly slept: number[] } {
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

function failing(...failures: unknown[]): (call: Call) => string {
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
    const clock: Clock = { now: () => 0, sleep: () => Promise.resolve() };
    let signal: AbortSignal | undefined;
    const hangs = (call: Call): Promise<never> => {
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
    const clock: Clock = {
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

/** A clock whose deadline never fires by itself, so that only the hint can end the call. */
function frozenDeadline(): Clock {
  return { now: () => 0, sleep: () => new Promise(() => undefined) };
}
