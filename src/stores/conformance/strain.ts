/** Cases of strain: many calls at once, large data, strange text, and closing. */
import assert from 'node:assert/strict';
import {
  LEASE_MS,
  newRun,
  commitAt,
  readAll,
  seqsOf,
  range,
  rejects,
  type Cases,
} from './scene.ts';

export const STRAIN_CASES: Cases = {
  'keeps the order of each run when many write at once': async ({ store, other }) => {
    const runs = range(1, 30).map((number) => `run-${number}`);
    await Promise.all(
      runs.map(async (id, index) => {
        const handle = index % 2 ? store : other;
        const { claim } = await handle.create(newRun(id));
        for (const seq of range(2, 21)) {
          await handle.append({ claim, seq, events: [{ seq, run: id }] });
        }
      }),
    );
    for (const id of runs) {
      const events = (await readAll(store, id)).flatMap((commit) => commit.events);
      assert.deepEqual(
        events.slice(1),
        range(2, 21).map((seq) => ({ seq, run: id })),
      );
    }
    assert.equal((await store.list()).length, 30);
  },

  'takes concurrent commits of one run': async ({ store }) => {
    const { claim } = await store.create(newRun('r'));
    const heads = await Promise.all(range(2, 30).map((seq) => store.append(commitAt(claim, seq))));
    assert.deepEqual(
      heads.map(({ nextSeq }) => nextSeq),
      range(3, 31),
    );
    assert.deepEqual(await seqsOf(store, 'r'), range(1, 30));
  },

  'fails no write for the reason of another': async ({ store }) => {
    const { claim } = await store.create(newRun('r'));
    const { claim: sound } = await store.create(newRun('s'));
    const asked = [
      store.append(commitAt(sound, 2)),
      store.append(commitAt(claim, 7)),
      store.append({ ...commitAt(claim, 2), messagesThrough: 9 }),
      store.append(commitAt(sound, 3)),
      store.send('nobody', {}),
      store.send('s', { type: 'cancel' }),
    ];
    const answers = await Promise.allSettled(asked);
    assert.deepEqual(
      answers.map(({ status }) => status === 'fulfilled'),
      [true, false, false, true, false, true],
    );
    assert.deepEqual(await seqsOf(store, 's'), [1, 2, 3]);
    assert.deepEqual(await seqsOf(store, 'r'), [1]);
  },

  'reads what was there when reading began, while others write': async ({ store, other }) => {
    const { claim } = await store.create(newRun('r'));
    for (const seq of range(2, 50)) await store.append(commitAt(claim, seq));
    const seen: number[] = [];
    let seq = 51;
    for await (const commit of other.read('r')) {
      seen.push(commit.seq);
      if (seq < 80) await store.append(commitAt(claim, seq++));
    }
    assert.deepEqual(seen, range(1, 50));
    assert.deepEqual(await seqsOf(other, 'r'), range(1, seq - 1));
  },

  'stops reading when the reader does': async ({ store }) => {
    const { claim } = await store.create(newRun('r'));
    for (const seq of range(2, 20)) await store.append(commitAt(claim, seq));
    for await (const { seq } of store.read('r')) if (seq === 3) break;
    await store.append(commitAt(claim, 21));
    assert.equal((await readAll(store, 'r')).length, 21);
  },

  'keeps large events and many of them': async ({ store, other }) => {
    const { claim } = await store.create(newRun('r'));
    const large = { type: 'node:completed', output: 'x'.repeat(1024 * 1024) };
    await store.append({ claim, seq: 2, events: [large] });
    await store.append({ claim, seq: 3, events: [large, large] });
    await store.append(commitAt(claim, 5, 2000));
    const commits = await readAll(other, 'r');
    assert.deepEqual(commits[1]?.events, [large]);
    assert.deepEqual(commits[2]?.events, [large, large]);
    assert.equal(commits[3]?.events.length, 2000);
  },

  'keeps text as it is, wherever text is stored': async ({ store, other }) => {
    const text = 'Zürich 東京 🚀 \u0000 \ud83d "quoted" \\ \n %s \u202e مرحبا';
    const id = 'läuft-🚀';
    const { claim, head } = await store.create(
      newRun(id, { workflow: 'größe', file: 'ordner/größe.yaml', input: { [text]: text } }),
    );
    await store.append({ claim, seq: 2, events: [{ [text]: [text] }] });
    await store.saveCheckpoint(claim, { head, state: { [text]: text } });
    await store.send(id, { [text]: text });
    await store.changeBreaker(text, () => ({ [text]: text }));

    const record = await other.get(id);
    assert.deepEqual([record.workflow, record.file], ['größe', 'ordner/größe.yaml']);
    assert.deepEqual(record.input, { [text]: text });
    assert.deepEqual((await readAll(other, id))[1]?.events, [{ [text]: [text] }]);
    assert.deepEqual((await other.loadCheckpoint(id))?.state, { [text]: text });
    assert.deepEqual((await other.messages(id))[0]?.message, { [text]: text });
    assert.deepEqual((await other.breakers()).get(text), { [text]: text });
  },

  'cannot be changed through values that were passed in or returned': async ({ store }) => {
    const event = { seq: 1, list: [1] };
    const { claim } = await store.create(newRun('r', { events: [event] }));
    event.list.push(2);
    const [commit] = await readAll(store, 'r');
    assert.deepEqual(commit?.events, [{ seq: 1, list: [1] }]);
    const taken = commit?.events[0] as { list: number[] };
    taken.list.push(3);
    assert.deepEqual((await readAll(store, 'r'))[0]?.events, [{ seq: 1, list: [1] }]);
    await store.append(commitAt(claim, 2));
  },

  'finishes calls from before it is closed, and none after': async ({ store }) => {
    const { claim } = await store.create(newRun('r'));
    const last = store.append(commitAt(claim, 2));
    await store.close();
    assert.equal((await last).nextSeq, 3);
    await rejects(store.append(commitAt(claim, 3)), 'store.unavailable');
    await rejects(store.get('r'), 'store.unavailable');
    await rejects(store.list(), 'store.unavailable');
    await rejects(readAll(store, 'r'), 'store.unavailable');
    await rejects(store.create(newRun('s')), 'store.unavailable');
    await rejects(store.heartbeat([claim], LEASE_MS), 'store.unavailable');
    await store.close();
  },
};
