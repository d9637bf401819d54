import { expect, test } from 'vitest';
import { HURRIED } from '../../effects/hurried-clock.cases.ts';
import { openMemoryStore } from '../../stores/memory.ts';
import { unavailable } from '../../stores/store-failure.ts';
import { workflow } from '../../workflow/authoring/define.ts';
import { createEffectRunner } from './effect-runner.ts';
import { LocalBackend } from '../local/local-backend.ts';

const PLAN = workflow({
  name: 'short',
  entryPoint: 'work',
  nodes: [{ name: 'work', type: 'call', function: 'work' }],
}).plan;

test('a backend that waits for its store can be closed while the store is away', async () => {
  const store = openMemoryStore({ now: Date.now });
  const tries = Promise.withResolvers<void>();
  let asked = 0;
  store.append = () => {
    if (++asked === 5) tries.resolve();
    return Promise.reject(unavailable('busy'));
  };
  const backend = new LocalBackend({
    store,
    clock: HURRIED,
    isShared: false,
    onOutage: 'wait',
    onWarning: () => undefined,
    effects: createEffectRunner({ env: {}, directory: '.', functions: { work: () => ({}) } }),
  });
  const run = await backend.start(PLAN, {});
  await tries.promise;
  await backend.close();
  expect(await run.result()).toMatchObject({
    status: 'interrupted',
    error: { kind: 'store.unavailable' },
  });
});

test('a run that was just created survives a store that is away for a moment', async () => {
  const store = openMemoryStore({ now: Date.now });
  const messages = store.messages.bind(store);
  let asked = 0;
  store.messages = (run) => (++asked < 3 ? Promise.reject(unavailable('busy')) : messages(run));
  const backend = new LocalBackend({
    store,
    clock: HURRIED,
    effects: createEffectRunner({ env: {}, directory: '.', functions: { work: () => ({}) } }),
  });
  const run = await backend.start(PLAN, {});
  expect(await run.result()).toMatchObject({ status: 'completed' });
  await backend.close();
});
