/** Runs are created, written, read and listed. */
import assert from 'node:assert/strict';
import type { RunStore } from '../../machine/ports/store-port.ts';
import {
  OWNER,
  RIVAL,
  newRun,
  commitAt,
  readAll,
  claiming,
  seqsOf,
  numbered,
  range,
  rejects,
  type Cases,
} from './scene.ts';

export const LOG_CASES: Cases = {
  'creates a run with its first events in one write': async ({ store }) => {
    const { claim, head } = await store.create(newRun('r', { events: numbered(1, 3) }));
    assert.equal(head.nextSeq, 4);
    assert.deepEqual(claim, { run: 'r', epoch: 1 });

    const record = await store.get('r');
    assert.equal(record.plan, '{"nodes":["a"]}');
    assert.deepEqual(record.input, { ticket: 'T-1' });
    assert.deepEqual(record.head, head);
    assert.equal(record.file, 'triage.yaml');
    assert.equal(record.claim?.owner.id, OWNER.id);
    assert.deepEqual(await seqsOf(store, 'r'), [1, 2, 3]);
  },

  'leaves nothing of a run that it could not create': async ({ store }) => {
    const cyclic: Record<string, unknown> = {};
    cyclic['self'] = cyclic;
    await rejects(store.create(newRun('r', { events: [cyclic] })), 'internal.invariant');
    await rejects(store.create(newRun('r', { events: [] })), 'internal.invariant');
    await rejects(store.get('r'), 'run.not_found');
    assert.deepEqual(await store.list(), []);
    await store.create(newRun('r'));
  },

  'creates once when the same owner calls twice, and refuses another': async ({ store }) => {
    const first = await store.create(newRun('r'));
    assert.deepEqual(await store.create(newRun('r')), first);
    await rejects(store.create(newRun('r', { owner: RIVAL })), 'store.claim_lost');
    await rejects(store.create(newRun('r', { events: [{ type: 'x' }] })), 'internal.invariant');
    assert.equal((await store.list()).length, 1);
    assert.deepEqual(await seqsOf(store, 'r'), [1]);
    await store.release(first.claim);
    await rejects(store.create(newRun('r')), 'store.claim_lost');
  },

  'reports a run that does not exist, whatever was asked for': async ({ store }) => {
    for (const run of ['nobody', '', '\0', 'nobody\0', '\ud800']) {
      const claim = { run, epoch: 1 };
      await rejects(store.get(run), 'run.not_found');
      await rejects(store.summary(run), 'run.not_found');
      await rejects(store.list({ before: run }), 'run.not_found');
      await rejects(readAll(store, run), 'run.not_found');
      await rejects(store.append(commitAt(claim, 1)), 'run.not_found');
      await rejects(store.claim(claiming(run, OWNER)), 'run.not_found');
      await rejects(store.send(run, { type: 'cancel' }), 'run.not_found');
      await rejects(store.messages(run), 'run.not_found');
      await rejects(store.loadCheckpoint(run), 'run.not_found');
      await rejects(store.dropCheckpoints(run), 'run.not_found');
      await rejects(
        store.remove({ run, by: 'ann', at: '2026-11-10T12:05:00.000Z', isAlive: () => true }),
        'run.not_found',
      );
      assert.equal(await store.tombstone(run), null);
    }
  },

  'numbers events without a gap, whatever the size of the commits': async ({ store }) => {
    const { claim } = await store.create(newRun('r'));
    let { nextSeq } = await store.append(commitAt(claim, 2, 1));
    for (const count of [5, 1, 40, 2]) {
      ({ nextSeq } = await store.append(commitAt(claim, nextSeq, count)));
    }
    assert.equal(nextSeq, 51);
    assert.deepEqual(await seqsOf(store, 'r'), range(1, 50));
    const commits = await readAll(store, 'r');
    assert.deepEqual(
      commits.map(({ seq }) => seq),
      [1, 2, 3, 8, 9, 49],
    );
    assert.deepEqual(
      commits.map(({ head }) => head.nextSeq),
      [2, 3, 8, 9, 49, 51],
    );
  },

  'reads from any event on, in the middle of a commit too': async ({ store }) => {
    const { claim } = await store.create(newRun('r'));
    await store.append(commitAt(claim, 2, 4));
    await store.append(commitAt(claim, 6, 1));
    for (const from of range(1, 6)) {
      assert.deepEqual(await seqsOf(store, 'r', from), range(from, 6));
      const [first] = await readAll(store, 'r', from);
      assert.equal(first?.seq, from);
    }
    assert.deepEqual(await readAll(store, 'r', 7), []);
    assert.deepEqual(await readAll(store, 'r', 100), []);
  },

  'takes the same commit twice as once': async ({ store }) => {
    const { claim, head: start } = await store.create(newRun('r'));
    const first = await store.append(commitAt(claim, 2, 2));
    assert.deepEqual(await store.append(commitAt(claim, 2, 2)), first);
    const second = await store.append(commitAt(claim, 4));
    assert.deepEqual(await store.append(commitAt(claim, 2, 2)), first);
    assert.deepEqual(await store.append(commitAt(claim, 4)), second);
    assert.deepEqual(
      await store.append({ ...commitAt(claim, 1), events: newRun('r').events }),
      start,
    );
    assert.deepEqual(await seqsOf(store, 'r'), [1, 2, 3, 4]);
  },

  'refuses a commit that does not fit the log, and writes nothing': async ({ store }) => {
    const { claim } = await store.create(newRun('r'));
    await store.append(commitAt(claim, 2, 2));
    await rejects(store.append(commitAt(claim, 5)), 'store.corrupt');
    await rejects(
      store.append({ ...commitAt(claim, 2), events: [{ not: 'it' }] }),
      'store.claim_lost',
    );
    await rejects(store.append(commitAt(claim, 3)), 'store.claim_lost');
    await rejects(store.append({ ...commitAt(claim, 4), events: [] }), 'internal.invariant');
    assert.deepEqual(await seqsOf(store, 'r'), [1, 2, 3]);
    await store.append(commitAt(claim, 4));
  },

  'updates the status with the commit that changes it': async ({ store, other }) => {
    const { claim } = await store.create(newRun('r'));
    await store.append(commitAt(claim, 2));
    assert.equal((await store.summary('r')).status, 'running');
    const waiting = { reason: 'gate', gate: 'g', all: [{ reason: 'gate', gate: 'g' }] } as const;
    await store.append({
      ...commitAt(claim, 3),
      statusRow: { status: 'paused', waiting, costUsdMicros: 12 },
    });
    const paused = await other.summary('r');
    assert.deepEqual([paused.status, paused.costUsdMicros], ['paused', 12]);
    assert.deepEqual(paused.waiting, waiting);

    const error = { kind: 'external.order.missing', message: 'No such order' };
    const endedAt = '2026-11-10T12:05:00.000Z';
    await store.append({
      ...commitAt(claim, 4),
      statusRow: { status: 'failed', error, endedAt, costUsdMicros: 13 },
    });
    const { claim: held, ...summary } = await other.summary('r');
    assert.equal(held?.epoch, 1);
    assert.deepEqual(summary, {
      run: 'r',
      workflow: 'triage',
      file: 'triage.yaml',
      startedAt: '2026-11-10T12:00:00.000Z',
      status: 'failed',
      endedAt,
      error,
      costUsdMicros: 13,
    });
  },

  'takes the last status of many concurrent writes': async ({ store, other }) => {
    const { claim } = await store.create(newRun('r'));
    const running = { status: 'running', costUsdMicros: 0 } as const;
    const paused = { status: 'paused', costUsdMicros: 1 } as const;
    const inTurn = [paused, running, running, paused, running];
    await Promise.all(
      inTurn.map((statusRow, index) => store.append({ ...commitAt(claim, index + 2), statusRow })),
    );
    assert.equal((await other.summary('r')).status, 'running');
    await store.append({ ...commitAt(claim, 7), statusRow: paused });
    assert.equal((await other.summary('r')).status, 'paused');
    const taken = await other.claim({ ...claiming('r', RIVAL), isAlive: () => false });
    await other.append({ ...commitAt(taken, 8), statusRow: running });
    await other.release(taken);
    const again = await store.claim(claiming('r', OWNER));
    await store.append({ ...commitAt(again, 9), statusRow: paused });
    assert.equal((await other.summary('r')).status, 'paused');
  },

  'keeps the previous status when the commit is refused': async ({ store }) => {
    const { claim } = await store.create(newRun('r'));
    const statusRow = { status: 'completed', costUsdMicros: 5 } as const;
    await rejects(store.append({ ...commitAt(claim, 9), statusRow }), 'store.corrupt');
    await rejects(
      store.append({ ...commitAt(claim, 2), statusRow, messagesThrough: 4 }),
      'internal.invariant',
    );
    assert.equal((await store.summary('r')).status, 'running');
    assert.deepEqual(await seqsOf(store, 'r'), [1]);
  },

  'lists the newest first, by status, by number and by page': async ({ store }) => {
    for (const id of ['a', 'b', 'c', 'd']) {
      const { claim } = await store.create(
        newRun(id, { startedAt: `2026-11-10T12:00:00.00${id}Z` }),
      );
      if (id === 'b' || id === 'd') {
        const statusRow = { status: 'completed', costUsdMicros: 1 } as const;
        await store.append({ ...commitAt(claim, 2), statusRow });
      }
    }
    const ids = async (query?: Parameters<RunStore['list']>[0]): Promise<string[]> =>
      (await store.list(query)).map(({ run }) => run);
    assert.deepEqual(await ids(), ['d', 'c', 'b', 'a']);
    assert.deepEqual(await ids({ limit: 2 }), ['d', 'c']);
    assert.deepEqual(await ids({ limit: 2, before: 'c' }), ['b', 'a']);
    assert.deepEqual(await ids({ statuses: ['completed'] }), ['d', 'b']);
    assert.deepEqual(await ids({ statuses: ['running', 'paused'], limit: 1 }), ['c']);
    assert.deepEqual(await ids({ statuses: [] }), []);
    await rejects(store.list({ before: 'nobody' }), 'run.not_found');
  },
};
