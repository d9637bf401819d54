/** A client that follows a run is not held by what it no longer waits for. */
import { setTimeout as after } from 'node:timers/promises';
import { expect, it, vi } from 'vitest';
import { ErrandError } from '../../errors/thrown/errand-error.ts';
import type { RunEvent } from '../../machine/state/events.ts';
import { MEMO } from './messages.ts';
import { RemoteRunHandle } from './remote-run-handle.ts';
import type { RunQueries } from './run-queries.ts';

vi.mock('node:timers/promises', () => ({ setTimeout: vi.fn(() => Promise.resolve()) }));

it('does not ask for the end of a run that has paused, once its connection is closed', async () => {
  const end = Promise.withResolvers<never>();
  const waiting = { type: 'gate', gate: 'ask' };
  // all that a result needs of an event
  const paused = { seq: 1, type: 'run:paused', waiting } as unknown as RunEvent;
  const queries = {
    describe: () => Promise.resolve({ memo: { [MEMO]: { status: 'paused' } } }),
    last: () => Promise.resolve(paused),
    guarded: (_run: string, ask: () => Promise<unknown>) => ask(),
    handle: () => ({ result: () => end.promise }),
  };
  const start = { run: 'r', firstSeq: 1 };
  const handle = new RemoteRunHandle(queries as unknown as RunQueries, start, {
    onWarning: () => undefined,
  });
  expect(await handle.result()).toMatchObject({ status: 'paused' });
  vi.mocked(after)
    .mockClear()
    .mockReturnValue(new Promise(() => undefined));
  end.reject(new ErrandError({ kind: 'store.unavailable', message: 'closed' }));
  await new Promise((resolve) => setImmediate(resolve));
  expect(after).not.toHaveBeenCalled();
});
