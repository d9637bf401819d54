/** Effects that are not known to have ended, after their run was rewound or their agent began anew. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openErrand, type Errand, type RunResult } from '../src/index.ts';

let folder = '';
let orders: { readonly key: string; readonly to: string }[] = [];
let errand: Errand | undefined;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'errand-rewound-'));
  orders = [];
});
afterEach(async () => {
  await errand?.close();
  rmSync(folder, { recursive: true, force: true });
});

/** The first order is never answered, so nobody knows what came of it. */
function pay({ to = 'ada' }: { to?: string }, { idempotencyKey }: { idempotencyKey: string }) {
  orders.push({ key: idempotencyKey, to });
  if (orders.length === 1) throw new DOMException('This operation was aborted', 'AbortError');
  return { paid: to };
}

interface File {
  readonly nodes: readonly object[];
  readonly models?: object;
  /** Fields of `workflow`. */
  readonly header?: object;
}

async function begin({ nodes, models = {}, header = {} }: File): Promise<string> {
  const runtime = { simulate: models };
  const workflow = { name: 't', entry_point: 'a', on_unhandled: 'fail', runtime, ...header };
  writeFileSync(join(folder, 't.yaml'), JSON.stringify({ workflow, nodes }));
  errand = await openErrand({
    store: 'memory',
    directory: folder,
    functions: { pay },
    tools: { pay },
  });
  const run = await errand.start(await errand.load('t.yaml'));
  await run.result();
  return run.id;
}

const from = async (id: string, node: string): Promise<RunResult | undefined> =>
  (await errand?.resume(id, { from: node }))?.result();

const answer = async (id: string, value: unknown): Promise<RunResult | undefined> =>
  (await errand?.resume(id, { answer: { value: value as string, by: 'ann' } }))?.result();

async function prompts(id: string): Promise<readonly string[]> {
  const asked: string[] = [];
  for await (const event of errand?.history(id) ?? [])
    if (event.type === 'gate:opened') asked.push(event.prompt);
  return asked;
}

const keys = (): readonly string[] => orders.map(({ key }) => key);
const paid = (): readonly string[] => orders.map(({ to }) => to);

const FIRST = { name: 'a', type: 'set', value: [{ id: 'x' }], routes: [{ to: 'pay' }] };
const PAY = { name: 'pay', type: 'call', function: 'pay' };

describe('an order without an answer, when the run is rewound', () => {
  it('is sent under its key also after a person said that it may be repeated', async () => {
    const id = await begin({ nodes: [FIRST, PAY] });
    expect(await from(id, 'a')).toMatchObject({ status: 'paused' });
    expect(await answer(id, 'repeat')).toMatchObject({ status: 'completed' });
    expect(keys()).toEqual([keys()[0], keys()[0]]);
  });

  it('is another order after a person has said what came of it', async () => {
    const id = await begin({ nodes: [FIRST, PAY] });
    await from(id, 'a');
    expect(await answer(id, { edit: { paid: 'ada' } })).toMatchObject({ status: 'completed' });
    expect(orders).toHaveLength(1);
    await from(id, 'a');
    expect(new Set(keys())).toHaveProperty('size', 2);
  });
});

const call = (to: string): object => ({ tool_calls: [{ name: 'pay', arguments: { to } }] });
const AGENT = { name: 'a', model: 'sim/m', prompt: 'go', tools: ['pay'] };

describe('an agent that began anew and calls for another order first', () => {
  const file = {
    nodes: [AGENT],
    models: { m: [call('bob'), call('carol'), call('bob'), { answer: 'done' }] },
  };

  it('takes an edit for the result of the unknown order, and continues with its own', async () => {
    const id = await begin(file);
    expect(await from(id, 'a')).toMatchObject({ status: 'paused' });
    expect(await answer(id, { edit: { paid: 'bob, by hand' } })).toMatchObject({
      status: 'completed',
      output: { result: 'done' },
    });
    // the second call for bob is answered with what the person said
    expect(paid()).toEqual(['bob', 'carol']);
  });

  it('may make the unknown order again when a person says so', async () => {
    const id = await begin(file);
    await from(id, 'a');
    expect((await prompts(id)).at(-1)).toContain(
      'repeat continues, and lets the agent make that call again, edit is the result of that call',
    );
    expect(await answer(id, 'repeat')).toMatchObject({ status: 'completed' });
    expect(paid()).toEqual(['bob', 'carol', 'bob']);
    expect(keys()[2]).toBe(keys()[0]);
  });

  it('makes neither when a person gives up', async () => {
    const id = await begin(file);
    await from(id, 'a');
    expect(await answer(id, 'abort')).toMatchObject({ status: 'failed' });
    expect(paid()).toEqual(['bob']);
  });
});

it('gives an edit to another agent that would do the same', async () => {
  const second = { ...AGENT, name: 'b', model: 'sim/n' };
  const id = await begin({
    nodes: [{ ...AGENT, routes: [{ to: 'b' }, { on_error: true, to: 'b' }] }, second],
    models: { m: [call('bob')], n: [call('bob'), { answer: 'done' }] },
  });
  expect(await answer(id, { edit: { paid: 'bob' } })).toMatchObject({
    status: 'completed',
    output: { result: 'done' },
  });
  expect(paid()).toEqual(['bob']);
});

it('does the next order of a loop where a route names what to do with an unknown one', async () => {
  const id = await begin({
    nodes: [
      { name: 'a', type: 'set', value: 1, routes: [{ to: 'pay' }] },
      {
        name: 'pay',
        type: 'call',
        function: 'pay',
        arguments: { to: '{{ ["bob", "carol"][state.n] }}' },
        routes: [{ to: '$end' }, { on_error: 'effect.outcome_unknown', to: 'next' }],
      },
      { name: 'next', type: 'set', value: 1, state: { n: 1 }, routes: [{ to: 'pay' }] },
    ],
    header: { state: { n: { type: 'number', default: 0, merge: 'sum' } } },
  });
  expect((await errand?.get(id))?.status).toBe('completed');
  expect(paid()).toEqual(['bob', 'carol']);
});
