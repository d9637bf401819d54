import { expect, test } from 'vitest';
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
