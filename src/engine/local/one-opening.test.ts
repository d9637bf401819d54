/** An answer is for one opening of a gate: a gate in a loop asks again, and that is another question. */
import { afterEach, expect, test } from 'vitest';
import type { RunStore } from '../../machine/ports/store-port.ts';
import { unavailable } from '../../stores/store-failure.ts';
import { openMemoryStore } from '../../stores/memory.ts';
import { workflow } from '../../workflow/authoring/define.ts';
import { createEffectRunner } from '../run/effect-runner.ts';
import { witnessed } from '../run/lost-log.ts';
import type { RunHandle } from '../backend.ts';
import { recover } from '../run/recover.ts';
import { LocalBackend } from './local-backend.ts';

const GATE = {
  name: 'ask',
  type: 'human_gate',
  prompt: 'Pay?',
  options: [
    { label: 'Yes', value: 'yes', route: 'pay' },
    { label: 'No', value: 'no', route: '$end' },
  ],
} as const;

const LOOP = workflow({
  name: 'loop',
  entryPoint: 'ask',
  nodes: [GATE, { name: 'pay', type: 'call', function: 'pay', routes: [{ to: 'ask' }] }],
}).plan;

/** The same question about a failure: each retry fails and asks again. */
const FAILING = workflow({
  name: 'failing',
  entryPoint: 'ask',
  nodes: [
    {
      name: 'ask',
      type: 'call',
      function: 'fails',
      routes: [{ to: '$end' }, { onError: true, ask: { options: ['retry', 'abort'] } }],
    },
  ],
}).plan;

/** Two questions, one after the other. */
const TWO = workflow({
  name: 'two',
  entryPoint: 'ask',
  nodes: [
    GATE,
    { name: 'pay', type: 'call', function: 'pay', routes: [{ to: 'ask2' }] },
    { ...GATE, name: 'ask2' },
  ],
}).plan;

/** The loop beside work that keeps the leg running. */
const BESIDE = workflow({
  name: 'beside',
  entryPoint: 'both',
  nodes: [
    GATE,
    { name: 'pay', type: 'call', function: 'pay', routes: [{ to: 'ask' }] },
    { name: 'work', type: 'call', function: 'work', idempotent: true },
  ],
  parallel: [{ name: 'both', agents: ['ask', 'work'] }],
}).plan;

let calls = 0;
const opened: LocalBackend[] = [];

afterEach(async () => {
  for (const backend of opened.splice(0)) await backend.close();
  calls = 0;
});

function backendOver(store: RunStore): LocalBackend {
  const functions = {
    pay: () => ({ paid: ++calls }),
    fails: () => {
      calls++;
      throw new Error('no');
    },
    work: (_input: unknown, { signal }: { readonly signal: AbortSignal }) =>
      new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
  };
  const effects = createEffectRunner({ env: {}, directory: '.', functions });
  const backend = new LocalBackend({ store, effects });
  opened.push(backend);
  return backend;
}

/** A second backend on the store, where something happens first when it claims a run or sends to it. */
function lateBackend(store: RunStore, first: () => Promise<unknown>): LocalBackend {
  let hasHappened = false;
  const once = async (): Promise<void> => {
    if (hasHappened) return;
    hasHappened = true;
    await first();
  };
  return backendOver({
    ...witnessed(store, () => undefined),
    claim: async (request) => (await once(), store.claim(request)),
    send: async (run, signal) => (await once(), store.send(run, signal)),
  });
}

test.each([
  ['a gate in a loop', LOOP, 'yes', 'ask', 1],
  ['a gate in a loop that is not named', LOOP, 'yes', undefined, 1],
  ['the question about a failure', FAILING, 'retry', 'ask', 2],
  ['the only open gate, which is another one by then', TWO, 'yes', undefined, 1],
])('of two answers at once to %s, one counts', async (...[, plan, value, gate, expected]) => {
  const store = openMemoryStore({ now: Date.now });
  const one = backendOver(store);
  const { id, result } = await started(one, plan);
  expect(result.status).toBe('paused');
  const answer = { gate, value, by: 'somebody' };
  const other = lateBackend(store, async () => (await one.answer(id, answer))?.result());
  await expect(other.answer(id, answer)).rejects.toMatchObject({ kind: 'gate.closed' });
  expect(calls).toBe(expected);
  expect((await store.summary(id)).status).toBe('paused');
});

async function started(backend: LocalBackend, plan: typeof LOOP) {
  const handle = await backend.start(plan, {});
  return { id: handle.id, result: await handle.result() };
}

