/**
 * What every store must do, as cases that any test runner can run:
 *
 *   for (const { name, run } of storeCases(newPlace)) it(name, run);
 *
 * A place is where data lives; each `open` gives another handle to it, as another process would
 * have. A store without a second handle may give the same one each time.
 */
import assert from 'node:assert/strict';
import { isKind } from '../errors/errand-error.ts';
import type { JsonObject } from '../errors/json.ts';
import type {
  Claim,
  ClaimOwner,
  ClaimRequest,
  Commit,
  LogHead,
  NewRun,
  RunStore,
  StoredCommit,
} from '../machine/store-port.ts';

export interface StorePlace {
  open(): Promise<RunStore>;
}

/** Gives an empty place whose stores measure leases with `now`. */
export type NewPlace = (now: () => number) => Promise<StorePlace>;

export interface StoreCase {
  readonly name: string;
  readonly run: () => Promise<void>;
}

interface Scene {
  readonly store: RunStore;
  readonly other: RunStore;
  readonly clock: { nowMs: number };
}

const OWNER: ClaimOwner = { id: 'driver-1', host: 'here', pid: 7, processStartedAt: '100' };
const RIVAL: ClaimOwner = { id: 'driver-2', host: 'here', pid: 8, processStartedAt: '200' };
const LEASE_MS = 30_000;

export function storeCases(newPlace: NewPlace): readonly StoreCase[] {
  return Object.entries(CASES).map(([name, body]) => ({
    name,
    run: async () => {
      const clock = { nowMs: 1_000_000 };
      const place = await newPlace(() => clock.nowMs);
      const store = await place.open();
      const other = await place.open();
      try {
        await body({ store, other, clock });
      } finally {
        await store.close();
        await other.close();
      }
    },
  }));
}

export function newRun(id: string, changes: Partial<NewRun> = {}): NewRun {
  return {
    id,
    workflow: 'triage',
    file: 'triage.yaml',
    plan: '{"nodes":["a"]}',
    input: { ticket: 'T-1' },
    startedAt: '2026-11-10T12:00:00.000Z',
    events: [{ seq: 1, type: 'run:started' }],
    standing: { status: 'running', costUsdMicros: 0 },
    owner: OWNER,
    leaseMs: LEASE_MS,
    ...changes,
  };
}

/** A commit of `count` events. */
export function commitAt(claim: Claim, seq: number, count = 1): Commit {
  return { claim, seq, events: numbered(seq, count) };
}

export async function readAll(
  store: RunStore,
  run: string,
  fromSeq?: number,
): Promise<StoredCommit[]> {
  const commits: StoredCommit[] = [];
  for await (const commit of store.read(run, fromSeq)) commits.push(commit);
  return commits;
}

