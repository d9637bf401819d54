import { expect, test } from 'vitest';
import { ErrandError } from '../../errors/thrown/errand-error.ts';
import type { RunStore } from '../../machine/ports/store-port.ts';
import { newRun } from '../../stores/conformance/scene.ts';
import { HURRIED } from '../../effects/hurried-clock.cases.ts';
import { openMemoryStore } from '../../stores/memory.ts';
import { workflow } from '../../workflow/authoring/define.ts';
import { createEffectRunner } from '../run/effect-runner.ts';
import { newOwner } from './claim-owner.ts';
import { Claims } from './run-claims.ts';
import { LocalBackend } from './local-backend.ts';

const PLAN = workflow({
  name: 'gated',
  entryPoint: 'gate',
  nodes: [
    { name: 'gate', type: 'human_gate', prompt: 'Go?', options: [{ label: 'Yes', value: 'yes' }] },
  ],
}).plan;

/** The messages of a run cannot be read for a while. */
function halfAway(): { readonly store: RunStore; isAway: boolean } {
  const whole = openMemoryStore({ now: Date.now });
  const read = whole.messages.bind(whole);
  const stage = { isAway: false, store: whole };
  whole.messages = (run) =>
    stage.isAway
      ? Promise.reject(new ErrandError({ kind: 'store.unavailable', message: 'away' }))
      : read(run);
  return stage;
}

const BEGINNINGS = {
  resume: (backend: LocalBackend) => backend.resume('known'),
  cancel: (backend: LocalBackend) => backend.cancel('known', 'me'),
};

test.each(Object.keys(BEGINNINGS) as (keyof typeof BEGINNINGS)[])(
  'a %s that fails half-way leaves nobody in possession of the run',
  async (name) => {
    const stage = halfAway();
    const backend = backendOn(stage.store);
    await (await backend.start(PLAN, {})).result();

    stage.isAway = true;
    await expect(BEGINNINGS[name](backend)).rejects.toMatchObject({ kind: 'store.unavailable' });
    expect(await stage.store.summary('known')).toMatchObject({ claim: null });

    stage.isAway = false;
    expect(await (await backend.resume('known')).result()).toMatchObject({ status: 'paused' });
    await backend.close();
  },
);

test('a start asks for no messages: nobody could send one to a run that was not there', async () => {
  const stage = halfAway();
  stage.isAway = true;
  const backend = backendOn(stage.store);
  expect(await (await backend.start(PLAN, {})).result()).toMatchObject({ status: 'paused' });
  expect(await stage.store.summary('known')).toMatchObject({ claim: null });
  await backend.close();
});

function backendOn(store: RunStore): LocalBackend {
  const ids = ['backend', 'known'];
  return new LocalBackend({
    store,
    clock: HURRIED,
    effects: createEffectRunner({ env: {}, directory: '.', functions: {} }),
    newId: () => ids.shift() ?? '',
  });
}

test('a claim that cannot be released blocks no run here', async () => {
  const store = openMemoryStore({ now: Date.now });
  const release = store.release.bind(store);
  const away = new ErrandError({ kind: 'store.unavailable', message: 'away' });
  store.release = () => Promise.reject(away);
  const warnings: string[] = [];
  const backend = new LocalBackend({
    store,
    effects: createEffectRunner({ env: {}, directory: '.', functions: {} }),
    onWarning: ({ kind }) => void warnings.push(kind),
  });
  const first = await backend.start(PLAN, {});
  const { id } = first;
  await first.result();
  store.release = release;
  expect((await store.summary(id)).claim).not.toBeNull();

  // two concurrent resumes do not take the run from each other
  const legs = await Promise.all([backend.resume(id), backend.resume(id)]);
  for (const leg of legs) expect(await leg.result()).toMatchObject({ status: 'paused' });
  expect((await store.summary(id)).claim).toBeNull();
  expect(warnings).toEqual(['store.unavailable']);
  await backend.close();
});

test('a claim that cannot be released is released when the store is back, because its process lives', async () => {
  const store = openMemoryStore({ now: Date.now });
  const release = store.release.bind(store);
  let tries = 0;
  const released = new Promise<void>((resolve) => {
    store.release = async (claim) => {
      tries += 1;
      if (tries < 3) throw new ErrandError({ kind: 'store.unavailable', message: 'away' });
      await release(claim);
      resolve();
    };
  });
  const claims = new Claims(store, HURRIED, newOwner('here'));
  const { claim } = await store.create(newRun('r', { owner: newOwner('here') }));
  claims.register(claim, 0);
  await expect(claims.release(claim)).rejects.toMatchObject({ kind: 'store.unavailable' });
  await released;
  expect((await store.summary('r')).claim).toBeNull();
});
