/** Stores and effects of others may break any promise; the process survives. */
import { expect, test } from 'vitest';
import { HURRIED } from '../../effects/hurried-clock.cases.ts';
import type { ErrorReport } from '../../errors/report/report.ts';
import type { RunStore } from '../../machine/ports/store-port.ts';
import { runNotFound } from '../../stores/store-failure.ts';
import { openMemoryStore } from '../../stores/memory.ts';
import { workflow } from '../../workflow/authoring/define.ts';
import { createEffectRunner, type EffectRunner } from './effect-runner.ts';
import { LocalBackend } from '../local/local-backend.ts';

const PLAN = workflow({
  name: 'short',
  entryPoint: 'work',
  nodes: [{ name: 'work', type: 'call', function: 'work', breaker: true }],
}).plan;

function backendOver(
  store: RunStore,
  onWarning: (error: ErrorReport) => void,
  work: () => unknown = () => ({}),
): LocalBackend {
  const effects = createEffectRunner({ env: {}, directory: '.', functions: { work } });
  return new LocalBackend({ store, effects, clock: HURRIED, onWarning });
}

test('a store that fails with anything when it is polled is reported once', async () => {
  const store = openMemoryStore({ now: Date.now });
  const looks = Promise.withResolvers<object>();
  let looked = 0;
  store.runsWithMessages = () => {
    if (++looked === 5) looks.resolve({});
    return Promise.reject(new TypeError('not one of yours'));
  };
  const warnings: string[] = [];
  const backend = backendOver(
    store,
    ({ kind }) => warnings.push(kind),
    () => looks.promise,
  );
  const run = await backend.start(PLAN, {});
  expect(await run.result()).toMatchObject({ status: 'completed' });
  expect(warnings).toEqual(['internal.unexpected']);
  await backend.close();
});

test('a store that cannot keep breakers is reported, and the run continues', async () => {
  const store = openMemoryStore({ now: Date.now });
  store.breakers = () => Promise.reject(new TypeError('not one of yours'));
  const warnings: string[] = [];
  const backend = backendOver(store, ({ kind }) => warnings.push(kind));
  const run = await backend.start(PLAN, {});
  expect(await run.result()).toMatchObject({ status: 'completed' });
  expect(warnings).toEqual(['internal.unexpected']);
  await backend.close();
});

test('an effect runner that gives no result ends the leg as a defect, and nothing else', async () => {
  const store = openMemoryStore({ now: Date.now });
  const effects: EffectRunner = {
    // its type forbids this
    run: () => Promise.resolve(undefined as never),
    close: () => Promise.resolve(),
  };
  const backend = new LocalBackend({ store, effects });
  const run = await backend.start(PLAN, {});
  await expect(run.result()).rejects.toThrow(TypeError);
  expect(await store.summary(run.id)).toMatchObject({ status: 'running', claim: null });
  await backend.close();
});

test('a store that is replaced under a running run is damaged, and the run is not unknown', async () => {
  const store = openMemoryStore({ now: Date.now });
  store.append = ({ claim: { run } }) => Promise.reject(runNotFound(run));
  const backend = backendOver(store, () => undefined);
  const run = await backend.start(PLAN, {});
  expect(await run.result()).toMatchObject({
    status: 'interrupted',
    error: { kind: 'store.corrupt', cause: { kind: 'run.not_found' } },
  });
  await backend.close();
});
