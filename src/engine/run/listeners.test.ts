import { expect, test } from 'vitest';
import type { RunEvent } from '../../machine/state/events.ts';
import { HURRIED } from '../../effects/hurried-clock.cases.ts';
import { unavailable } from '../../stores/store-failure.ts';
import { openMemoryStore } from '../../stores/memory.ts';
import { workflow } from '../../workflow/authoring/define.ts';
import { createEffectRunner } from './effect-runner.ts';
import { LocalBackend } from '../local/local-backend.ts';
import { Subscription } from './subscription.ts';

const PLAN = workflow({
  name: 'gated',
  entryPoint: 'work',
  nodes: [
    { name: 'work', type: 'call', function: 'work', routes: [{ to: 'gate' }] },
    { name: 'gate', type: 'human_gate', prompt: 'Go?', options: [{ label: 'Yes', value: 'yes' }] },
  ],
}).plan;

test('a listener that always throws breaks neither the start nor a prepared answer', async () => {
  const warnings: string[] = [];
  const backend = new LocalBackend({
    store: openMemoryStore({ now: Date.now }),
    effects: createEffectRunner({ env: {}, directory: '.', functions: { work: () => ({}) } }),
    onWarning: ({ kind }) => warnings.push(kind),
  });
  const heard: RunEvent['type'][] = [];
  const run = await backend.start(
    PLAN,
    {},
    {
      onEvent: ({ type }) => {
        heard.push(type);
        throw new Error('not today');
      },
      answers: [{ gate: 'gate', value: 'yes' }],
    },
  );
  expect(await run.result()).toMatchObject({ status: 'completed' });
  expect(heard[0]).toBe('run:started');
  expect(heard.at(-1)).toBe('run:completed');
  expect(warnings).toHaveLength(heard.length);
  await backend.close();
});

test('a leg that ends in a defect while the backend is closed keeps nothing open', async () => {
  const store = openMemoryStore({ now: Date.now });
  const warnings: string[] = [];
  const begun = Promise.withResolvers<void>();
  let isClosed = false;
  const backend = new LocalBackend({
    store,
    effects: {
      // its type forbids this, once it is aborted
      run: (_, { signal }) =>
        new Promise((resolve) => {
          signal.addEventListener('abort', () => resolve(undefined as never));
          begun.resolve();
        }),
      close: async () => {
        isClosed = true;
      },
    },
    onWarning: ({ kind }) => warnings.push(kind),
  });
  const run = await backend.start(PLAN, {});
  await begun.promise;
  await backend.close();
  await expect(run.result()).rejects.toThrow(TypeError);
  expect(warnings).toEqual(['internal.unexpected']);
  expect(isClosed).toBe(true);
  await expect(store.list()).rejects.toMatchObject({ kind: 'store.unavailable' });
});

test('a listener that stops reading is removed, so that nothing is buffered for it', async () => {
  let left = 0;
  const subscription = new Subscription(1, nothing, () => left++);
  const event = { type: 'run:started', workflow: 'gated', input: {}, run: 'r', at: '' } as const;
  subscription.push({ ...event, seq: 1 });
  for await (const told of subscription.events()) {
    expect(told.seq).toBe(1);
    expect(left).toBe(0);
    break;
  }
  expect(left).toBe(1);
});

test('a listener gets every event once, where the store goes away while it is read', async () => {
  const store = openMemoryStore({ now: Date.now });
  const read = store.read.bind(store);
  let outages = 0;
  store.read = async function* (run, fromSeq) {
    for await (const commit of read(run, fromSeq)) {
      yield commit;
      if (++outages <= 2) throw unavailable('disconnected', { run });
    }
  };
  const backend = new LocalBackend({
    store,
    effects: createEffectRunner({ env: {}, directory: '.', functions: { work: () => ({}) } }),
    clock: HURRIED,
  });
  const run = await backend.start(PLAN, {});
  await run.result();
  const seqs: number[] = [];
  for await (const { seq } of run.events()) seqs.push(seq);
  expect(seqs).toEqual(seqs.map((_, index) => index + 1));
  expect(seqs.length).toBeGreaterThan(5);
  expect(outages).toBeGreaterThan(2);
  await backend.close();
});

const TWO_GATES = workflow({
  name: 'asks-twice',
  entryPoint: 'all',
  parallel: [{ name: 'all', agents: ['one', 'two', 'work'] }],
  nodes: [
    { name: 'one', type: 'human_gate', prompt: 'Go?', options: [{ label: 'Yes', value: 'yes' }] },
    { name: 'two', type: 'human_gate', prompt: 'Go?', options: [{ label: 'Yes', value: 'yes' }] },
    { name: 'work', type: 'call', function: 'work' },
  ],
}).plan;

test('no answer is lost in a leg that its store has ended, and whose effects are still ending', async () => {
  const store = openMemoryStore({ now: Date.now });
  const append = store.append.bind(store);
  const begun = Promise.withResolvers<void>();
  const end = Promise.withResolvers<void>();
  const isAway = Promise.withResolvers<void>();
  let appends = 0;
  const backend = new LocalBackend({
    store,
    effects: {
      run: async () => {
        begun.resolve();
        await end.promise;
        return { ok: true, output: {} };
      },
      close: () => Promise.resolve(),
    },
    clock: HURRIED,
  });
  const run = await backend.start(TWO_GATES, {});
  await begun.promise;
  store.append = (commit) => {
    if (++appends === 3) isAway.resolve();
    return appends <= 3 ? Promise.reject(unavailable('disconnected', {})) : append(commit);
  };
  const beforeItEnded = backend.answer(run.id, { gate: 'one', value: 'yes', by: 'ann' });
  await isAway.promise;
  await new Promise((resolve) => setImmediate(resolve));
  const answering = backend.answer(run.id, { gate: 'two', value: 'yes', by: 'ben' });
  await new Promise((resolve) => setImmediate(resolve));
  end.resolve();
  expect(await run.result()).toMatchObject({ status: 'interrupted' });
  await (await beforeItEnded)?.result();
  await (await answering)?.result();
  const answers: unknown[] = [];
  for await (const { events } of store.read(run.id))
    for (const event of events) if (event['type'] === 'gate:answered') answers.push(event['by']);
  expect(new Set(answers)).toEqual(new Set(['ann', 'ben']));
  await backend.close();
});

async function* nothing(): AsyncGenerator<never> {
  // all events were passed on
}
