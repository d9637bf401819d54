/**
 * Cases of what processes share besides the logs: due runs, stops by people, the outbox and notes.
 */
import assert from 'node:assert/strict';
import type { ClaimOwner, RunStatusRow, RunStore } from '../../machine/ports/store-port.ts';
import type { DueQuery, Delivery } from '../../machine/ports/shared-work-port.ts';
import { LEASE_MS, OWNER, RIVAL, claiming, commitAt, newRun, type Cases } from './scene.ts';

/** Far ahead: the clock of the store decides. */
const LATER_MS = Date.parse('2100-01-01T00:00:00Z');

const LIMIT = 10;
const DAY_MS = 24 * 3_600_000;

async function dueIn(store: RunStore, query: Partial<DueQuery> = {}): Promise<string[]> {
  const asked = { nowMs: LATER_MS, limit: LIMIT, isAlive: () => true, ...query };
  return (await store.due(asked)).map(({ run }) => run);
}

function pausedUntil(...times: (string | undefined)[]): RunStatusRow {
  const all = times.map((until) => ({
    reason: until === undefined ? ('gate' as const) : ('time' as const),
    ...(until === undefined ? {} : { until }),
  }));
  const [first = { reason: 'person' as const }] = all;
  return { status: 'paused', costUsdMicros: 0, waiting: { ...first, all } };
}

/** A run that waits for these times, and that no process has. */
async function paused(store: RunStore, id: string, ...times: (string | undefined)[]) {
  const { claim } = await store.create(newRun(id));
  await store.append({ ...commitAt(claim, 2), statusRow: pausedUntil(...times) });
  await store.release(claim);
  return claim;
}

const PAST = '1970-01-01T00:00:01.000Z';
const FUTURE = '2099-01-01T00:00:00.000Z';

