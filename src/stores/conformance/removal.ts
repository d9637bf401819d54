/** Cases of removal: only the id of a removed run is left, and no other run is touched. */
import assert from 'node:assert/strict';
import type { RemoveRequest } from '../../machine/ports/store-port.ts';
import {
  claiming,
  commitAt,
  LEASE_MS,
  newRun,
  OWNER,
  readAll,
  rejects,
  RIVAL,
  seqsOf,
  type Cases,
} from './scene.ts';

const AT = '2026-12-24T18:00:00.000Z';

/** For a run whose owner is alive. */
function removing(run: string): RemoveRequest {
  return { run, by: 'someone', at: AT, isAlive: () => true };
}

export const REMOVAL_CASES: Cases = {
  'removes all of a run but a tombstone': async ({ store, other }) => {
    const { claim, head } = await store.create(newRun('r'));
    await store.append(commitAt(claim, 2, 3));
    await store.saveCheckpoint(claim, { head, state: {} });
    await store.send('r', { type: 'cancel' });
    await store.release(claim);
    const tombstone = { run: 'r', workflow: 'triage', removedAt: AT, removedBy: 'someone' };
    assert.equal(await store.tombstone('r'), null);
    assert.deepEqual(await other.remove(removing('r')), tombstone);

    for (const handle of [store, other]) {
      assert.deepEqual(await handle.tombstone('r'), tombstone);
      assert.deepEqual(await handle.list(), []);
      assert.deepEqual(await handle.runsWithMessages(), []);
      for (const ask of [
        () => handle.get('r'),
        () => handle.summary('r'),
        () => readAll(handle, 'r'),
        () => handle.claim(claiming('r', RIVAL)),
        () => handle.send('r', {}),
        () => handle.messages('r'),
        () => handle.loadCheckpoint('r'),
        () => handle.append(commitAt(claim, 5)),
        () => handle.remove(removing('r')),
      ]) {
        const { report } = await rejects(ask(), 'run.not_found');
        assert.equal(report.details?.['removedAt'], AT);
      }
    }
    await rejects(store.remove(removing('nobody')), 'run.not_found');
    assert.equal(await store.tombstone('nobody'), null);
  },

  'leaves the runs before and after a removed one as they were': async ({ store, other }) => {
    for (const id of ['a', 'b', 'c']) {
      const { claim } = await store.create(newRun(id));
      for (const seq of [2, 3]) await store.append(commitAt(claim, seq));
      await store.send(id, { type: 'resume' });
      await store.release(claim);
    }
    await store.remove(removing('b'));
    await store.compact();
    const ids = (await other.list()).map(({ run }) => run);
    assert.deepEqual(ids, ['c', 'a']);
    for (const id of ['a', 'c']) {
      assert.deepEqual(await seqsOf(other, id), [1, 2, 3]);
      assert.equal((await other.get(id)).plan, newRun(id).plan);
      assert.equal((await other.messages(id)).length, 1);
      const claim = await other.claim(claiming(id, RIVAL));
      await other.append(commitAt(claim, 4));
    }
    const { claim } = await store.create(newRun('d'));
    await store.append(commitAt(claim, 2));
    assert.equal((await other.list()).length, 3);
  },

  'removes no run that a live process owns': async ({ store, other, elapse }) => {
    const { claim } = await store.create(newRun('r'));
    const { report } = await rejects(other.remove(removing('r')), 'run.already_active');
    assert.equal(report.details?.['pid'], OWNER.pid);
    await store.append(commitAt(claim, 2));
    await elapse(2 * LEASE_MS);
    await other.remove(removing('r'));
    await rejects(store.append(commitAt(claim, 3)), 'run.not_found');
    assert.deepEqual(await store.heartbeat([claim], LEASE_MS), [claim]);

    await store.create(newRun('s'));
    await other.remove({ ...removing('s'), isAlive: () => false });
    assert.deepEqual(await store.list(), []);
  },

  'never uses the id of a removed run again': async ({ store, other }) => {
    const { claim } = await store.create(newRun('r'));
    await store.release(claim);
    await store.remove(removing('r'));
    const { report } = await rejects(other.create(newRun('r')), 'run.already_ended');
    assert.equal(report.details?.['removedAt'], AT);
    assert.deepEqual(await store.list(), []);
  },

  'reports how much of a lease is left, by its own clock': async ({ store, other, elapse }) => {
    await store.create(newRun('r'));
    const left = async (): Promise<number> => (await other.summary('r')).claim?.leftMs ?? NaN;
    const begun = await left();
    assert.ok(begun > LEASE_MS - 15_000 && begun <= LEASE_MS, String(begun));
    assert.ok(((await other.get('r')).claim?.leftMs ?? 0) > 0);
    await elapse(LEASE_MS);
    assert.ok((await left()) <= 0);
    assert.ok(((await other.list())[0]?.claim?.leftMs ?? 1) <= 0);
  },
};
