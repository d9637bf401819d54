import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, expect, test } from 'vitest';
import type { EffectClock } from '../../effects/clock.ts';
import { isKind } from '../../errors/thrown/errand-error.ts';
import type { ClaimOwner, RunStore } from '../../machine/ports/store-port.ts';
import { openMemoryStore } from '../../stores/memory.ts';
import { openSqliteStore } from '../../stores/sqlite/sqlite.ts';
import { workflow } from '../../workflow/authoring/define.ts';
import { createEffectRunner } from '../run/effect-runner.ts';
import { LocalBackend } from './local-backend.ts';
import { LEASE_MS } from './lease-keeper.ts';

const START_MS = Date.parse('2026-03-01T12:00:00.000Z');

/** Owner on another machine: only its lease shows whether it is alive. */
const FAR: ClaimOwner = { id: 'far', host: 'elsewhere', pid: 7, processStartedAt: 'then' };

const PLAN = workflow({
  name: 'long',
  entryPoint: 'work',
  nodes: [{ name: 'work', type: 'call', function: 'work' }],
}).plan;

/** Pays after the first step, so that a leg that has begun requests the payment. */
const PAYING = workflow({
  name: 'paying',
  entryPoint: 'begin',
  nodes: [
    { name: 'begin', type: 'call', function: 'begin', routes: [{ to: 'pay' }] },
    { name: 'pay', type: 'call', function: 'pay' },
  ],
}).plan;

/** Advances when the test says so, and calls what is due in order. */
class Hours implements EffectClock {
  #nowMs = START_MS;
  readonly #timers = new Set<{ readonly atMs: number; readonly fire: () => void }>();

  now = (): number => this.#nowMs;

