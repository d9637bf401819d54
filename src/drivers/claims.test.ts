import { expect, test } from 'vitest';
import { ErrandError } from '../errors/errand-error.ts';
import type { RunStore } from '../machine/store-port.ts';
import { openMemoryStore } from '../stores/memory.ts';
import { workflow } from '../workflow/define.ts';
import { createEffectRunner } from './effect-runner.ts';
import { LocalDriver } from './local.ts';

const PLAN = workflow({
  name: 'gated',
  entryPoint: 'gate',
  nodes: [
    { name: 'gate', type: 'human_gate', prompt: 'Go?', options: [{ label: 'Yes', value: 'yes' }] },
  ],
}).plan;

/** What was said to a run cannot be read for a while. */
function halfAway(): { readonly store: RunStore; isAway: boolean } {
  const whole = openMemoryStore({ now: Date.now });
  const read = whole.signals.bind(whole);
  const stage = { isAway: false, store: whole };
  whole.signals = (run) =>
    stage.isAway
      ? Promise.reject(new ErrandError({ kind: 'store.unavailable', message: 'away' }))
      : read(run);
  return stage;
}

const BEGINNINGS = {
  start: (driver: LocalDriver) => driver.start(PLAN, {}),
  resume: (driver: LocalDriver) => driver.resume('known'),
  cancel: (driver: LocalDriver) => driver.cancel('known', 'me'),
};

test.each(Object.keys(BEGINNINGS) as (keyof typeof BEGINNINGS)[])(
  'a %s that fails half-way leaves nobody in possession of the run',
  async (name) => {
    const stage = halfAway();
    const ids = ['driver', 'known', 'fresh'];
    const driver = new LocalDriver({
      store: stage.store,
      effects: createEffectRunner({ env: {}, directory: '.', functions: {} }),
      newId: () => ids.shift() ?? '',
    });
    await (await driver.start(PLAN, {})).result();

    stage.isAway = true;
    await expect(BEGINNINGS[name](driver)).rejects.toMatchObject({ kind: 'store.unavailable' });
    const run = name === 'start' ? 'fresh' : 'known';
    expect(await stage.store.summary(run)).toMatchObject({ claim: null });

    stage.isAway = false;
    expect(await (await driver.resume(run)).result()).toMatchObject({ status: 'paused' });
    await driver.close();
  },
);

test('a claim that cannot be given back holds up nobody here', async () => {
  const store = openMemoryStore({ now: Date.now });
  const release = store.release.bind(store);
  const away = new ErrandError({ kind: 'store.unavailable', message: 'away' });
  store.release = () => Promise.reject(away);
  const warnings: string[] = [];
  const driver = new LocalDriver({
    store,
    effects: createEffectRunner({ env: {}, directory: '.', functions: {} }),
    onWarning: ({ kind }) => void warnings.push(kind),
  });
  const first = await driver.start(PLAN, {});
  const { id } = first;
  await first.result();
  store.release = release;
  expect((await store.summary(id)).claim).not.toBeNull();

  // two who go on at once do not take it from each other
  const legs = await Promise.all([driver.resume(id), driver.resume(id)]);
  for (const leg of legs) expect(await leg.result()).toMatchObject({ status: 'paused' });
  expect((await store.summary(id)).claim).toBeNull();
  expect(warnings).toEqual(['store.unavailable']);
  await driver.close();
});
