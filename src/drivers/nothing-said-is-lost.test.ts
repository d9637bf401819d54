import { expect, test } from 'vitest';
import type { RunStore } from '../machine/store-port.ts';
import { openMemoryStore } from '../stores/memory.ts';
import { workflow } from '../workflow/define.ts';
import { createEffectRunner } from './effect-runner.ts';
import { LocalDriver, type RunHandle } from './local.ts';

/** One branch asks a person while the other works. */
const PLAN = workflow({
  name: 'both',
  entryPoint: 'both',
  nodes: [
    { name: 'gate', type: 'human_gate', prompt: 'Go?', options: [{ label: 'Yes', value: 'yes' }] },
    { name: 'work', type: 'call', function: 'work', idempotent: true },
  ],
  parallel: [{ name: 'both', agents: ['gate', 'work'] }],
}).plan;

interface Stage {
  readonly store: RunStore;
  readonly driver: LocalDriver;
  readonly run: RunHandle;
  readonly finish: () => void;
}

/** A run whose gate is open and whose work ends when the test says so, whoever stops it. */
async function underWay(): Promise<Stage> {
  const store = openMemoryStore({ now: Date.now });
  const begun = Promise.withResolvers<void>();
  const done = Promise.withResolvers<object>();
  const work = (): Promise<object> => {
    begun.resolve();
    return done.promise;
  };
  const effects = createEffectRunner({ env: {}, directory: '.', functions: { work } });
  const driver = new LocalDriver({ store, effects });
  const run = await driver.start(PLAN, {});
  await begun.promise;
  return { store, driver, run, finish: () => done.resolve({ n: 1 }) };
}

const ANSWER = { value: 'yes', by: 'somebody' };

test('an answer that was accepted while the run was being stopped is kept', async () => {
  const { driver, run, finish } = await underWay();
  run.stop();
  await driver.answer(run.id, ANSWER);
  finish();
  expect(await run.result()).toEqual({ status: 'interrupted' });
  expect(await (await driver.resume(run.id)).result()).toMatchObject({ status: 'completed' });
  await driver.close();
});

test('what is said while a commit is being stored is settled by a later one', async () => {
  const { driver, run, finish, store } = await underWay();
  const append = store.append.bind(store);
  const signals = store.signals.bind(store);
  const heard = Promise.withResolvers<void>();
  store.append = async (commit) => {
    if (commit.signalsThrough === 1) {
      await store.send(run.id, { type: 'answer', ...ANSWER });
      await heard.promise;
      finish();
    }
    return append(commit);
  };
  store.signals = async (id) => {
    const waiting = await signals(id);
    if (waiting.length === 2) setImmediate(heard.resolve);
    return waiting;
  };
  await store.send(run.id, { type: 'answer', gate: 'nowhere', ...ANSWER });
  expect(await run.result()).toMatchObject({ status: 'completed' });
  expect(await signals(run.id)).toEqual([]);
  await driver.close();
});
