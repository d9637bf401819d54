/** Cases of claims: one owner at a time, and no other process writes. */
import assert from 'node:assert/strict';
import { isKind } from '../../errors/thrown/errand-error.ts';
import type { ClaimOwner } from '../../machine/ports/store-port.ts';
import {
  OWNER,
  RIVAL,
  LEASE_MS,
  newRun,
  commitAt,
  claiming,
  seqsOf,
  range,
  rejects,
  type Cases,
} from './scene.ts';

/** A server's clock runs by itself meanwhile. */
const SLACK_MS = 15_000;

export const CLAIM_CASES: Cases = {
  'refuses a second claim while the owner is alive': async ({ store, other }) => {
    const { claim } = await store.create(newRun('r'));
    const error = await rejects(other.claim(claiming('r', RIVAL)), 'run.already_active');
    assert.equal(error.report.details?.['pid'], OWNER.pid);
    await rejects(store.claim(claiming('r', OWNER)), 'run.already_active');
    await store.append(commitAt(claim, 2));
  },

  'hands a run over at once when the process of its owner is gone': async ({ store, other }) => {
    const { claim } = await store.create(newRun('r'));
    const asked: ClaimOwner[] = [];
    const isAlive = (owner: ClaimOwner): boolean => {
      asked.push(owner);
      return false;
    };
    const taken = await other.claim({ ...claiming('r', RIVAL), isAlive });
    assert.deepEqual(asked, [OWNER]);
    assert.ok(taken.epoch > claim.epoch);
    assert.equal((await store.summary('r')).claim?.owner.id, RIVAL.id);
  },

  'refuses writes with a claim that was taken over': async ({ store, other }) => {
    const { claim, head } = await store.create(newRun('r'));
    await store.append(commitAt(claim, 2));
    const taken = await other.claim({ ...claiming('r', RIVAL), isAlive: () => false });
    await rejects(store.append(commitAt(claim, 3)), 'store.claim_lost');
    await rejects(store.append(commitAt(claim, 2)), 'store.claim_lost');
    await rejects(store.saveCheckpoint(claim, { head, state: {} }), 'store.claim_lost');
    assert.deepEqual(await store.heartbeat([claim], LEASE_MS), [claim]);
    await other.append(commitAt(taken, 3));
    await rejects(store.append(commitAt(claim, 4)), 'store.claim_lost');
    assert.deepEqual(await seqsOf(store, 'r'), [1, 2, 3]);
  },

  'gives a run to one of many concurrent claims': async ({ store, other }) => {
    const { claim } = await store.create(newRun('r'));
    await store.release(claim);
    const asked = range(1, 20).map((number) => {
      const owner = { ...RIVAL, id: `process-${number}`, pid: number };
      return (number % 2 ? store : other).claim(claiming('r', owner));
    });
    const answers = await Promise.allSettled(asked);
    const won = answers.filter(({ status }) => status === 'fulfilled');
    assert.equal(won.length, 1);
    for (const answer of answers) {
      if (answer.status === 'rejected') assert.ok(isKind(answer.reason, 'run.already_active'));
    }
  },

  'lets a lease run out, and a heartbeat prolong it': async ({ store, other, elapse }) => {
    const { claim } = await store.create(newRun('r'));
    await elapse(LEASE_MS - SLACK_MS);
    await rejects(other.claim(claiming('r', RIVAL)), 'run.already_active');
    assert.deepEqual(await store.heartbeat([claim], LEASE_MS), []);
    await elapse(LEASE_MS - SLACK_MS);
    await rejects(other.claim(claiming('r', RIVAL)), 'run.already_active');
    // no other process has claimed it yet, so its owner may continue
    await elapse(SLACK_MS);
    await store.append(commitAt(claim, 2));
    const taken = await other.claim(claiming('r', RIVAL));
    assert.deepEqual(await store.heartbeat([claim, taken], LEASE_MS), [claim]);
    await rejects(store.append(commitAt(claim, 3)), 'store.claim_lost');
    await other.append(commitAt(taken, 3));
  },

  'frees a run that is released, once': async ({ store, other }) => {
    const { claim } = await store.create(newRun('r'));
    await store.release(claim);
    assert.equal((await other.summary('r')).claim, null);
    await rejects(store.append(commitAt(claim, 2)), 'store.claim_lost');
    assert.deepEqual(await store.heartbeat([claim], LEASE_MS), [claim]);
    const taken = await other.claim(claiming('r', RIVAL));
    await store.release(claim);
    assert.equal((await other.summary('r')).claim?.owner.id, RIVAL.id);
    await other.append(commitAt(taken, 2));
  },
};
