import { expect, test } from 'vitest';
import { ErrandError } from '../../errors/thrown/errand-error.ts';
import {
  ASKS,
  closed,
  HOUR_MS,
  newPlace,
  PARKS,
  WORKS,
  type Place,
} from './cases/carry-on.cases.ts';
import { LEASE_MS } from './lease-keeper.ts';
import { IS_FAST } from '../../../test/runs.ts';

/** The longest that anything due may wait. */
const SOON_MS = 5000;

function hangs(): Promise<never> {
  return new Promise(() => undefined);
}

/** Starts a run of `parks` in a process that ends at its pause. */
async function parked(place: Place): Promise<string> {
  const errand = await place.open({ functions: { work: closed } });
  const run = await errand.start(PARKS);
  expect((await run.result()).status).toBe('paused');
  await errand.close();
  return run.id;
}

test('a parked run continues within 5 seconds of its time, and not before it', async () => {
  const place = newPlace();
  const run = await parked(place);
  const server = await place.open({ functions: { work: () => 'paid' } });
  const carrying = await server.carryOn();
  await place.pass(HOUR_MS - 1000);
  expect(await place.statuses()).toEqual(['paused']);
  await place.pass(1000 + SOON_MS);
  expect(await place.statuses()).toEqual(['completed']);
  const events = await server.events(run);
  expect(events.filter(({ type }) => type === 'run:resumed')).toMatchObject([{ by: 'timer' }]);
  await carrying.stop();
  await server.close();
});

test('a gate whose time is over takes its default', async () => {
  const place = newPlace();
  const errand = await place.open();
  const run = await errand.start(ASKS);
  await run.result();
  await errand.close();
  const server = await place.open();
  await server.carryOn();
  await place.pass(HOUR_MS + SOON_MS);
  const { status, output } = await server.get(run.id);
  expect({ status, output }).toEqual({
    status: 'completed',
    output: { selected: 'yes', additional_input: null },
  });
  await server.close();
});

test('only runs of the workflows that are served are carried on', async () => {
  const place = newPlace();
  const run = await parked(place);
  const server = await place.open({ functions: { work: () => 'paid' } });
  const names = ['other'];
  await server.carryOn({ workflows: () => names });
  await place.pass(HOUR_MS + 60_000);
  expect((await server.get(run)).status).toBe('paused');
  names.push('parks');
  await place.pass(SOON_MS);
  expect((await server.get(run)).status).toBe('completed');
  await server.close();
});

test('a run that a person stopped is left alone until somebody resumes it', async () => {
  const place = newPlace();
  const begun = Promise.withResolvers<void>();
  const work = (_: unknown, { signal }: { readonly signal: AbortSignal }): Promise<string> => {
    begun.resolve();
    return new Promise((resolve) => signal.addEventListener('abort', () => resolve('done')));
  };
  const errand = await place.open({ functions: { work, tell: closed } });
  const run = await errand.start(WORKS);
  await begun.promise;
  run.stop();
  await run.result();
  await errand.close();

  const server = await place.open({ functions: { work: () => 'again', tell: () => 'tell' } });
  await server.carryOn();
  await place.pass(LEASE_MS * 3);
  expect((await server.get(run.id)).status).toBe('interrupted');
  await (await server.resume(run.id)).result();
  expect((await server.get(run.id)).status).toBe('completed');
  await server.close();
});

test('a stop of a leg that has ended says nothing about the next one', async () => {
  const place = newPlace();
  const begun = Promise.withResolvers<void>();
  const work = ({ signal }: { readonly signal: AbortSignal }): Promise<string> => {
    begun.resolve();
    return new Promise((resolve) => signal.addEventListener('abort', () => resolve('done')));
  };
  let isClosed = true;
  const errand = await place.open({
    functions: { work: (_: unknown, call: never) => (isClosed ? closed() : work(call)) },
  });
  const run = await errand.start(PARKS);
  expect(await run.result()).toMatchObject({ status: 'paused' });
  run.stop();
  isClosed = false;
  await errand.resume(run.id, { now: true });
  await begun.promise;
  await errand.close();

  const server = await place.open({ functions: { work: () => 'again' } });
  await server.carryOn();
  await place.pass(SOON_MS);
  expect((await server.get(run.id)).status).toBe('completed');
  await server.close();
});

