import { expect, test } from 'vitest';
import type { RunStore } from '../../machine/ports/store-port.ts';
import { closed, newPlace, WORKS } from './cases/carry-on.cases.ts';

interface Call {
  readonly name: string;
  readonly end: (value: unknown) => void;
  readonly fail: (error: Error) => void;
  isAborted: boolean;
}

function effects() {
  const calls: Call[] = [];
  const begin =
    (name: string) =>
    (_: unknown, { signal }: { readonly signal: AbortSignal }): Promise<unknown> =>
      new Promise((resolve, reject) => {
        const call: Call = { name, end: resolve, fail: reject, isAborted: false };
        calls.push(call);
        signal.addEventListener('abort', () => {
          call.isAborted = true;
          reject(new Error('stopped'));
        });
      });
  return { calls, functions: { work: begin('work'), tell: begin('tell') } };
}

test('effects under way end, their results are stored, and nothing new begins', async () => {
  const place = newPlace();
  const { calls, functions } = effects();
  const server = await place.open({ functions });
  const carrying = await server.carryOn();
  const run = await server.start(WORKS);
  await place.pass(10);
  const stopped = carrying.stop();
  await place.pass(3000);
  calls[0]?.end('worked');
  await place.clock.passUntil(stopped);
  expect(calls.map(({ name, isAborted }) => [name, isAborted])).toEqual([['work', false]]);
  expect(await run.result()).toEqual({ status: 'interrupted' });
  const types = (await server.events(run.id)).map(({ type }) => type);
  expect(types.at(-1)).toBe('effect:succeeded');
  await server.close();

  // any server may continue it, and nothing is in doubt
  const next = effects();
  const other = await place.open({ functions: next.functions });
  await other.carryOn();
  await place.pass(5000);
  expect(next.calls.map(({ name }) => name)).toEqual(['tell']);
  next.calls[0]?.end('done');
  await place.pass(10);
  expect(await other.get(run.id)).toMatchObject({ status: 'completed', output: 'done' });
  await other.close();
});

test('a failure of an effect under way is stored, and decided by who continues the run', async () => {
  const place = newPlace();
  const { calls, functions } = effects();
  const server = await place.open({ functions });
  const carrying = await server.carryOn();
  const run = await server.start(WORKS);
  await place.pass(10);
  const stopped = carrying.stop();
  calls[0]?.fail(new Error('no'));
  await place.clock.passUntil(stopped);
  expect((await server.events(run.id)).at(-1)).toMatchObject({
    type: 'effect:failed',
    error: { kind: 'call.failed' },
  });
  await server.close();
  const other = await place.open({ functions: { work: closed, tell: closed } });
  await other.carryOn();
  await place.pass(5000);
  expect(await other.get(run.id)).toMatchObject({
    status: 'failed',
    error: { kind: 'call.failed' },
  });
  await other.close();
});

test('an effect that does not end in 8 seconds is stopped', async () => {
  const place = newPlace();
  const { calls, functions } = effects();
  const server = await place.open({ functions });
  const carrying = await server.carryOn();
  const run = await server.start(WORKS);
  await place.pass(10);
  const begunMs = place.clock.now();
  const stopped = carrying.stop();
  await place.pass(7999);
  expect(calls[0]?.isAborted).toBe(false);
  expect(await place.clock.passUntil(stopped)).toBe('settled');
  expect(place.clock.now() - begunMs).toBe(8000);
  expect(calls[0]?.isAborted).toBe(true);
  expect(await run.result()).toEqual({ status: 'interrupted' });
  await server.close();
});

test('a second stop ends the grace', async () => {
  const place = newPlace();
  const { calls, functions } = effects();
  const server = await place.open({ functions });
  const carrying = await server.carryOn();
  await server.start(WORKS);
  await place.pass(10);
  const begunMs = place.clock.now();
  const stopped = carrying.stop({ graceMs: 8000 });
  expect(await place.clock.passUntil(carrying.stop())).toBe('settled');
  await stopped;
  expect(place.clock.now()).toBe(begunMs);
  expect(calls[0]?.isAborted).toBe(true);
  await server.close();
});

test('a run that waits for nothing of its own stops at once', async () => {
  const place = newPlace();
  const server = await place.open();
  const carrying = await server.carryOn();
  expect(await place.clock.passUntil(carrying.stop())).toBe('settled');
  await server.close();
});

/** The same store, of which one method waits before it begins. */
function slow(
  store: RunStore,
  method: 'create' | 'release',
  wait: () => Promise<unknown>,
): RunStore {
  return new Proxy(store, {
    get: (target, name) => {
      if (name === 'close') return () => Promise.resolve();
      const value: unknown = Reflect.get(target, name);
      if (typeof value !== 'function') return value;
      const call = value.bind(target) as (...given: unknown[]) => unknown;
      if (name !== method) return call;
      return async (...given: unknown[]) => {
        await wait();
        return call(...given);
      };
    },
  });
}

test.each(['create', 'release'] as const)(
  'a stop waits for the %s of a run that is under way',
  async (method) => {
    const place = newPlace();
    const held = Promise.withResolvers<undefined>();
    const { calls, functions } = effects();
    const store = slow(place.store, method, () => held.promise);
    const server = await place.open({ functions, store });
    const carrying = await server.carryOn();
    const starting = server.start(WORKS);
    await place.pass(10);
    const stopped = carrying.stop();
    let isStopped = false;
    void stopped.then(() => (isStopped = true));
    calls[0]?.end('worked');
    await place.pass(3000);
    expect(isStopped).toBe(false);
    held.resolve(undefined);
    expect(await place.clock.passUntil(stopped)).toBe('settled');
    expect(await (await starting).result()).toEqual({ status: 'interrupted' });
    expect((await place.store.list()).map(({ claim }) => claim)).toEqual([null]);
    await server.close();
  },
);

test('a stop does not wait longer than its grace for a store that does not answer', async () => {
  const place = newPlace();
  const held = Promise.withResolvers<undefined>();
  const store = slow(place.store, 'create', () => held.promise);
  const server = await place.open({ functions: effects().functions, store });
  const carrying = await server.carryOn();
  const starting = server.start(WORKS);
  await place.pass(10);
  const begunMs = place.clock.now();
  expect(await place.clock.passUntil(carrying.stop())).toBe('settled');
  expect(place.clock.now() - begunMs).toBe(8000);
  held.resolve(undefined);
  await starting;
  await server.close();
});
