/** A run that pauses is no longer asked about: its process may end. */
import { setImmediate as turn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { ErrandError } from '../../errors/thrown/errand-error.ts';
import { RemoteRunHandle } from './remote-run-handle.ts';
import type { RunQueries } from './run-queries.ts';

it('does not ask for the end of a paused run when the connection is closed', async () => {
  const asked: PromiseWithResolvers<unknown>[] = [];
  const paused = {
    type: 'run:paused',
    seq: 2,
    run: 'run_1',
    at: '2026-03-01T12:00:00.000Z',
    waiting: { reason: 'person', all: [] },
  };
  const result = (): Promise<unknown> => {
    const end = Promise.withResolvers();
    asked.push(end);
    return end.promise;
  };
  const queries = {
    handle: () => ({ result }),
    guarded: (_run: string, work: () => Promise<unknown>) => work(),
    async *all() {
      yield { events: [paused] };
    },
  };
  const handle = new RemoteRunHandle(
    // only what the handle uses of it
    queries as unknown as RunQueries,
    { run: 'run_1', firstSeq: 1 },
    { onEvent: () => undefined, onWarning: () => undefined, wait: () => Promise.resolve() },
  );
  expect(await handle.result()).toMatchObject({ status: 'paused' });
  asked[0]?.reject(new ErrandError({ kind: 'store.unavailable', message: 'closed' }));
  await turn();
  expect(asked).toHaveLength(1);
});