test('a run whose process was closed is carried on at once, and effects with a result are not repeated', async () => {
  const place = newPlace();
  const calls: string[] = [];
  const held = Promise.withResolvers<string>();
  const begun = Promise.withResolvers<void>();
  const first = await place.open({
    functions: {
      work: () => 'worked',
      tell: (_: unknown, { signal }: { readonly signal: AbortSignal }) => {
        begun.resolve();
        signal.addEventListener('abort', () => held.resolve('told, when it was closed'));
        return held.promise;
      },
    },
  });
  const run = await first.start(WORKS);
  await begun.promise;
  await first.close();
  const server = await place.open({
    functions: {
      work: () => calls.push('work'),
      tell: () => calls.push('tell'),
    },
  });
  await server.carryOn();
  await place.pass(SOON_MS);
  expect(await server.get(run.id)).toMatchObject({
    status: 'completed',
    output: 'told, when it was closed',
  });
  expect(calls).toEqual([]);
  await server.close();
});

test('no more runs are executed at a time than allowed, and the others wait', async () => {
  const place = newPlace();
  const runs = [await parked(place), await parked(place), await parked(place)];
  const ends: (() => void)[] = [];
  const work = (): Promise<string> => new Promise((resolve) => ends.push(() => resolve('paid')));
  const server = await place.open({ functions: { work } });
  const carrying = await server.carryOn({ maxRuns: 2 });
  expect(carrying.hasRoom()).toBe(true);
  await place.pass(HOUR_MS + SOON_MS);
  expect(ends).toHaveLength(2);
  expect(carrying.hasRoom()).toBe(false);
  expect(carrying.reserve()).toBeUndefined();
  ends[0]?.();
  await place.pass(SOON_MS);
  expect(ends).toHaveLength(3);
  for (const end of ends) end();
  await place.pass(SOON_MS);
  expect((await place.store.list()).map(({ run, status }) => [run, status])).toEqual(
    runs.toReversed().map((run) => [run, 'completed']),
  );
  expect(carrying.hasRoom()).toBe(true);
  await server.close();
});

test('a place can be reserved for a run that is about to start', async () => {
  const place = newPlace();
  const server = await place.open();
  const carrying = await server.carryOn({ maxRuns: 2 });
  const [first, second] = [carrying.reserve(), carrying.reserve()];
  expect(carrying.reserve()).toBeUndefined();
  expect(carrying.hasRoom()).toBe(false);
  first?.();
  first?.();
  expect(carrying.hasRoom()).toBe(true);
  expect(carrying.reserve()).toBeTypeOf('function');
  expect(carrying.hasRoom()).toBe(false);
  second?.();
  await carrying.stop();
  expect(carrying.hasRoom()).toBe(false);
  await server.close();
});

test('many runs that are due at the same moment do not wait for each other', async () => {
  const place = newPlace();
  const errand = await place.open({ functions: { work: closed } });
  const count = IS_FAST ? 10 : 200;
  for (let n = 0; n < count; n++) await (await errand.start(PARKS)).result();
  await errand.close();
  const server = await place.open({ functions: { work: () => 'paid' } });
  await server.carryOn();
  await place.pass(HOUR_MS + SOON_MS);
  expect(new Set(await place.statuses())).toEqual(new Set(['completed']));
  await server.close();
});

test('a run that is refused is tried again ever more seldom, is warned of once, and delays no other', async () => {
  const place = newPlace();
  const bad = await parked(place);
  const good = await parked(place);
  const server = await place.open({ functions: { work: () => 'paid' } });
  const tries: number[] = [];
  const warnings: string[] = [];
  await server.carryOn({
    onWarning: ({ kind }) => void warnings.push(kind),
  });
  const read = place.store.read.bind(place.store);
  place.store.read = (run, fromSeq) => {
    if (run !== bad) return read(run, fromSeq);
    tries.push(place.clock.now());
    throw new ErrandError({ kind: 'store.corrupt', message: 'damaged' });
  };
  await place.pass(HOUR_MS + SOON_MS);
  expect((await place.store.summary(good)).status).toBe('completed');
  expect(tries).toHaveLength(1);
  await place.pass(8 * 60_000);
  const gaps = tries.slice(1).map((at, index) => at - (tries[index] ?? 0));
  expect(gaps.length).toBe(3);
  for (const [index, gap] of gaps.entries())
    expect(gap).toBeGreaterThanOrEqual(60_000 * 2 ** index);
  expect(warnings).toEqual(['store.corrupt']);
  await server.close();
});

