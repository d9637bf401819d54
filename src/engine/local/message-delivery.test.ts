import { expect, test } from 'vitest';
import { isKind } from '../../errors/thrown/errand-error.ts';
import type { RunStore } from '../../machine/ports/store-port.ts';
import { openMemoryStore } from '../../stores/memory.ts';
import { workflow } from '../../workflow/authoring/define.ts';
import { createEffectRunner } from '../run/effect-runner.ts';
import type { RunHandle } from '../backend.ts';
import { LocalBackend } from './local-backend.ts';
import { asEvent } from '../run/subscription.ts';

const GATE = {
  name: 'gate',
  type: 'human_gate',
  prompt: 'Go?',
  options: [
    { label: 'Yes', value: 'yes' },
    { label: 'No', value: 'no' },
  ],
} as const;

/** Its gate is open while the other branch works. */
const GATED = workflow({
  name: 'gated',
  entryPoint: 'both',
  nodes: [{ name: 'work', type: 'call', function: 'work' }, GATE],
  parallel: [{ name: 'both', agents: ['work', 'gate'] }],
}).plan;

/** Another gate stays open after the first was answered. */
const TWICE_GATED = workflow({
  name: 'twice',
  entryPoint: 'all',
  nodes: [{ name: 'work', type: 'call', function: 'work' }, GATE, { ...GATE, name: 'second' }],
  parallel: [{ name: 'all', agents: ['work', 'gate', 'second'] }],
}).plan;

interface Stage {
  readonly store: RunStore;
  readonly owner: LocalBackend;
  readonly other: LocalBackend;
  readonly handle: RunHandle;
  /** The work of the run ends, and with it its leg. */
  readonly rest: () => Promise<void>;
}

/** One backend executes the run, and another sends messages to it. */
async function stageOf(work: 'succeeds' | 'fails' = 'succeeds', plan = GATED): Promise<Stage> {
  const store = openMemoryStore({ now: Date.now });
  const { promise, resolve } = Promise.withResolvers<void>();
  const begun = Promise.withResolvers<void>();
  const functions = {
    work: async (_input: unknown, { signal }: { readonly signal: AbortSignal }) => {
      signal.addEventListener('abort', () => resolve());
      begun.resolve();
      await promise;
      if (work === 'fails') throw new Error('no');
      return 'done';
    },
  };
  const effects = createEffectRunner({ env: {}, directory: '.', functions });
  const owner = new LocalBackend({ store, effects });
  const other = new LocalBackend({ store, effects });
  const handle = await owner.start(plan, {});
  await begun.promise;
  const rest = async (): Promise<void> => {
    resolve();
    await handle.result();
  };
  return { store, owner, other, handle, rest };
}

/** Ends the owner's leg just after a message was sent, and before the owner reads it. */
function restAfterSending({ store, rest }: Stage): void {
  const send = store.send.bind(store);
  store.send = async (run, signal) => {
    const number = await send(run, signal);
    await rest();
    return number;
  };
}

async function statusOf({ store, handle }: Stage): Promise<string> {
  return (await store.summary(handle.id)).status;
}

test.each(['succeeds', 'fails'] as const)(
  'a run that comes to rest (its work %s) before it hears of its cancellation is cancelled',
  async (work) => {
    const stage = await stageOf(work);
    restAfterSending(stage);
    await (await stage.other.cancel(stage.handle.id, 'someone'))?.result();
    expect(await statusOf(stage)).toBe('cancelled');
    expect(await stage.store.runsWithMessages()).toEqual([]);
  },
);

test('a run that pauses before it reads an answer is resumed with it, once', async () => {
  const stage = await stageOf();
  restAfterSending(stage);
  const next = await stage.other.answer(stage.handle.id, { value: 'yes', by: 'someone' });
  expect(await next?.result()).toMatchObject({ status: 'completed' });
  const types: string[] = [];
  for await (const { events } of stage.store.read(stage.handle.id))
    types.push(...events.map((event) => asEvent(event).type));
  expect(types.filter((type) => type === 'gate:answered')).toHaveLength(1);
  expect(types).not.toContain('error:suppressed');
});