const CASES: Readonly<Record<string, (scene: Scene) => Promise<void>>> = {
  'creates a run with its first events, all at once': async ({ store }) => {
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

  'creates once when the same driver asks twice, and refuses another': async ({ store }) => {
    const first = await store.create(newRun('r'));
    assert.deepEqual(await store.create(newRun('r')), first);
    await rejects(store.create(newRun('r', { owner: RIVAL })), 'store.claim_lost');
    await rejects(store.create(newRun('r', { events: [{ type: 'x' }] })), 'internal.invariant');
    assert.equal((await store.list()).length, 1);
    assert.deepEqual(await seqsOf(store, 'r'), [1]);
    await store.release(first.claim);
    await rejects(store.create(newRun('r')), 'store.claim_lost');
  },

  'says of a run that it does not have that it is not there': async ({ store }) => {
    const claim = { run: 'nobody', epoch: 1 };
    await rejects(store.get('nobody'), 'run.not_found');
    await rejects(store.summary('nobody'), 'run.not_found');
    await rejects(readAll(store, 'nobody'), 'run.not_found');
    await rejects(store.append(commitAt(claim, 1)), 'run.not_found');
    await rejects(store.claim(claiming('nobody', OWNER)), 'run.not_found');
    await rejects(store.send('nobody', { type: 'cancel' }), 'run.not_found');
    await rejects(store.signals('nobody'), 'run.not_found');
    await rejects(store.loadCheckpoint('nobody'), 'run.not_found');
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

  'updates the standing with the commit that changes it': async ({ store, other }) => {
    const { claim } = await store.create(newRun('r'));
    await store.append(commitAt(claim, 2));
    assert.equal((await store.summary('r')).status, 'running');
    const waiting = { reason: 'gate', gate: 'g', all: [{ reason: 'gate', gate: 'g' }] } as const;
    await store.append({
      ...commitAt(claim, 3),
      standing: { status: 'paused', waiting, costUsdMicros: 12 },
    });
    const paused = await other.summary('r');
    assert.deepEqual([paused.status, paused.costUsdMicros], ['paused', 12]);
    assert.deepEqual(paused.waiting, waiting);

    const error = { kind: 'external.order.missing', message: 'No such order' };
    const endedAt = '2026-11-10T12:05:00.000Z';
    await store.append({
      ...commitAt(claim, 4),
      standing: { status: 'failed', error, endedAt, costUsdMicros: 13 },
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

  'takes the last standing of many that are asked for at once': async ({ store, other }) => {
    const { claim } = await store.create(newRun('r'));
    const running = { status: 'running', costUsdMicros: 0 } as const;
    const paused = { status: 'paused', costUsdMicros: 1 } as const;
    const inTurn = [paused, running, running, paused, running];
    await Promise.all(
      inTurn.map((standing, index) => store.append({ ...commitAt(claim, index + 2), standing })),
    );
    assert.equal((await other.summary('r')).status, 'running');
    await store.append({ ...commitAt(claim, 7), standing: paused });
    assert.equal((await other.summary('r')).status, 'paused');
    const taken = await other.claim({ ...claiming('r', RIVAL), isAlive: () => false });
    await other.append({ ...commitAt(taken, 8), standing: running });
    await other.release(taken);
    const again = await store.claim(claiming('r', OWNER));
    await store.append({ ...commitAt(again, 9), standing: paused });
    assert.equal((await other.summary('r')).status, 'paused');
  },

  'keeps the standing of before when the commit is refused': async ({ store }) => {
    const { claim } = await store.create(newRun('r'));
    const standing = { status: 'completed', costUsdMicros: 5 } as const;
    await rejects(store.append({ ...commitAt(claim, 9), standing }), 'store.corrupt');
    await rejects(
      store.append({ ...commitAt(claim, 2), standing, signalsThrough: 4 }),
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
        const standing = { status: 'completed', costUsdMicros: 1 } as const;
        await store.append({ ...commitAt(claim, 2), standing });
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

  'refuses a second claim while the owner lives': async ({ store, other }) => {
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

  'lets nobody write with a claim that was taken over': async ({ store, other }) => {
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

  'gives a run to one of many who ask at the same moment': async ({ store, other }) => {
    const { claim } = await store.create(newRun('r'));
    await store.release(claim);
    const asked = range(1, 20).map((number) => {
      const owner = { ...RIVAL, id: `driver-${number}`, pid: number };
      return (number % 2 ? store : other).claim(claiming('r', owner));
    });
    const answers = await Promise.allSettled(asked);
    const won = answers.filter(({ status }) => status === 'fulfilled');
    assert.equal(won.length, 1);
    for (const answer of answers) {
      if (answer.status === 'rejected') assert.ok(isKind(answer.reason, 'run.already_active'));
    }
  },

  'lets a lease run out, and a heartbeat prolong it': async ({ store, other, clock }) => {
    const { claim } = await store.create(newRun('r'));
    clock.nowMs += LEASE_MS - 1;
    await rejects(other.claim(claiming('r', RIVAL)), 'run.already_active');
    assert.deepEqual(await store.heartbeat([claim], LEASE_MS), []);
    clock.nowMs += LEASE_MS - 1;
    await rejects(other.claim(claiming('r', RIVAL)), 'run.already_active');
    // nobody has taken it yet, so its owner may go on
    clock.nowMs += 1;
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

  'delivers each signal once, with the commit that records it': async ({ store, other }) => {
    const { claim } = await store.create(newRun('r'));
    await store.create(newRun('s'));
    assert.deepEqual(await store.signals('r'), []);
    assert.deepEqual(await store.runsWithSignals(), []);
    assert.equal(await other.send('r', { type: 'answer', value: 'yes' }), 1);
    assert.equal(await store.send('r', { type: 'cancel' }), 2);
    assert.equal(await other.send('s', { type: 'cancel' }), 1);
    assert.deepEqual((await store.runsWithSignals()).toSorted(), ['r', 's']);

    const waiting = await store.signals('r');
    assert.deepEqual(waiting, [
      { number: 1, signal: { type: 'answer', value: 'yes' } },
      { number: 2, signal: { type: 'cancel' } },
    ]);
    // reading takes nothing: a crash here loses no signal
    assert.deepEqual(await other.signals('r'), waiting);
    await store.append({ ...commitAt(claim, 2), signalsThrough: 1 });
    assert.deepEqual(await other.signals('r'), waiting.slice(1));
    await store.append({ ...commitAt(claim, 2), signalsThrough: 1 });
    await store.append({ ...commitAt(claim, 3), signalsThrough: 2 });
    assert.deepEqual(await store.signals('r'), []);
    assert.deepEqual(await store.runsWithSignals(), ['s']);
    assert.equal(await other.send('r', { type: 'resume' }), 3);
    await rejects(store.append({ ...commitAt(claim, 4), signalsThrough: 4 }), 'internal.invariant');
    assert.equal((await store.signals('r')).length, 1);
  },

  'leaves a signal for the next owner when the commit that took it is refused': async (scene) => {
    const { store, other } = scene;
    const { claim } = await store.create(newRun('r'));
    await store.send('r', { type: 'cancel' });
    const taken = await other.claim({ ...claiming('r', RIVAL), isAlive: () => false });
    await rejects(store.append({ ...commitAt(claim, 2), signalsThrough: 1 }), 'store.claim_lost');
    assert.equal((await other.signals('r')).length, 1);
    await other.append({ ...commitAt(taken, 2), signalsThrough: 1 });
    assert.deepEqual(await other.signals('r'), []);
  },

  'gives back the latest checkpoint that the log confirms': async ({ store, other }) => {
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

  'never gives out a checkpoint that the log does not confirm': async ({ store }) => {
    const { claim } = await store.create(newRun('r'));
    const head = await store.append(commitAt(claim, 2, 3));
    const { head: foreign } = await store.create(newRun('s'));
    const wrong: readonly LogHead[] = [
      { nextSeq: 6, digest: head.digest },
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

  'keeps the state of breakers for all': async ({ store, other }) => {
    assert.equal((await store.breakers()).size, 0);
    await store.setBreaker('openai/gpt', { state: 'open', untilMs: 5 });
    await other.setBreaker('mcp/files/read', { state: 'closed', failures: 1 });
    await store.setBreaker('openai/gpt', { state: 'closed', failures: 2 });
    assert.deepEqual(
      await other.breakers(),
      new Map([
        ['openai/gpt', { state: 'closed', failures: 2 }],
        ['mcp/files/read', { state: 'closed', failures: 1 }],
      ]),
    );
    await store.setBreaker('openai/gpt', null);
    assert.deepEqual([...(await other.breakers()).keys()], ['mcp/files/read']);
  },

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

  'takes commits of one run that are asked for without waiting': async ({ store }) => {
    const { claim } = await store.create(newRun('r'));
    const heads = await Promise.all(range(2, 30).map((seq) => store.append(commitAt(claim, seq))));
    assert.deepEqual(
      heads.map(({ nextSeq }) => nextSeq),
      range(3, 31),
    );
    assert.deepEqual(await seqsOf(store, 'r'), range(1, 30));
  },

  'lets nobody fail for what another asked': async ({ store }) => {
    const { claim } = await store.create(newRun('r'));
    const { claim: sound } = await store.create(newRun('s'));
    const asked = [
      store.append(commitAt(sound, 2)),
      store.append(commitAt(claim, 7)),
      store.append({ ...commitAt(claim, 2), signalsThrough: 9 }),
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

  'keeps text as it is, in every place that takes text': async ({ store, other }) => {
    const text = 'Zürich 東京 🚀 \u0000 \ud83d "quoted" \\ \n %s \u202e مرحبا';
    const id = 'läuft-🚀';
    const { claim, head } = await store.create(
      newRun(id, { workflow: 'größe', file: 'ordner/größe.yaml', input: { [text]: text } }),
    );
    await store.append({ claim, seq: 2, events: [{ [text]: [text] }] });
    await store.saveCheckpoint(claim, { head, state: { [text]: text } });
    await store.send(id, { [text]: text });
    await store.setBreaker(text, { [text]: text });

    const record = await other.get(id);
    assert.deepEqual([record.workflow, record.file], ['größe', 'ordner/größe.yaml']);
    assert.deepEqual(record.input, { [text]: text });
    assert.deepEqual((await readAll(other, id))[1]?.events, [{ [text]: [text] }]);
    assert.deepEqual((await other.loadCheckpoint(id))?.state, { [text]: text });
    assert.deepEqual((await other.signals(id))[0]?.signal, { [text]: text });
    assert.deepEqual((await other.breakers()).get(text), { [text]: text });
  },

  'cannot be changed from outside by what was given or taken': async ({ store }) => {
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

  'finishes what was asked before it is closed, and nothing after': async ({ store }) => {
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

/** A claim on a run whose present owner lives. */
function claiming(run: string, owner: ClaimOwner): ClaimRequest {
  return { run, owner, leaseMs: LEASE_MS, isAlive: () => true };
}

async function seqsOf(store: RunStore, run: string, fromSeq?: number): Promise<unknown[]> {
  const commits = await readAll(store, run, fromSeq);
  return commits.flatMap(({ events }) => events.map((event) => event['seq']));
}

function numbered(first: number, count: number): JsonObject[] {
  return range(first, first + count - 1).map((seq) => ({ seq, type: 'node:started' }));
}

function range(first: number, last: number): number[] {
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, index) => first + index);
}

interface Reported {
  readonly report: { readonly details?: JsonObject };
}

export async function rejects(promise: Promise<unknown>, kind: string): Promise<Reported> {
  const error = await promise.then(
    () => assert.fail(`Expected ${kind}, and it went well`),
    (reason: unknown) => reason,
  );
  if (!isKind(error, kind)) throw error;
  // every error of a kind carries its report
  return error as Reported;
}