test('a run that comes back due at the same time is not taken hot', async () => {
  const place = newPlace();
  const run = await parked(place);
  const server = await place.open({ functions: { work: () => 'paid' } });
  // as if its time had come for the store and for this process, and not for the run itself
  const due = place.store.due.bind(place.store);
  place.store.due = async (query) => {
    const { claim } = await place.store.summary(run);
    return claim === null ? [{ ...(await place.store.summary(run)), dueMs: 1 }] : due(query);
  };
  await server.carryOn();
  await place.pass(10 * 60_000);
  const resumed = (await server.events(run)).filter(({ type }) => type === 'run:resumed');
  expect(resumed.length).toBeGreaterThan(1);
  expect(resumed.length).toBeLessThan(12);
  await server.close();
});

test('the next owner of a run knows how many processes died with it', async () => {
  const place = newPlace();
  const first = await place.open({ functions: { work: hangs, tell: hangs } });
  const { id } = await first.start(WORKS);
  const taken: unknown[] = [];
  const claim = place.store.claim.bind(place.store);
  place.store.claim = (request) => {
    taken.push(request.owner.lostBefore);
    return claim(request);
  };
  // its process is silent from now on, as one that was killed on another machine
  place.store.heartbeat = () => Promise.resolve([]);
  for (let n = 0; n < 2; n++) {
    const next = await place.open({ functions: { work: hangs, tell: hangs } });
    await next.carryOn();
    await place.pass(LEASE_MS + SOON_MS);
  }
  expect(taken.slice(0, 2)).toEqual([1, 2]);
  expect((await place.store.summary(id)).claim?.owner.lostBefore).toBeGreaterThanOrEqual(2);
});

test('a run that is only stored is carried on by a server, and nothing of it is in doubt', async () => {
  const place = newPlace();
  const calls: string[] = [];
  const functions = { work: () => calls.push('work'), tell: () => calls.push('tell') };
  const host = await place.open({ functions });
  const run = await host.start(WORKS, { isLeft: true });
  expect(calls).toEqual([]);
  expect((await host.events(run.id)).map(({ type }) => type)).toEqual(['run:started']);
  await host.close();
  const server = await place.open({ functions });
  await server.carryOn();
  await place.pass(SOON_MS);
  expect((await server.get(run.id)).status).toBe('completed');
  expect(calls).toEqual(['work', 'tell']);
  await server.close();
});

test('so is a run whose resumption is only stored', async () => {
  const place = newPlace();
  const run = await parked(place);
  const host = await place.open({ functions: { work: closed } });
  await host.resume(run, { now: true, by: 'ada', isLeft: true });
  expect((await host.events(run)).at(-1)).toMatchObject({ type: 'run:resumed', by: 'ada' });
  await host.close();
  const server = await place.open({ functions: { work: () => 'paid' } });
  await server.carryOn();
  await place.pass(SOON_MS);
  expect(await server.get(run)).toMatchObject({ status: 'completed', output: 'paid' });
  await server.close();
});

test('an answer that was left for a paused run wakes it', async () => {
  const place = newPlace();
  const errand = await place.open();
  const run = await errand.start(ASKS);
  await run.result();
  await errand.close();
  await place.store.send(run.id, { type: 'answer', gate: 'ask', value: 'no', by: 'ada' });
  const server = await place.open();
  await server.carryOn();
  await place.pass(SOON_MS);
  expect(await server.get(run.id)).toMatchObject({
    status: 'completed',
    output: { selected: 'no' },
  });
  await server.close();
});
