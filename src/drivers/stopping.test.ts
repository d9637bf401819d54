import { expect, test } from 'vitest';
import { openMemoryStore } from '../stores/memory.ts';
import { workflow } from '../workflow/define.ts';
import { createEffectRunner } from './effect-runner.ts';
import { LocalDriver } from './local.ts';

const FAN = workflow({
  name: 'fan',
  entryPoint: 'both',
  nodes: [
    { name: 'bad', type: 'call', function: 'bad' },
    { name: 'long', type: 'call', function: 'long' },
  ],
  parallel: [{ name: 'both', agents: ['bad', 'long'], failureMode: 'fail_fast' }],
}).plan;

test('what is no longer wanted is told to stop at once, however long the store takes', async () => {
  const store = openMemoryStore({ now: Date.now });
  const append = store.append.bind(store);
  const stopped = Promise.withResolvers<string>();
  const begun = Promise.withResolvers<void>();
  store.append = async (commit) => {
    // the store has time until the sibling has heard of it
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
  const driver = new LocalDriver({ store, effects });
  const result = await (await driver.start(FAN, {})).result();
  expect(result).toMatchObject({ status: 'failed', error: { kind: 'group.failed' } });
  await driver.close();
});
