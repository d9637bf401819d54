/** `withResilience` and what calls may throw: neither a promise nor a hostile object keeps it or escapes it. */
import { expect, it } from 'vitest';
import { withResilience } from './judging.ts';

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
