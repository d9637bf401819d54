/** `start` with an id: a repeated request starts nothing twice; and `get`, which says how a run stands. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openErrand, raise, workflow, type Errand } from '../src/index.ts';
import { startSlowRun } from './slow-run.ts';

let folder = '';
let paid: string[] = [];
const opened: Errand[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'errand-ids-'));
  paid = [];
});

afterEach(async () => {
  for (const errand of opened.splice(0)) await errand.close();
  rmSync(folder, { recursive: true, force: true });
});

async function open(store = `sqlite:${join(folder, '.errand', 'errand.db')}`): Promise<Errand> {
  const errand = await openErrand({ store, directory: folder });
  opened.push(errand);
  return errand;
}

const refund = workflow({
  name: 'refund',
  entryPoint: 'pay',
  input: { order: { type: 'string' }, note: { type: 'string', default: 'none' } },
  nodes: [
    {
      name: 'pay',
      type: 'call',
      function: ({ order }: { order: string }) => {
        paid.push(order);
        if (order === 'bad') throw raise('order.missing', 'There is no such order');
        return `paid ${order}`;
      },
      arguments: { order: '{{ workflow.input.order }}' },
    },
  ],
});

const input = { order: 'A-1' };

describe('start with an id', () => {
  it.each(['memory', undefined])(
    'starts once, and gives the run that is there: %s',
    async (store) => {
      const errand = await open(store);
      const first = await errand.start(refund, { id: 'refund-A-1', input });
      expect(first.id).toBe('refund-A-1');
      // while it may still be under way, and when it has ended
      const second = await errand.start(refund, { id: 'refund-A-1', input });
      expect(await second.result()).toEqual({ status: 'completed', output: 'paid A-1' });
      const third = await errand.start(refund, {
        id: 'refund-A-1',
        input: { ...input, note: 'none' },
      });
      expect(await third.result()).toEqual({ status: 'completed', output: 'paid A-1' });
      const types: string[] = [];
      for await (const { type } of third.events()) types.push(type);
      expect([types[0], types.at(-1)]).toEqual(['run:started', 'run:completed']);
      expect(paid).toEqual(['A-1']);
      expect(await errand.list()).toHaveLength(1);
    },
  );

  it('starts once when two ask at the same moment, in one Errand or in several', async () => {
    const [one, other] = [await open(), await open()];
    const handles = await Promise.all(
      [one, other, one, other, one].map((errand) => errand.start(refund, { id: 'x', input })),
    );
    for (const handle of handles)
      expect(await handle.result()).toEqual({ status: 'completed', output: 'paid A-1' });
    expect(paid).toEqual(['A-1']);
    expect(await one.list()).toHaveLength(1);
  });

  it('gives a failed run as it is', async () => {
    const errand = await open();
    for (let times = 0; times < 2; times++) {
      const run = await errand.start(refund, { id: 'bad', input: { order: 'bad' } });
      expect(await run.result()).toMatchObject({
        status: 'failed',
        error: { kind: 'order.missing' },
      });
    }
    expect(paid).toEqual(['bad']);
  });

  it('refuses another input and another workflow', async () => {
    const errand = await open();
    await (await errand.start(refund, { id: 'x', input })).result();
    await expect(errand.start(refund, { id: 'x', input: { order: 'B-2' } })).rejects.toMatchObject({
      kind: 'validation.input',
      details: { run: 'x' },
    });
    const other = workflow({
      name: 'other',
      entryPoint: 'a',
      input: { order: { type: 'string' }, note: { type: 'string', default: 'none' } },
      nodes: [{ name: 'a', type: 'set', value: 1 }],
    });
    await expect(errand.start(other, { id: 'x', input })).rejects.toMatchObject({
      kind: 'validation.input',
    });
    expect(paid).toEqual(['A-1']);
  });

  it.each([
    '',
    '.',
    '..',
    '../x',
    'a/b',
    'a\\b',
    '-x',
    'a b',
    'a\nb',
    'ends.',
    'ü',
    'x'.repeat(129),
    'a\u0000b',
    7,
    null,
  ])('refuses what cannot be a name: %j', async (id) => {
    const errand = await open('memory');
    // as a program without types may call it
    const wrong = { id: id as string, input };
    await expect(errand.start(refund, wrong)).rejects.toMatchObject({
      kind: 'validation.input',
      details: { option: 'id' },
    });
    expect(await errand.list()).toEqual([]);
  });

  it.each(['A', 'order-7', 'a.b_c-d', '2026-03-01.refund', 'x'.repeat(128)])(
    'takes %s',
    async (id) => {
      const errand = await open('memory');
      expect((await errand.start(refund, { id, input })).id).toBe(id);
    },
  );
});

describe('get', () => {
  it('says what `show` says, of a run that completed, failed or waits', async () => {
    const errand = await open();
    await (await errand.start(refund, { id: 'good', input })).result();
    expect(await errand.get('good')).toMatchObject({
      run: 'good',
      workflow: 'refund',
      file: 'code:refund',
      status: 'completed',
      input: { order: 'A-1', note: 'none' },
      output: 'paid A-1',
      nodes: [{ path: 'pay', status: 'completed', attempts: 1 }],
      costs: { totalUsdMicros: 0, attempts: [{ node: 'pay', type: 'call' }] },
    });
    await (await errand.start(refund, { id: 'bad', input: { order: 'bad' } })).result();
    expect(await errand.get('bad')).toMatchObject({
      status: 'failed',
      error: { kind: 'order.missing' },
    });
    const gate = workflow({
      name: 'gate',
      entryPoint: 'ask',
      nodes: [{ name: 'ask', type: 'human_gate', prompt: 'Go?', options: [{ value: 'yes' }] }],
    });
    await (await errand.start(gate, { id: 'waits' })).result();
    const other = await open();
    expect(await other.get('waits')).toMatchObject({
      status: 'paused',
      waiting: { reason: 'gate', gate: 'ask' },
    });
    const again = await other.start(gate, { id: 'waits' });
    expect(await again.result()).toMatchObject({ status: 'paused', waiting: { gate: 'ask' } });
  });

  it('rejects with run.not_found', async () => {
    const errand = await open();
    await expect(errand.get('nothing')).rejects.toMatchObject({ kind: 'run.not_found' });
  });

  it('follows a run of another process, and sees that the process died', async () => {
    const carrier = await startSlowRun(folder);
    const errand = await open();
    const [found] = await errand.list();
    const id = found?.run ?? '';
    expect(await errand.get(id)).toMatchObject({ status: 'running' });
    const handle = await errand.start(await errand.load('slow.yaml'), { id });
    const result = handle.result();
    await carrier.kill();
    expect(await result).toEqual({ status: 'interrupted' });
    expect(await errand.get(id)).toMatchObject({ status: 'interrupted' });
  });
});
