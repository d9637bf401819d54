/** What others wrote and put into a driver may break any promise; the process lives on. */
import { expect, test } from 'vitest';
import { HURRIED } from '../effects/hurried-clock.cases.ts';
import type { ErrorReport } from '../errors/report.ts';
import type { RunStore } from '../machine/store-port.ts';
import { openMemoryStore } from '../stores/memory.ts';
import { workflow } from '../workflow/define.ts';
import { createEffectRunner, type EffectRunner } from './effect-runner.ts';
import { LocalDriver } from './local.ts';

const PLAN = workflow({
  name: 'short',
  entryPoint: 'work',
  nodes: [{ name: 'work', type: 'call', function: 'work', breaker: true }],
}).plan;

function driverOver(
  store: RunStore,
  onWarning: (error: ErrorReport) => void,
  work: () => unknown = () => ({}),
): LocalDriver {
  const effects = createEffectRunner({ env: {}, directory: '.', functions: { work } });
  return new LocalDriver({ store, effects, clock: HURRIED, onWarning });
}

test('a store that fails with anything when it is looked at is told of, once', async () => {
  const store = openMemoryStore({ now: Date.now });
  const looks = Promise.withResolvers<object>();
  let looked = 0;
  store.runsWithSignals = () => {
    if (++looked === 5) looks.resolve({});
    return Promise.reject(new TypeError('not one of yours'));
  };
  const warnings: string[] = [];
  const driver = driverOver(
    store,
    ({ kind }) => warnings.push(kind),
    () => looks.promise,
  );
  const run = await driver.start(PLAN, {});
  expect(await run.result()).toMatchObject({ status: 'completed' });
  expect(warnings).toEqual(['internal.unexpected']);
  await driver.close();
});

test('a store that cannot keep breakers is told of, and the run goes on', async () => {
  const store = openMemoryStore({ now: Date.now });
  store.breakers = () => Promise.reject(new TypeError('not one of yours'));
  const warnings: string[] = [];
  const driver = driverOver(store, ({ kind }) => warnings.push(kind));
  const run = await driver.start(PLAN, {});
  expect(await run.result()).toMatchObject({ status: 'completed' });
  expect(warnings).toEqual(['internal.unexpected']);
  await driver.close();
});

test('an effect runner that gives no result ends the leg as a defect, and nothing else', async () => {
  const store = openMemoryStore({ now: Date.now });
  const effects: EffectRunner = {
    // what its type forbids
    run: () => Promise.resolve(undefined as never),
    close: () => Promise.resolve(),
  };
  const driver = new LocalDriver({ store, effects });
  const run = await driver.start(PLAN, {});
  await expect(run.result()).rejects.toThrow(TypeError);
  expect(await store.summary(run.id)).toMatchObject({ status: 'running', claim: null });
  await driver.close();
});
