import { expect, test } from 'vitest';
import type { EffectClock } from '../../effects/clock.ts';
import { ErrandError } from '../../errors/thrown/errand-error.ts';
import type { RunStore } from '../../machine/ports/store-port.ts';
import { openMemoryStore } from '../../stores/memory.ts';
import { workflow } from '../../workflow/authoring/define.ts';
import { createEffectRunner } from '../run/effect-runner.ts';
import { createErrand } from '../errand.ts';
import { LocalBackend } from './local-backend.ts';
import { VirtualClock } from '../../rehearsal/world/virtual-clock.ts';
import { LEASE_MS } from './lease-keeper.ts';

const WORK = workflow({
  name: 'work',
  entryPoint: 'work',
  nodes: [{ name: 'work', type: 'call', function: 'work' }],
});

/** Clock of a process that was killed: its timers never fire. */
const DEAD: EffectClock = { now: () => 0, after: () => () => undefined };

/** A run on a machine that disappeared. */
async function orphan(store: RunStore): Promise<string> {
  const begun = Promise.withResolvers<void>();
  const work = (): Promise<never> => {
    begun.resolve();
    return new Promise(() => undefined);
  };
  const functions = { work };
  const effects = createEffectRunner({ env: {}, directory: '.', functions });
  const backend = new LocalBackend({ store, effects, clock: DEAD });
  const { id } = await backend.start(WORK.plan, {});
  await begun.promise;
  return id;
}

interface Taken {
  readonly calls: string[];
  readonly first: Promise<void>;
}

function taking(): Taken & { readonly functions: Record<string, () => string> } {
  const first = Promise.withResolvers<void>();
  const calls: string[] = [];
  const work = (): string => {
    calls.push('work');
    first.resolve();
    return 'done';
  };
  return { calls, first: first.promise, functions: { work } };
}

test('a run is taken over when its lease ends, long after the store was opened', async () => {
  const clock = new VirtualClock(1_000_000);
  const store = openMemoryStore({ now: () => clock.now() });
  const { functions, calls } = taking();
  const errand = await createErrand({ store, adopt: true, functions }, clock);
  const run = await orphan(store);
  const statuses = async (...asked: ('running' | 'interrupted')[]): Promise<string[]> =>
    (await errand.list({ statuses: asked })).map(({ status }) => status);

  await clock.passUntil(clock.sleep(LEASE_MS - 2000));
  expect((await errand.list()).map(({ status }) => status)).toEqual(['running']);
  expect(await statuses('interrupted')).toEqual([]);
  expect(await statuses('running')).toEqual(['running']);
  expect(calls).toEqual([]);

  await clock.passUntil(clock.sleep(6000));
  const [found] = await errand.list();
  expect(found).toMatchObject({ run, status: 'paused', waiting: { reason: 'outcome' } });
  await errand.close();
});

test('without adoption it is listed as interrupted, and left alone', async () => {
  const clock = new VirtualClock(1_000_000);
  const store = openMemoryStore({ now: () => clock.now() });
  const { functions } = taking();
  const errand = await createErrand({ store, functions }, clock);
  const run = await orphan(store);
  await clock.passUntil(clock.sleep(LEASE_MS + 1));
  for (const query of [{}, { statuses: ['interrupted'] as const }, { limit: 1 }])
    expect(await errand.list(query)).toMatchObject([{ run, status: 'interrupted' }]);
  expect(await errand.list({ statuses: ['running'] })).toEqual([]);
  expect(await errand.list({ statuses: ['interrupted'], limit: 0 })).toEqual([]);
  await errand.close();
});

test('a run that cannot resume here is warned of once, and delays no other', async () => {
  const clock = new VirtualClock(1_000_000);
  const store = openMemoryStore({ now: () => clock.now() });
  const warnings: string[] = [];
  const { functions } = taking();
  const bad = await orphan(store);
  const good = await orphan(store);
  const get = store.get.bind(store);
  let tries = 0;
  store.get = (run) => {
    if (run !== bad) return get(run);
    tries++;
    return Promise.reject(new ErrandError({ kind: 'store.corrupt', message: 'damaged' }));
  };
  const onWarning = ({ kind }: { kind: string }): void => void warnings.push(kind);
  const errand = await createErrand({ store, adopt: true, functions, onWarning }, clock);
  await clock.passUntil(clock.sleep(LEASE_MS + 30_000));
  expect((await store.summary(good)).status).toBe('paused');
  expect(warnings).toEqual(['store.corrupt']);
  expect(tries).toBe(1);
  await clock.passUntil(clock.sleep(120_000));
  expect(tries).toBeGreaterThan(1);
  expect(warnings).toEqual(['store.corrupt']);
  await errand.close();
});

test('a store that fails while the first run is taken does not keep the others from being resumed', async () => {
  const clock = new VirtualClock(1_000_000);
  const store = openMemoryStore({ now: () => clock.now() });
  await orphan(store);
  await clock.passUntil(clock.sleep(LEASE_MS + 2000));
  let failures = 1;
  const claim: RunStore['claim'] = (request) =>
    failures-- > 0
      ? Promise.reject(new ErrandError({ kind: 'store.unavailable', message: 'It is away' }))
      : store.claim(request);
  const flaky = new Proxy(store, {
    get: (target, name) => (name === 'claim' ? claim : bound(target, name)),
  });
  const warnings: string[] = [];
  const { functions } = taking();
  const onWarning = ({ kind }: { readonly kind: string }): void => void warnings.push(kind);
  const errand = await createErrand({ store: flaky, adopt: true, functions, onWarning }, clock);
  expect(warnings).toEqual(['store.unavailable']);
  await clock.passUntil(clock.sleep(6000));
  expect((await errand.list()).map(({ status }) => status)).toEqual(['paused']);
  await errand.close();
});

/** Methods keep the store that they belong to. */
function bound(store: RunStore, name: string | symbol): unknown {
  const value: unknown = Reflect.get(store, name);
  return typeof value === 'function' ? value.bind(store) : value;
}

test('a run that was stopped here on purpose is not adopted here', async () => {
  const clock = new VirtualClock(1_000_000);
  const store = openMemoryStore({ now: () => clock.now() });
  const hang = Promise.withResolvers<string>();
  const errand = await createErrand(
    {
      store,
      adopt: true,
      functions: {
        work: (_: unknown, { signal }: { signal: AbortSignal }) => {
          signal.addEventListener('abort', () => hang.resolve('stopped'));
          return hang.promise;
        },
      },
    },
    clock,
  );
  const run = await errand.start(WORK);
  run.stop();
  await clock.passUntil(run.result());
  const { head } = await store.get(run.id);
  await clock.passUntil(clock.sleep(60_000));
  expect((await store.get(run.id)).head).toEqual(head);
  await errand.close();
});

test('nothing is taken over once it is closed', async () => {
  const clock = new VirtualClock(1_000_000);
  const store = openMemoryStore({ now: () => clock.now() });
  store.close = () => Promise.resolve();
  const { functions, calls } = taking();
  const errand = await createErrand({ store, adopt: true, functions }, clock);
  await orphan(store);
  await errand.close();
  expect(await clock.passUntil(clock.sleep(LEASE_MS * 2))).toBe('settled');
  expect(calls).toEqual([]);
});
