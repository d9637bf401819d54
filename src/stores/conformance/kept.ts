/** Cases of data beside the log: messages, checkpoints and the state of breakers. */
import assert from 'node:assert/strict';
import type { JsonValue } from '../../errors/support/safe-json.ts';
import type { LogHead } from '../../machine/ports/store-port.ts';
import { RIVAL, newRun, commitAt, claiming, seqsOf, rejects, type Cases } from './scene.ts';

export const KEPT_CASES: Cases = {
  'delivers each message once, with the commit that records it': async ({ store, other }) => {
    const { claim } = await store.create(newRun('r'));
    await store.create(newRun('s'));
    assert.deepEqual(await store.messages('r'), []);
    assert.deepEqual(await store.runsWithMessages(), []);
    assert.equal(await other.send('r', { type: 'answer', value: 'yes' }), 1);
    assert.equal(await store.send('r', { type: 'cancel' }), 2);
    assert.equal(await other.send('s', { type: 'cancel' }), 1);
    assert.deepEqual((await store.runsWithMessages()).toSorted(), ['r', 's']);

    const waiting = await store.messages('r');
    assert.deepEqual(waiting, [
      { number: 1, message: { type: 'answer', value: 'yes' } },
      { number: 2, message: { type: 'cancel' } },
    ]);
    // reading removes nothing: a crash here loses no message
    assert.deepEqual(await other.messages('r'), waiting);
    await store.append({ ...commitAt(claim, 2), messagesThrough: 1 });
    assert.deepEqual(await other.messages('r'), waiting.slice(1));
    await store.append({ ...commitAt(claim, 2), messagesThrough: 1 });
    await store.append({ ...commitAt(claim, 3), messagesThrough: 2 });
    assert.deepEqual(await store.messages('r'), []);
    assert.deepEqual(await store.runsWithMessages(), ['s']);
    assert.equal(await other.send('r', { type: 'resume' }), 3);
    await rejects(
      store.append({ ...commitAt(claim, 4), messagesThrough: 4 }),
      'internal.invariant',
    );
    assert.equal((await store.messages('r')).length, 1);
  },

  'leaves a message for the next owner when the commit that took it is refused': async (scene) => {
    const { store, other } = scene;
    const { claim } = await store.create(newRun('r'));
    await store.send('r', { type: 'cancel' });
    const taken = await other.claim({ ...claiming('r', RIVAL), isAlive: () => false });
    await rejects(store.append({ ...commitAt(claim, 2), messagesThrough: 1 }), 'store.claim_lost');
    assert.equal((await other.messages('r')).length, 1);
    await other.append({ ...commitAt(taken, 2), messagesThrough: 1 });
    assert.deepEqual(await other.messages('r'), []);
  },

  'returns the latest checkpoint that the log confirms': async ({ store, other }) => {
    const { claim, head: start } = await store.create(newRun('r'));
    assert.equal(await store.loadCheckpoint('r'), null);
    await store.saveCheckpoint(claim, { head: start, state: { step: 0 } });
    const head = await store.append(commitAt(claim, 2, 3));
    assert.deepEqual(await other.loadCheckpoint('r'), { head: start, state: { step: 0 } });
    await store.saveCheckpoint(claim, { head, state: { step: 1 } });
    await store.append(commitAt(claim, 5));
    assert.deepEqual(await other.loadCheckpoint('r'), { head, state: { step: 1 } });
    assert.deepEqual(await seqsOf(store, 'r', head.nextSeq), [5]);
  },

  'never returns a checkpoint that the log does not confirm': async ({ store }) => {
    const { claim } = await store.create(newRun('r'));
    const head = await store.append(commitAt(claim, 2, 3));
    const { head: foreign } = await store.create(newRun('s'));
    const wrong: readonly LogHead[] = [
      { nextSeq: 4, digest: head.digest },
      { nextSeq: 0, digest: head.digest },
      { nextSeq: 5, digest: foreign.digest },
      { nextSeq: 2, digest: head.digest },
      { nextSeq: 5, digest: '' },
    ];
    for (const place of wrong) {
      await store.saveCheckpoint(claim, { head: place, state: 'wrong' });
      assert.equal(await store.loadCheckpoint('r'), null, JSON.stringify(place));
    }
    await store.append(commitAt(claim, 5));
    assert.equal(await store.loadCheckpoint('r'), null);
  },

  'reports a checkpoint that has more events than the log': async ({ store }) => {
    const { claim, head } = await store.create(newRun('r'));
    await store.saveCheckpoint(claim, { head: { ...head, nextSeq: 9 }, state: 'ahead' });
    const { report } = await rejects(store.loadCheckpoint('r'), 'store.corrupt');
    assert.equal(report.details?.['seq'], 2);
    assert.equal(report.details?.['run'], 'r');
  },

  'loses nothing with its checkpoints': async ({ store }) => {
    for (const id of ['r', 's']) {
      const { claim, head } = await store.create(newRun(id));
      await store.saveCheckpoint(claim, { head, state: id });
    }
    await store.dropCheckpoints('r');
    assert.equal(await store.loadCheckpoint('r'), null);
    assert.equal((await store.loadCheckpoint('s'))?.state, 's');
    await store.dropCheckpoints();
    assert.equal(await store.loadCheckpoint('s'), null);
    assert.deepEqual(await seqsOf(store, 's'), [1]);
  },

  'shares the state of breakers': async ({ store, other }) => {
    assert.equal((await store.breakers()).size, 0);
    await store.changeBreaker('openai/gpt', () => ({ state: 'open', untilMs: 5 }));
    await other.changeBreaker('mcp/files/read', () => ({ state: 'closed', failures: 1 }));
    await store.changeBreaker('openai/gpt', () => ({ state: 'closed', failures: 2 }));
    assert.deepEqual(
      await other.breakers(),
      new Map([
        ['openai/gpt', { state: 'closed', failures: 2 }],
        ['mcp/files/read', { state: 'closed', failures: 1 }],
      ]),
    );
    assert.equal(await store.changeBreaker('openai/gpt', () => null), null);
    assert.deepEqual([...(await other.breakers()).keys()], ['mcp/files/read']);
  },

  'loses no change of a breaker that several make at once': async ({ store, other }) => {
    const count = (state: JsonValue): JsonValue => (typeof state === 'number' ? state + 1 : 1);
    const counts = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        (index % 2 === 0 ? store : other).changeBreaker('openai/gpt', count),
      ),
    );
    assert.deepEqual(
      counts.toSorted((a, b) => Number(a) - Number(b)),
      Array.from({ length: 20 }, (_, index) => index + 1),
    );
    assert.equal((await store.breakers()).get('openai/gpt'), 20);
  },

  'leaves a breaker as it is when its change throws': async ({ store }) => {
    await store.changeBreaker('openai/gpt', () => 1);
    await assert.rejects(
      store.changeBreaker('openai/gpt', () => {
        throw new RangeError('not today');
      }),
    );
    assert.equal(await store.changeBreaker('openai/gpt', (state) => state), 1);
  },
};
