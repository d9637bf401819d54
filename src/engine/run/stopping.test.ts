import { expect, test } from 'vitest';
import { openMemoryStore } from '../../stores/memory.ts';
import { workflow } from '../../workflow/authoring/define.ts';
import { createEffectRunner } from './effect-runner.ts';
import { LocalBackend } from '../local/local-backend.ts';

const FAN = workflow({
  name: 'fan',
  entryPoint: 'both',
  nodes: [
    { name: 'bad', type: 'call', function: 'bad' },
    { name: 'long', type: 'call', function: 'long' },
  ],
  parallel: [{ name: 'both', agents: ['bad', 'long'], failureMode: 'fail_fast' }],
}).plan;

test('an effect that is no longer wanted is aborted at once, however long the store takes', async () => {
  const store = openMemoryStore({ now: Date.now });
  const append = store.append.bind(store);
  const stopped = Promise.withResolvers<string>();
  const begun = Promise.withResolvers<void>();
  store.append = async (commit) => {
    // the store takes until the sibling has been aborted
    const isLast = commit.events.some((event) => 'type' in event && event.type === 'run:failed');
    if (isLast) expect(await stopped.promise).toBe('stopped');
    return append(commit);
  };
  const functions = {
    bad: async () => {
      await begun.promise;
      throw new Error('no');
    },
    long: (_input: unknown, { signal }: { readonly signal: AbortSignal }) => {
      begun.resolve();
      return new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => {
          stopped.resolve('stopped');
          reject(signal.reason as Error);
        });
      });
    },
  };
  const effects = createEffectRunner({ env: {}, directory: '.', functions });
  const backend = new LocalBackend({ store, effects });
  const result = await (await backend.start(FAN, {})).result();
  expect(result).toMatchObject({ status: 'failed', error: { kind: 'group.failed' } });
  await backend.close();
});

test('the outcome of a script that exits well because it was stopped stays unknown', async () => {
  const { plan } = workflow({
    name: 'ship',
    entryPoint: 'ship',
    nodes: [{ name: 'ship', type: 'script', command: 'ship' }],
  });
  const begun = Promise.withResolvers<void>();
  const backend = new LocalBackend({
    store: openMemoryStore({ now: Date.now }),
    effects: {
      run: (_request, { signal }) => {
        begun.resolve();
        return new Promise((resolve) => {
          // as a shell does with `trap 'exit 0' TERM`
          signal.addEventListener('abort', () => resolve({ ok: true, output: { exit_code: 0 } }));
        });
      },
      close: () => Promise.resolve(),
    },
  });
  const first = await backend.start(plan, {});
  await begun.promise;
  first.stop();
  expect(await first.result()).toEqual({ status: 'interrupted' });
  const resumed = await backend.resume(first.id);
  expect(await resumed.result()).toMatchObject({
    status: 'paused',
    waiting: { reason: 'outcome', node: 'ship' },
  });
  await backend.close();
});
