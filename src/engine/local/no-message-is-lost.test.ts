import { expect, test } from 'vitest';
import type { RunStore } from '../../machine/ports/store-port.ts';
import { corrupt } from '../../stores/store-failure.ts';
import { openMemoryStore } from '../../stores/memory.ts';
import { workflow } from '../../workflow/authoring/define.ts';
import { createEffectRunner } from '../run/effect-runner.ts';
import type { RunHandle } from '../backend.ts';
import { LocalBackend } from './local-backend.ts';

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
  readonly backend: LocalBackend;
  readonly run: RunHandle;
  readonly finish: () => void;
}

/** A run whose gate is open and whose work ends when the test says so, even when it is stopped. */
async function underWay(): Promise<Stage> {
  const store = openMemoryStore({ now: Date.now });
  const begun = Promise.withResolvers<void>();
  const done = Promise.withResolvers<object>();
  const work = (): Promise<object> => {
    begun.resolve();
    return done.promise;
  };
  const effects = createEffectRunner({ env: {}, directory: '.', functions: { work } });
  const backend = new LocalBackend({ store, effects });
  const run = await backend.start(PLAN, {});
  await begun.promise;
  return { store, backend, run, finish: () => done.resolve({ n: 1 }) };
}

const ANSWER = { value: 'yes', by: 'somebody' };

test('an answer that was accepted while the run was being stopped is kept', async () => {
  const { backend, run, finish } = await underWay();
  run.stop();
  await backend.answer(run.id, ANSWER);
  finish();
  expect(await run.result()).toEqual({ status: 'interrupted' });
  expect(await (await backend.resume(run.id)).result()).toMatchObject({ status: 'completed' });
  await backend.close();
});

test('a message that comes while a commit is being stored is acknowledged by a later one', async () => {
  const { backend, run, finish, store } = await underWay();
  const append = store.append.bind(store);
  const messages = store.messages.bind(store);
  const heard = Promise.withResolvers<void>();
  store.append = async (commit) => {
    if (commit.messagesThrough === 1) {
      await store.send(run.id, { type: 'answer', ...ANSWER });
      await heard.promise;
      finish();
    }
    return append(commit);
  };
  store.messages = async (id) => {
    const waiting = await messages(id);
    if (waiting.length === 2) setImmediate(heard.resolve);
    return waiting;
  };
  await store.send(run.id, { type: 'answer', gate: 'nowhere', ...ANSWER });
  expect(await run.result()).toMatchObject({ status: 'completed' });
  expect(await messages(run.id)).toEqual([]);
  await backend.close();
});

/** A run that completed while a cancel was on its way: its sender is refused. */
async function completedTooSoon(): Promise<Stage> {
  const stage = await underWay();
  const { backend, run, finish, store } = stage;
  await backend.answer(run.id, ANSWER);
  finish();
  expect(await run.result()).toMatchObject({ status: 'completed' });
  await store.send(run.id, { type: 'cancel', by: 'somebody' });
  return stage;
}

test('a cancel that came after the end does not cancel what is run again', async () => {
  const { backend, run, store } = await completedTooSoon();
  const again = await backend.resume(run.id, { from: 'both' });
  expect(await again.result()).toMatchObject({ status: 'paused' });
  expect(await store.messages(run.id)).toEqual([]);
  await backend.close();
});

test('nor when another process executes it', async () => {
  const { backend, run, store } = await completedTooSoon();
  await backend.resume(run.id, { from: 'both', isLeft: true });
  expect(await store.messages(run.id)).toEqual([]);
  expect(await (await backend.resume(run.id)).result()).toMatchObject({ status: 'paused' });
  await backend.close();
});

test('an answer resolves when it is stored, not before', async () => {
  const { backend, run, finish, store } = await underWay();
  const append = store.append.bind(store);
  const mayStore = Promise.withResolvers<void>();
  store.append = async (commit) => {
    await mayStore.promise;
    return append(commit);
  };
  let isResolved = false;
  const answered = backend.answer(run.id, ANSWER).then(() => (isResolved = true));
  await new Promise((resolve) => setImmediate(resolve));
  expect(isResolved).toBe(false);
  mayStore.resolve();
  await answered;
  expect(await typesStored(store, run.id)).toContain('gate:answered');
  finish();
  expect(await run.result()).toMatchObject({ status: 'completed' });
  await backend.close();
});

test('an answer that the store did not take is refused, and the gate stays open', async () => {
  const { backend, run, finish, store } = await underWay();
  const append = store.append.bind(store);
  store.append = () => Promise.reject(corrupt('a page is damaged', {}));
  const answered = backend.answer(run.id, ANSWER);
  const refused = expect(answered).rejects.toMatchObject({ report: { kind: 'store.corrupt' } });
  // its leg ends when its effect has ended
  setImmediate(finish);
  expect(await run.result()).toMatchObject({
    status: 'interrupted',
    error: { kind: 'store.corrupt' },
  });
  await refused;
  store.append = append;
  expect(await typesStored(store, run.id)).not.toContain('gate:answered');
  const next = await backend.answer(run.id, ANSWER);
  finish();
  expect(await next?.result()).toMatchObject({ status: 'completed' });
  await backend.close();
});

async function typesStored(store: RunStore, run: string): Promise<readonly unknown[]> {
  const types: unknown[] = [];
  for await (const { events } of store.read(run)) types.push(...events.map(({ type }) => type));
  return types;
}
