/** A node with a breaker of its own: broken too often, it is left alone, in every run of the store. */
import { afterEach, describe, expect, it } from 'vitest';
import { costsOf } from '../../src/history/cost-ledger.ts';
import { ErrandError, raise, workflow } from '../../src/index.ts';
import { closeAll, eventsOf, open } from './stage.ts';

afterEach(closeAll);

const calling = (name: string, more: object): ReturnType<typeof workflow> =>
  workflow({
    name: 't',
    entryPoint: 'a',
    nodes: [{ name: 'a', type: 'call', function: name, ...more }],
  });

describe('breaker: true', () => {
  it('leaves a node alone after five failures, with what to wait for, and only that node', async () => {
    let calls = 0;
    const broken = (): never => {
      calls++;
      throw new Error('down');
    };
    const errand = await open({ functions: { broken } });
    const guarded = calling('broken', { breaker: true });
    for (let turn = 0; turn < 5; turn++)
      expect(await (await errand.start(guarded)).result()).toMatchObject({
        error: { kind: 'call.failed' },
      });
    const run = await errand.start(guarded);
    expect(await run.result()).toMatchObject({
      status: 'failed',
      error: { kind: 'breaker.open', outcome: 'not_started', details: { target: 'node t/a' } },
    });
    expect(calls).toBe(5);
    const plain = await errand.start(calling('broken', {}));
    expect(await plain.result()).toMatchObject({ error: { kind: 'call.failed' } });
    expect(calls).toBe(6);
    const changes = (await eventsOf(errand, run.id)).filter(
      ({ type }) => type === 'breaker:changed',
    );
    expect(changes).toEqual([]);
  });

  it('is the engine’s own: a function that fails with its kind was called, and is on the bill', async () => {
    const errand = await open({
      functions: {
        pay: () => {
          throw new ErrandError({ kind: 'breaker.open', message: 'The breaker of a client' });
        },
      },
    });
    const run = await errand.start(calling('pay', {}));
    expect(await run.result()).toMatchObject({
      error: { kind: 'breaker.open', outcome: 'failed', category: 'transient', retryable: true },
    });
    expect(costsOf(await eventsOf(errand, run.id)).attempts).toMatchObject([
      { node: 'a', kind: 'breaker.open', outcome: 'failed' },
    ]);
  });

  it('is not opened by what the author raises', async () => {
    const errand = await open({
      functions: {
        missing: () => {
          throw raise('order.missing', 'No order');
        },
      },
    });
    for (let turn = 0; turn < 7; turn++)
      expect(
        await (await errand.start(calling('missing', { breaker: true }))).result(),
      ).toMatchObject({ error: { kind: 'order.missing' } });
  });
});
