/** `createResilience`: breakers and a clock that no other instance shares. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { processesWith, standStill } from './effects/effect-port.cases.ts';
import type { BreakerState } from './machine/policy/breaker.ts';
import type { ResilienceClock } from './machine-clock.ts';
import { createResilience, withResilience } from './judging.ts';

const broken = { status: 500, headers: {}, body: {} };

const fails = (): never => {
  // the shape that SDKs throw
  throw broken as unknown as Error;
};

function virtualClock(): ResilienceClock & { readonly slept: number[] } {
  let now = 1_000_000;
  const slept: number[] = [];
  return {
    slept,
    now: () => now,
    sleep: (ms) => {
      slept.push(ms);
      now += ms;
      return Promise.resolve();
    },
  };
}

async function kindOf(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => 'none',
    (error: unknown) => (error as { readonly kind?: string }).kind,
  );
}

async function spend(resilient: typeof withResilience, breaker: string): Promise<void> {
  for (let calls = 0; calls < 10; calls++)
    await kindOf(resilient(fails, { breaker, retry: 'none' }));
}

describe('createResilience', () => {
  it('keeps its breakers from other instances', async () => {
    const [one, other] = [createResilience(), createResilience()];
    await spend(one, 'house');
    expect(await kindOf(one(() => 1, { breaker: 'house' }))).toBe('breaker.open');
    expect(await other(() => 1, { breaker: 'house' })).toBe(1);
    expect(await withResilience(() => 1, { breaker: 'house' })).toBe(1);
  });

  it('shares breakers by the map that several instances get', async () => {
    const breakers = new Map<string, BreakerState>();
    await spend(createResilience({ breakers }), 'house');
    const later = createResilience({ breakers });
    expect(await kindOf(later(() => 1, { breaker: 'house' }))).toBe('breaker.open');
    breakers.clear();
    expect(await later(() => 1, { breaker: 'house' })).toBe(1);
  });

  it('has its clock, unless a call has its own', async () => {
    const [clock, own] = [virtualClock(), virtualClock()];
    const resilient = createResilience({ clock });
    const retry = { attempts: 2, waitsMs: [70] };
    await kindOf(resilient(fails, { retry }));
    expect([clock.slept.length, own.slept.length]).toEqual([1, 0]);
    await kindOf(resilient(fails, { retry, clock: own }));
    expect([clock.slept.length, own.slept.length]).toEqual([1, 1]);
  });

  it.each([
    ['an unknown option', { clok: {} }, 'clok'],
    ['a clock that cannot wait', { clock: { now: () => 0 } }, 'clock'],
    ['breakers that are no map', { breakers: {} }, 'breakers'],
  ])('refuses %s', (_, options, option) => {
    expect(() => createResilience(options as object)).toThrow(
      expect.objectContaining({ kind: 'validation.input', details: { option } }) as Error,
    );
  });
});

afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

describe('what a call leaves behind', () => {
  /** The longest time that the body of an answer may take. */
  const READ_MS = 5000;
  const endless = (): ReadableStream =>
    new ReadableStream({ start: (body) => body.enqueue(new Uint8Array(8)) });
  const throws = (body: () => string | ReadableStream) => (): never => {
    // the response may be thrown unread
    throw new Response(body(), { status: 429 }) as unknown as Error;
  };

  it.each<[string, () => unknown, readMs: number]>([
    ['a good call', () => 1, 0],
    ['one that fails', fails, 0],
    ['one that throws an answer', throws(() => '{}'), 0],
    ['one that throws an answer whose body never ends', throws(endless), READ_MS],
  ])('is no timer and no listener: %s', async (_, call, readMs) => {
    vi.useFakeTimers();
    // not all timers of the process: other tests share it
    const set = vi.spyOn(globalThis, 'setTimeout');
    const cleared = vi.spyOn(globalThis, 'clearTimeout');
    const caller = new AbortController();
    const listening = vi.spyOn(caller.signal, 'addEventListener');
    const gone = vi.spyOn(caller.signal, 'removeEventListener');
    const ended = kindOf(
      createResilience()(call, { deadlineMs: 60_001, retry: 'none', signal: caller.signal }),
    );
    await vi.advanceTimersByTimeAsync(readMs);
    await ended;
    const timers = set.mock.calls.flatMap(([, ms], at) =>
      ms === 60_001 || ms === READ_MS ? [{ ms, timer: set.mock.results[at]?.value }] : [],
    );
    const open = timers.filter(
      ({ ms, timer }) => ms !== readMs && !cleared.mock.calls.some(([each]) => each === timer),
    );
    expect(timers.map(({ ms }) => ms)).toContain(60_001);
    expect(open).toEqual([]);
    expect(gone).toHaveBeenCalledTimes(listening.mock.calls.length);
  });
});

describe('the clock of the machine', () => {
  it('is left with no timer that keeps the process alive, and none in a test that has replaced them', async () => {
    const call = (deadlineMs: number) => createResilience()(() => 1, { deadlineMs });
    const set = vi.spyOn(globalThis, 'setTimeout');
    for (let again = 0; again < 3; again++) await call(61_001);
    const ours = set.mock.calls.flatMap(([, ms], at) =>
      ms === 61_001 ? [set.mock.results[at]?.value as NodeJS.Timeout] : [],
    );
    // one for each call, and one permanent one
    expect(ours).toHaveLength(4);
    expect(ours.filter((timer) => timer.hasRef())).toHaveLength(3);
    const cleared = vi.spyOn(globalThis, 'clearTimeout');
    for (let again = 0; again < 3; again++) await call(61_001);
    expect(cleared).toHaveBeenCalledTimes(3);
    vi.useFakeTimers();
    for (let again = 0; again < 3; again++) await call(61_002);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('ends no call at its deadline that ended before it, while the process stood still', async () => {
    const marker = `96${process.pid}3`;
    const call = async (): Promise<unknown> => {
      const child = spawn('bash', ['-c', `: ${marker}`], { stdio: 'ignore' });
      await once(child, 'spawn');
      standStill(() => processesWith(marker).length === 0);
      return once(child, 'exit');
    };
    expect(await createResilience()(call, { deadlineMs: 50, retry: 'none' })).toEqual([0, null]);
  });
});

describe('a clock whose sleep does not listen to its signal', () => {
  it.each([
    ['throws at once', fails],
    ['rejects', () => Promise.reject(new Error('down'))],
    ['answers', () => 'done'],
  ])('leaves no rejection behind, where the call %s', async (_, call) => {
    const unhandled: unknown[] = [];
    const listen = (reason: unknown): void => void unhandled.push(reason);
    process.on('unhandledRejection', listen);
    const resilient = createResilience({ clock: virtualClock() });
    await resilient<unknown>(call, { deadlineMs: 500, retry: 'none' }).catch(() => undefined);
    // rejections that nobody handles are reported after the turn in which they were made
    await new Promise((resolve) => setImmediate(resolve));
    process.off('unhandledRejection', listen);
    expect(unhandled).toEqual([]);
  });
});