test('an answer that is delivered to another process counts for the question that was open', async () => {
  const store = openMemoryStore({ now: Date.now });
  const owner = backendOver(store);
  const handle = await owner.start(BESIDE, {});
  await reached(handle, 1);
  const answer = { gate: 'both[ask]/ask', value: 'yes', by: 'somebody' };
  const other = lateBackend(store, async () => {
    await owner.answer(handle.id, answer);
    await reached(handle, 2);
  });
  await expect(other.answer(handle.id, answer)).rejects.toMatchObject({
    kind: 'gate.closed',
  });
  expect(calls).toBe(1);
});

/** Until the gate has opened so many times. */
async function reached(handle: RunHandle, times: number): Promise<void> {
  let count = 0;
  for await (const { type } of handle.events())
    if (type === 'gate:opened' && ++count === times) return;
}

test('an answer may name the opening that it is for', async () => {
  const store = openMemoryStore({ now: Date.now });
  const backend = backendOver(store);
  const { id, result } = await started(backend, LOOP);
  if (result.status !== 'paused') throw new Error(result.status);
  const { opening } = result.waiting;
  expect(opening).toBe(result.waiting.all[0]?.opening);
  const answer = { gate: 'ask', value: 'yes', by: 'somebody' };
  await expect(backend.answer(id, { ...answer, opening: 1 })).rejects.toMatchObject({
    kind: 'gate.closed',
    message: 'Gate ask is no longer open as it was at event 1',
  });
  await (await backend.answer(id, { ...answer, opening }))?.result();
  await expect(backend.answer(id, { ...answer, opening })).rejects.toMatchObject({
    kind: 'gate.closed',
  });
  expect(calls).toBe(1);
});

test('of two identical answers that another process gets in the same moment, one is accepted', async () => {
  const store = openMemoryStore({ now: Date.now });
  const owner = backendOver(store);
  const handle = await owner.start(BESIDE, {});
  await reached(handle, 1);
  const answer = { gate: 'both[ask]/ask', value: 'yes', by: 'somebody' };
  // each has looked before the other sends
  const bothLooked = Promise.withResolvers<void>();
  let looked = 0;
  const sender = () =>
    backendOver({
      ...witnessed(store, () => undefined),
      send: async (run, message) => {
        if (++looked === 2) bothLooked.resolve();
        await bothLooked.promise;
        return store.send(run, message);
      },
    });
  const ends = await Promise.allSettled([
    sender().answer(handle.id, answer),
    sender().answer(handle.id, answer),
  ]);
  expect(ends.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
  expect(ends.find(({ status }) => status === 'rejected')).toMatchObject({
    reason: { kind: 'gate.closed' },
  });
  expect(calls).toBe(1);
});

test('an answer that was stored, and whose sender got no reply, counts once when it is repeated', async () => {
  const store = openMemoryStore({ now: Date.now });
  const owner = backendOver(store);
  const handle = await owner.start(BESIDE, {});
  await reached(handle, 1);
  const gate = 'both[ask]/ask';
  const { state } = await recover(store, handle.id);
  const opening = state.gates.get(gate)?.opening;
  const answer = { gate, value: 'yes', by: 'somebody', opening };
  const lossy = backendOver({
    ...witnessed(store, () => undefined),
    send: async (run, message) => {
      await store.send(run, message);
      throw unavailable('io');
    },
  });
  await expect(lossy.answer(handle.id, answer)).rejects.toMatchObject({
    kind: 'store.unavailable',
  });
  await expect(lossy.answer(handle.id, answer)).rejects.toMatchObject({
    kind: 'gate.closed',
  });
  await reached(handle, 2);
  expect(calls).toBe(1);
});

test('an answer and the leg that it begins share one reading of the log', async () => {
  const store = openMemoryStore({ now: Date.now });
  const started = await backendOver(store).start(TWO, {});
  const { id } = started;
  expect((await started.result()).status).toBe('paused');
  const seqs: number[] = [];
  const second = backendOver({
    ...witnessed(store, () => undefined),
    async *read(run, fromSeq) {
      for await (const commit of store.read(run, fromSeq)) {
        for (const { seq } of commit.events as readonly { readonly seq: number }[]) seqs.push(seq);
        yield commit;
      }
    },
  });
  const handle = await second.answer(id, { gate: 'ask', value: 'yes', by: 'me' });
  expect((await handle?.result())?.status).toBe('paused');
  expect(seqs).toEqual([...new Set(seqs)]);
  expect(seqs.length).toBeGreaterThan(3);
  const after = await recover(store, id);
  expect(after.state.gates.size).toBe(1);
});