export const SHARED_WORK_CASES: Cases = {
  'finds runs that no process has': async ({ store, other, elapse }) => {
    const { claim } = await store.create(newRun('held'));
    const { claim: left } = await store.create(newRun('released'));
    await store.release(left);
    assert.deepEqual(await dueIn(other), ['released']);
    assert.deepEqual((await dueIn(other, { isAlive: () => false })).toSorted(), [
      'held',
      'released',
    ]);
    await elapse(LEASE_MS * 2);
    assert.deepEqual((await dueIn(other)).toSorted(), ['held', 'released']);
    await store.heartbeat([claim], LEASE_MS);
    assert.deepEqual(await dueIn(other), ['released']);
    const [found] = await other.due({ nowMs: LATER_MS, limit: 1, isAlive: () => true });
    assert.equal(found?.dueMs, 0);
    assert.equal(found?.status, 'running');
    assert.equal(found?.workflow, 'triage');
  },

  'asks about each process once, however many runs it has': async ({ store }) => {
    for (const id of ['a', 'b', 'c']) await store.create(newRun(id));
    await store.create(newRun('d', { owner: RIVAL }));
    const asked: ClaimOwner[] = [];
    const isAlive = (owner: ClaimOwner): boolean => {
      asked.push(owner);
      return owner.id === OWNER.id;
    };
    assert.deepEqual(await dueIn(store, { isAlive }), ['d']);
    assert.deepEqual(new Set(asked.map(({ id }) => id)), new Set([OWNER.id, RIVAL.id]));
  },

  'finds paused runs whose time has come, by both clocks': async ({ store, other }) => {
    await paused(store, 'past', PAST);
    await paused(store, 'future', FUTURE);
    await paused(store, 'person', undefined);
    await paused(store, 'either', undefined, PAST);
    assert.deepEqual((await dueIn(other)).toSorted(), ['either', 'past']);
    assert.deepEqual(await dueIn(other, { nowMs: 0 }), []);
    const [found] = await other.due({ nowMs: LATER_MS, limit: 1, isAlive: () => true });
    assert.equal(found?.dueMs, Date.parse(PAST));
  },

  'finds a paused run with a message that nobody has read': async ({ store, other }) => {
    await paused(store, 'asked', undefined);
    await paused(store, 'quiet', undefined);
    await store.send('asked', { type: 'answer' });
    assert.deepEqual(await dueIn(other), ['asked']);
  },

  'finds no ended run, and only runs of these workflows': async ({ store }) => {
    for (const status of ['completed', 'failed', 'cancelled'] as const) {
      const { claim } = await store.create(newRun(status));
      await store.append({ ...commitAt(claim, 2), statusRow: { status, costUsdMicros: 0 } });
      await store.release(claim);
    }
    const { claim } = await store.create(newRun('other', { workflow: 'refund "x"' }));
    await store.release(claim);
    assert.deepEqual(await dueIn(store), ['other']);
    assert.deepEqual(await dueIn(store, { workflows: ['triage'] }), []);
    assert.deepEqual(await dueIn(store, { workflows: ['triage', 'refund "x"'] }), ['other']);
    assert.deepEqual(await dueIn(store, { workflows: [] }), []);
  },

  'finds a run again when it continues and is left': async ({ store, other }) => {
    await paused(store, 'r', PAST);
    const claim = await other.claim(claiming('r', RIVAL));
    assert.deepEqual(await dueIn(store), []);
    const running: RunStatusRow = { status: 'running', costUsdMicros: 3 };
    await other.append({ ...commitAt(claim, 3), statusRow: running });
    await other.release(claim);
    assert.deepEqual(await dueIn(store), ['r']);
  },

  'leaves out a run that a person stopped, until it continues': async ({ store, other }) => {
    const { claim } = await store.create(newRun('r'));
    await store.noteStop(claim);
    assert.deepEqual(await dueIn(other, { isAlive: () => false }), []);
    // the results of its effects are stored before it stops
    await store.append(commitAt(claim, 2));
    assert.deepEqual(await dueIn(other, { isAlive: () => false }), []);
    await store.noteStop(claim);
    await store.release(claim);
    assert.deepEqual(await dueIn(other), []);
    // a resumption that is refused adds nothing
    await other.release(await other.claim(claiming('r', RIVAL)));
    assert.deepEqual(await dueIn(other), []);
    const taken = await other.claim(claiming('r', RIVAL));
    await other.append(commitAt(taken, 3));
    await store.noteStop(claim);
    await other.release(taken);
    assert.deepEqual(await dueIn(other), ['r']);
  },

  'keeps notices for the endpoints that it knows, in the same commit': async ({ store, other }) => {
    const { claim } = await store.create(newRun('r', { notices: [{ seq: 1, type: 'early' }] }));
    await other.addEndpoint({ id: 'one', name: 'https://one' });
    await other.addEndpoint({ id: 'two', name: 'https://two' });
    await other.addEndpoint({ id: 'one', name: 'https://one' });
    const notices = [{ seq: 3, type: 'run.paused' }];
    await store.append({ ...commitAt(claim, 2, 2), notices });
    await store.append({ ...commitAt(claim, 2, 2), notices });
    await store.create(newRun('s', { notices: [{ seq: 1, type: 'gate.opened' }] }));
    const states = await other.endpoints();
    assert.deepEqual(
      states.map(({ id, name, waiting, failed }) => ({ id, name, waiting, failed })),
      [
        { id: 'one', name: 'https://one', waiting: 2, failed: 0 },
        { id: 'two', name: 'https://two', waiting: 2, failed: 0 },
      ],
    );
    const taken = await other.takeDeliveries({ endpoints: ['one'], limit: LIMIT, leaseMs: 60_000 });
    assert.deepEqual(sorted(taken), [
      { endpoint: 'one', run: 'r', seq: 3, type: 'run.paused', tries: 0 },
      { endpoint: 'one', run: 's', seq: 1, type: 'gate.opened', tries: 0 },
    ]);
  },

  'gives a delivery to one process at a time, until it is settled': async (scene) => {
    const { store, other, elapse } = scene;
    await store.addEndpoint({ id: 'one', name: 'one' });
    await store.create(newRun('r', { notices: [{ seq: 1, type: 'a' }] }));
    const request = { endpoints: ['one'], limit: LIMIT, leaseMs: 60_000 };
    const [first, second] = await Promise.all([
      store.takeDeliveries(request),
      other.takeDeliveries(request),
    ]);
    assert.equal(first.length + second.length, 1);
    assert.deepEqual(await other.takeDeliveries(request), []);
    await elapse(61_000);
    const [again] = await other.takeDeliveries(request);
    assert.equal(again?.tries, 0);
    const at = { endpoint: 'one', run: 'r', seq: 1 };
    await other.settleDelivery(at, { isDelivered: false, againInMs: 5000, problem: 'status 500' });
    assert.deepEqual(await store.takeDeliveries(request), []);
    await elapse(6000);
    const [retried] = await store.takeDeliveries(request);
    assert.equal(retried?.tries, 1);
    await store.settleDelivery(at, { isDelivered: false, againInMs: null, problem: 'status 503' });
    await elapse(120_000);
    assert.deepEqual(await store.takeDeliveries(request), []);
    const [state] = await other.endpoints();
    assert.deepEqual([state?.waiting, state?.failed, state?.problem], [0, 1, 'status 503']);
    await store.settleDelivery(at, { isDelivered: true });
    assert.equal((await other.endpoints())[0]?.failed, 0);
  },

  'keeps nothing for an endpoint that nobody has served for a month': async (scene) => {
    const { store, elapse } = scene;
    await store.addEndpoint({ id: 'left', name: 'left' });
    await elapse(29 * DAY_MS);
    await store.addEndpoint({ id: 'served', name: 'served' });
    await store.create(newRun('r', { notices: [{ seq: 1, type: 'a' }] }));
    await elapse(2 * DAY_MS);
    await store.create(newRun('s', { notices: [{ seq: 1, type: 'a' }] }));
    const waiting = (await store.endpoints()).map(({ id, waiting: count }): [string, number] => [
      id,
      count,
    ]);
    assert.deepEqual(
      new Map(waiting),
      new Map([
        ['left', 1],
        ['served', 2],
      ]),
    );
  },

  'forgets what was to be sent about a run that is removed, and says how much': async ({
    store,
  }) => {
    await store.addEndpoint({ id: 'one', name: 'one' });
    const { claim } = await store.create(newRun('r', { notices: [{ seq: 1, type: 'a' }] }));
    await store.noteStop(claim);
    await store.release(claim);
    const removed = await store.remove({ run: 'r', by: 'ada', at: PAST, isAlive: () => true });
    const tombstone = { run: 'r', workflow: 'triage', removedAt: PAST, removedBy: 'ada' };
    assert.deepEqual(removed, { ...tombstone, unsent: 1 });
    assert.deepEqual(await store.tombstone('r'), tombstone);
    const request = { endpoints: ['one'], limit: LIMIT, leaseMs: 60_000 };
    assert.deepEqual(await store.takeDeliveries(request), []);
    await store.settleDelivery({ endpoint: 'one', run: 'r', seq: 1 }, { isDelivered: true });
    assert.deepEqual(await dueIn(store), []);
  },

  'changes a note only for those who know its version': async ({ store, other }) => {
    assert.deepEqual((await store.notes('schedules')).notes, new Map());
    assert.equal(await store.setNote('schedules', 'a', { value: { at: 1 }, version: 0 }), true);
    assert.equal(await other.setNote('schedules', 'a', { value: { at: 2 }, version: 0 }), false);
    const { notes } = await other.notes('schedules');
    assert.deepEqual(notes, new Map([['a', { value: { at: 1 }, version: 1 }]]));
    const changed = await Promise.all(
      [store, other].map((each, at) =>
        each.setNote('schedules', 'a', { value: { by: at }, version: 1 }),
      ),
    );
    assert.deepEqual(new Set(changed), new Set([false, true]));
    assert.equal((await store.notes('schedules')).notes.get('a')?.version, 2);
    assert.deepEqual((await store.notes('else')).notes, new Map());
    assert.ok((await store.notes('else')).nowMs > 0);
  },
};

function sorted(deliveries: readonly Delivery[]): readonly Delivery[] {
  return deliveries.toSorted((a, b) => (a.run < b.run ? -1 : 1));
}
