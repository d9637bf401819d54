/**
 * `withResilience` and the values that calls may throw: neither a promise nor a hostile object
 * blocks it or escapes from it.
 */
import { expect, it } from 'vitest';
import { withResilience } from './judging.ts';
import type { AbortSignalLike } from './machine-clock.ts';

const trap = (): never => {
  throw new Error('trap');
};

const THROWN: Readonly<Record<string, unknown>> = {
  'a promise that stays open': new Promise(() => undefined),
  'a promise that is fulfilled': Promise.resolve('x'),
  'an object with a then': {
    // oxlint-disable-next-line unicorn/no-thenable
    then: trap,
  },
  'an object that cannot be read': new Proxy({}, { get: trap, has: trap }),
};

it.each(Object.entries(THROWN))('%s is a failure like any other', async (_, thrown) => {
  const calls = [
    () =>
      withResilience(() => {
        throw thrown;
      }, {}),
    () =>
      withResilience(
        () =>
          new Promise((_, reject) => {
            reject(thrown);
          }),
        {},
      ),
  ];
  for (const call of calls) await expect(call()).rejects.toMatchObject({ kind: 'call.failed' });
});

it('the deadline of another call is no deadline of this one', async () => {
  // one request that two calls wait for, as in caches and loaders
  let shared = Promise.resolve(0);
  const request = (signal: AbortSignalLike): Promise<number> =>
    new Promise((_, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason as Error));
    });
  const clock = { now: () => 0, sleep: () => Promise.resolve() };
  const first = withResilience(({ signal }) => (shared = request(signal)), {
    deadlineMs: 5,
    clock,
  });
  await expect(first).rejects.toMatchObject({ kind: 'limit.node_timeout' });
  for (const policy of [{}, { deadlineMs: 60_000 }])
    await expect(withResilience(() => shared, policy)).rejects.toMatchObject({
      kind: 'call.failed',
      message: 'The deadline passed',
    });
});