test.each([
  ['completes', GATED, 'both[gate]/gate'],
  ['pauses for another answer', TWICE_GATED, 'all[gate]/gate'],
] as const)(
  'an answer that another process found and took is not refused when the run then %s',
  async (_, plan, gate) => {
    const stage = await stageOf('succeeds', plan);
    const { store, owner, other, handle } = stage;
    restAfterSending(stage);
    const claim = store.claim.bind(store);
    store.claim = async (request) => {
      store.claim = claim;
      await (await owner.resume(handle.id)).result();
      return claim(request);
    };
    expect(await other.answer(handle.id, { gate, value: 'yes', by: 'someone' })).toBeUndefined();
    const answered: unknown[] = [];
    for await (const { events } of store.read(handle.id))
      for (const event of events.map(asEvent))
        if (event.type === 'gate:answered') answered.push([event.gate, event.by]);
    expect(answered).toEqual([[gate, 'someone']]);
  },
);

test('an answer that came second is refused, also when its leg ends before that is known', async () => {
  const stage = await stageOf('succeeds', TWICE_GATED);
  const { store, owner, other, handle } = stage;
  restAfterSending(stage);
  const claim = store.claim.bind(store);
  const gate = 'all[gate]/gate';
  store.claim = async (request) => {
    store.claim = claim;
    const quicker = await owner.resume(handle.id, { answer: { gate, value: 'no', by: 'quicker' } });
    await quicker.result();
    return claim(request);
  };
  await expect(
    other.answer(handle.id, { gate, value: 'yes', by: 'someone' }),
  ).rejects.toMatchObject({ kind: 'gate.closed' });
});

test('a run that reads its cancellation in time acknowledges it', async () => {
  const stage = await stageOf();
  expect(await stage.other.cancel(stage.handle.id, 'someone')).toBeUndefined();
  expect(await stage.handle.result()).toEqual({ status: 'cancelled' });
});

test('one of two concurrent answers to a run of another process is refused', async () => {
  const stage = await stageOf();
  const answer = (value: string): Promise<unknown> =>
    stage.other.answer(stage.handle.id, { value, by: 'someone' }).then(
      () => value,
      (refusal: unknown) => (isKind(refusal, 'gate.closed') ? 'refused' : refusal),
    );
  const answers = await Promise.all([answer('yes'), answer('no')]);
  expect(answers).toContain('refused');
  const taken = answers.find((result) => result !== 'refused');
  await stage.rest();
  expect(await stage.handle.result()).toMatchObject({
    output: { outputs: { gate: { selected: taken } } },
  });
});

test('an answer is refused while another one is unread', async () => {
  const stage = await stageOf();
  await stage.store.send(stage.handle.id, {
    type: 'answer',
    gate: 'both[gate]/gate',
    value: 'yes',
    by: 'someone',
  });
  await expect(
    stage.other.answer(stage.handle.id, { value: 'yes', by: 'someone' }),
  ).rejects.toMatchObject({ kind: 'gate.closed' });
});

test('a paused run whose claim is about to be released can be answered', async () => {
  const stage = await stageOf();
  const { store } = stage;
  const refused = Promise.withResolvers<void>();
  const release = store.release.bind(store);
  store.release = async (claim) => {
    await refused.promise;
    return release(claim);
  };
  const claim = store.claim.bind(store);
  store.claim = async (request) => {
    try {
      return await claim(request);
    } catch (refusal) {
      refused.resolve();
      throw refusal;
    }
  };
  const resting = stage.rest();
  await expect.poll(() => statusOf(stage)).toBe('paused');
  const next = await stage.other.answer(stage.handle.id, { value: 'yes', by: 'someone' });
  expect(await next?.result()).toMatchObject({ status: 'completed' });
  await resting;
});

test('a run that ends between the first read and the claim stays as it ended', async () => {
  const stage = await stageOf();
  const { store, handle } = stage;
  await stage.rest();
  const claim = store.claim.bind(store);
  store.claim = async (request) => {
    store.claim = claim;
    const next = await stage.owner.answer(handle.id, { value: 'yes', by: 'quicker' });
    await next?.result();
    return claim(request);
  };
  await expect(stage.other.cancel(handle.id, 'someone')).rejects.toMatchObject({
    kind: 'run.already_ended',
  });
  expect(await statusOf(stage)).toBe('completed');
});