  after = (ms: number, fire: () => void): (() => void) => {
    const timer = { atMs: this.#nowMs + ms, fire };
    this.#timers.add(timer);
    return () => this.#timers.delete(timer);
  };

  async pass(ms: number, { heard = true } = {}): Promise<void> {
    const untilMs = this.#nowMs + ms;
    while (heard) {
      const [next] = [...this.#timers].sort((a, b) => a.atMs - b.atMs);
      if (next === undefined || next.atMs > untilMs) break;
      this.#timers.delete(next);
      this.#nowMs = Math.max(this.#nowMs, next.atMs);
      next.fire();
      // a store of the machine answers within a few turns
      for (let turn = 0; turn < 5; turn++) await nextTurn();
    }
    this.#nowMs = untilMs;
  }
}

interface Stage {
  readonly clock: Hours;
  readonly store: RunStore;
  readonly backend: LocalBackend;
  readonly finish: (output: object) => void;
}

const open: LocalBackend[] = [];
const folders: string[] = [];
afterEach(async () => {
  for (const backend of open.splice(0)) await backend.close();
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'errand-watch-'));
  folders.push(folder);
  return folder;
}

async function stage(openStore: (now: () => number) => Promise<RunStore>): Promise<Stage> {
  const clock = new Hours();
  const store = await openStore(clock.now);
  const { promise, resolve } = Promise.withResolvers<object>();
  const backend = new LocalBackend({
    store,
    clock,
    effects: createEffectRunner({ env: {}, directory: '.', functions: { work: () => promise } }),
  });
  open.push(backend);
  return { clock, store, backend, finish: resolve };
}

const STORES = [
  ['memory', async (now: () => number) => openMemoryStore({ now })],
  ['SQLite', (now: () => number) => openSqliteStore({ path: join(newFolder(), 'errand.db'), now })],
] as const;

function takeFromAfar(store: RunStore, run: string): Promise<string> {
  const request = { run, owner: FAR, leaseMs: LEASE_MS, isAlive: () => true };
  return store.claim(request).then(
    () => 'taken',
    (refusal: unknown) => (isKind(refusal, 'run.already_active') ? 'refused' : String(refusal)),
  );
}

test.each(STORES)('a run that takes longer than a lease keeps it: %s', async (_, openStore) => {
  const { clock, store, backend, finish } = await stage(openStore);
  const run = await backend.start(PLAN, {});
  for (let lease = 0; lease < 4; lease++) {
    await clock.pass(LEASE_MS - 1);
    expect(await takeFromAfar(store, run.id)).toBe('refused');
  }
  finish({ done: true });
  expect(await run.result()).toEqual({ status: 'completed', output: { done: true } });
});

test.each(STORES)(
  'one that was silent too long has lost it, and writes no more: %s',
  async (_, openStore) => {
    const { clock, store, backend, finish } = await stage(openStore);
    const run = await backend.start(PLAN, {});
    await clock.pass(LEASE_MS, { heard: false });
    expect(await takeFromAfar(store, run.id)).toBe('taken');
    await clock.pass(1000);
    finish({ done: true });
    expect(await run.result()).toMatchObject({
      status: 'interrupted',
      error: { kind: 'store.claim_lost' },
    });
    expect(await store.summary(run.id)).toMatchObject({ status: 'running' });
  },
);

test.each(STORES)(
  'one whose machine is gone is free when its lease is over: %s',
  async (_, openStore) => {
    const { clock, store, backend, finish } = await stage(openStore);
    const run = await backend.start(PLAN, {});
    await clock.pass(LEASE_MS, { heard: false });
    expect(await takeFromAfar(store, run.id)).toBe('taken');
    finish({});
    await run.result();
    expect(await backend.sharing.due({ limit: 10 })).toEqual([]);
    await clock.pass(LEASE_MS);
    const due = await backend.sharing.due({ limit: 10 });
    expect(due.map((each) => each.run)).toEqual([run.id]);
  },
);

/** A store whose process stands still while it requests an effect of that node: it hears of the commit late. */
async function payWhileStandingStill(
  openStore: (now: () => number) => Promise<RunStore>,
  node: string,
  afterwards: (store: RunStore, run: string) => Promise<unknown>,
): Promise<{ readonly status: string; readonly called: readonly string[] }> {
  const clock = new Hours();
  const store = await openStore(clock.now);
  const standStill = async (run: string, events: readonly object[]): Promise<void> => {
    if (!JSON.stringify(events).includes(`"type":"effect:requested","node":"${node}"`)) return;
    await clock.pass(LEASE_MS, { heard: false });
    await afterwards(store, run);
  };
  const create = store.create.bind(store);
  store.create = async (run) => {
    const created = await create(run);
    await standStill(run.id, run.events);
    return created;
  };
  const append = store.append.bind(store);
  store.append = async (commit) => {
    const head = await append(commit);
    await standStill(commit.claim.run, commit.events);
    return head;
  };
  const called: string[] = [];
  const note = (name: string) => (): object => ({ called: called.push(name) });
  const functions = { begin: note('begin'), pay: note('pay') };
  const backend = new LocalBackend({
    store,
    clock,
    effects: createEffectRunner({ env: {}, directory: '.', functions }),
  });
  open.push(backend);
  const { status } = await (await backend.start(PAYING, {})).result();
  return { status, called };
}

const LATE = STORES.flatMap(([name, openStore]) =>
  (['begin', 'pay'] as const).map((node) => [name, node, openStore] as const),
);

test.each(LATE)(
  'one that stood still while its request was stored starts no effect of a run that another has: %s, %s',
  async (_, node, openStore) => {
    const { status, called } = await payWhileStandingStill(openStore, node, takeFromAfar);
    expect(called).toEqual(node === 'begin' ? [] : ['begin']);
    expect(status).toBe('interrupted');
  },
);

test.each(LATE)(
  'one that stood still and still has its run continues: %s, %s',
  async (_, node, openStore) => {
    const { status, called } = await payWhileStandingStill(openStore, node, async () => undefined);
    expect(called).toEqual(['begin', 'pay']);
    expect(status).toBe('completed');
  },
);
