/** An effect that was executed and whose result cannot be used: a corrected file uses the recorded one. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openErrand, tool, type Errand, type ErrandOptions, type RunResult } from '../src/index.ts';

let folder = '';
let bank = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'errand-unusable-'));
  bank = join(folder, 'bank.txt');
  writeFileSync(bank, '');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const paid = (): number => readFileSync(bank, 'utf8').split('\n').length - 1;
const pay = (): void => writeFileSync(bank, 'paid\n', { flag: 'a' });

const TEXT = { output: { receipt: { type: 'string' } } };
const NUMBER = { output: { receipt: { type: 'number' } } };

const SCRIPT = {
  type: 'script',
  command: 'sh',
  args: ['-c', `echo paid >> '$BANK'; echo '{"receipt": 12}'`],
};

interface Case {
  readonly node: object;
  readonly tools?: ErrandOptions['tools'];
}

async function inErrand<T>({ tools = {} }: Case, body: (errand: Errand) => Promise<T>): Promise<T> {
  const functions = { pay: () => (pay(), { receipt: 12 }), big: () => (pay(), 12n) };
  const errand = await openErrand({
    store: `sqlite:${join(folder, 'errand.db')}`,
    directory: folder,
    functions,
    tools: { ...functions, ...tools },
  });
  try {
    return await body(errand);
  } finally {
    await errand.close();
  }
}

function write(node: object, more: object = {}): void {
  const text = JSON.stringify({
    workflow: { name: 't', entry_point: 'a', on_unhandled: 'fail', ...more },
    nodes: [{ name: 'a', ...node }],
  });
  writeFileSync(join(folder, 't.yaml'), text.replace('$BANK', bank));
}

async function begin(one: Case, more?: object): Promise<{ id: string; result: RunResult }> {
  write(one.node, more);
  return inErrand(one, async (errand) => {
    const run = await errand.start(await errand.load('t.yaml'));
    return { id: run.id, result: await run.result() };
  });
}

async function resume(id: string, one: Case): Promise<RunResult> {
  write(one.node);
  return inErrand(one, async (errand) =>
    (await errand.resume(id, { workflow: await errand.load('t.yaml') })).result(),
  );
}

const own = (receipt: string): Case['tools'] => ({
  pay: tool({
    description: 'Pays',
    input: { type: 'object' },
    output: { type: 'object', properties: { receipt: { type: receipt } } },
    run: () => (pay(), { receipt: 12 }),
  }),
});

describe('a result that does not have the declared shape', () => {
  it.each<[string, Case, Case]>([
    ['script', { node: { ...SCRIPT, ...TEXT } }, { node: { ...SCRIPT, ...NUMBER } }],
    [
      'function',
      { node: { type: 'call', function: 'pay', arguments: {}, ...TEXT } },
      { node: { type: 'call', function: 'pay', arguments: {}, ...NUMBER } },
    ],
    [
      'tool',
      { node: { type: 'tool', tool: 'pay', arguments: {}, ...TEXT } },
      { node: { type: 'tool', tool: 'pay', arguments: {}, ...NUMBER } },
    ],
    [
      'tool with a schema of its own',
      { node: { type: 'tool', tool: 'pay', arguments: {} }, tools: own('string') },
      { node: { type: 'tool', tool: 'pay', arguments: {} }, tools: own('number') },
    ],
  ])('of a %s is the result once the file is corrected', async (_, wrong, right) => {
    const { id, result } = await begin(wrong);
    // it took place, so it did not fail; nothing good came of it
    expect(result).toMatchObject({ status: 'failed', error: { outcome: 'partial' } });
    expect(await resume(id, right)).toMatchObject({
      status: 'completed',
      output: { receipt: 12 },
    });
    expect(paid()).toBe(1);
  });

  it('is checked first, and then the node runs again as the file says', async () => {
    const node = { ...SCRIPT, ...TEXT };
    const { id } = await begin({ node });
    expect(await resume(id, { node })).toMatchObject({
      status: 'failed',
      error: { kind: 'internal.schema_violation' },
    });
    expect(paid()).toBe(2);
    expect(await resume(id, { node: { ...SCRIPT, ...NUMBER } })).toMatchObject({
      status: 'completed',
    });
    expect(paid()).toBe(2);
  });

  it('is executed again by a retry route', async () => {
    const routes = [{ to: '$end' }, { on_error: true, retry: { max: 1, backoff: 'none' } }];
    const { result } = await begin({ node: { ...SCRIPT, ...TEXT, routes } });
    expect(result).toMatchObject({ status: 'failed' });
    expect(paid()).toBe(2);
  });

  it('is checked first where a person answers retry', async () => {
    const routes = [{ to: '$end' }, { on_error: true, ask: {} }];
    const { id, result } = await begin({ node: { ...SCRIPT, ...TEXT, routes } });
    expect(result).toMatchObject({ status: 'paused' });
    write({ ...SCRIPT, ...NUMBER, routes });
    const end = await inErrand({ node: {} }, async (errand) => {
      const workflow = await errand.load('t.yaml');
      return (
        await errand.resume(id, { workflow, answer: { value: 'retry', by: 'ann' } })
      ).result();
    });
    expect(end).toMatchObject({ status: 'completed' });
    expect(paid()).toBe(1);
  });
});

it('a script that printed too much is used once the file accepts its beginning', async () => {
  const args = ['-c', `echo paid >> '$BANK'; head -c 11000000 /dev/zero | tr '\\0' a`];
  const node = { type: 'script', command: 'sh', args };
  const { id, result } = await begin({ node });
  expect(result).toMatchObject({ error: { kind: 'internal.output_too_large' } });
  const kept = await resume(id, { node: { ...node, on_truncated: 'keep' } });
  expect(kept).toMatchObject({ status: 'completed' });
  expect(paid()).toBe(1);
});

it('a result that cannot be kept says that it was executed', async () => {
  const { result } = await begin({ node: { type: 'call', function: 'big', arguments: {} } });
  expect(result).toMatchObject({
    status: 'failed',
    error: {
      kind: 'call.failed',
      action: { detail: expect.stringContaining('repeat it only if that is harmless') },
    },
  });
});

it('an agent that begins anew gets the failure of a tool that was executed', async () => {
  const call = { tool_calls: [{ name: 'pay', arguments: {} }] };
  const simulate = { m: [call, { answer: 'unfit' }, call, { answer: { ok: true } }] };
  const node = {
    prompt: 'Pay',
    model: 'sim/m',
    tools: ['pay'],
    assert: [{ that: '{{ attempt > 0 }}', raise: 'pay.again' }],
    routes: [{ to: '$end' }, { on_error: 'pay.again', retry: { max: 1, backoff: 'none' } }],
  };
  const { result } = await begin({ node, tools: own('string') }, { runtime: { simulate } });
  expect(result).toMatchObject({ status: 'completed' });
  expect(paid()).toBe(1);
});
