/** Effects with an unknown outcome inside a workflow that another one calls. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openErrand, type Errand, type ResumeOptions, type RunResult } from '../src/index.ts';

let folder = '';
let charged: number[] = [];
let errand: Errand;

/** The outcome of the first charge of 2 is unknown. */
function charge({ id }: { id: number }): { readonly charged: number } {
  charged.push(id);
  const isFirst = charged.filter((each) => each === id).length === 1;
  if (id === 2 && isFirst) throw new DOMException('This operation was aborted', 'AbortError');
  return { charged: id };
}

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'errand-child-'));
  charged = [];
  errand = await openErrand({ store: 'memory', directory: folder, functions: { charge } });
});
afterEach(async () => {
  await errand.close();
  rmSync(folder, { recursive: true, force: true });
});

const call = (name: string, id: number | string, more: object = {}): object => ({
  name,
  type: 'call',
  function: 'charge',
  arguments: { id },
  ...more,
});

function write(
  name: string,
  nodes: readonly { readonly name?: string }[],
  more: object = {},
): void {
  const workflow = { name, entry_point: nodes[0]?.name, on_unhandled: 'fail', ...more };
  writeFileSync(join(folder, `${name}.yaml`), JSON.stringify({ workflow, nodes }));
}

async function begin(): Promise<string> {
  const run = await errand.start(await errand.load('main.yaml'));
  await run.result();
  return run.id;
}

async function go(id: string, options: ResumeOptions): Promise<RunResult> {
  const workflow = await errand.load('main.yaml');
  return (await errand.resume(id, { workflow, ...options })).result();
}

const answer = (id: string, value: string): Promise<RunResult> =>
  go(id, { answer: { value, by: 'ann' } });

async function openGates(id: string): Promise<readonly string[]> {
  const { waiting } = await errand.get(id);
  return (waiting?.all ?? []).map(({ path = '' }) => path);
}

const ON_END = { routes: [{ to: '$end' }, { on_error: true, propagate: true }] };

describe('an unknown outcome that a child passes on', () => {
  it.each(['child', 'grandchild'])(
    'is repeated alone by an answer at the caller of a %s',
    async (of) => {
      write('pays', [call('a', 1, { routes: [{ to: 'b' }] }), call('b', 2, ON_END)]);
      write('between', [
        { name: 'd', type: 'workflow', workflow: './pays.yaml', ...ON_END },
      ] as object[]);
      const workflow = of === 'child' ? './pays.yaml' : './between.yaml';
      write('main', [{ name: 'c', type: 'workflow', workflow }] as object[]);
      const id = await begin();
      expect(charged).toEqual([1, 2]);
      expect(await answer(id, 'repeat')).toMatchObject({ status: 'completed' });
      expect(charged).toEqual([1, 2, 2]);
    },
  );

  it('takes an edit at the caller for its own result, and the child continues', async () => {
    write('pays', [
      call('a', 1, { routes: [{ to: 'b' }] }),
      call('b', 2, { routes: [{ to: 'c' }, { on_error: true, propagate: true }] }),
      call('c', 3),
    ]);
    write('main', [{ name: 'p', type: 'workflow', workflow: './pays.yaml' }] as object[]);
    const id = await begin();
    const given = { value: { edit: { charged: 'by hand' } }, by: 'ann' };
    expect(await go(id, { answer: given })).toMatchObject({
      status: 'completed',
      output: { charged: 3 },
    });
    expect(charged).toEqual([1, 2, 3]);
  });

  it.each([
    ['where it arose', {}, ['c/d/b']],
    ['at a caller inside', ON_END, ['c/d']],
  ])('is not asked about again after an abort %s, until somebody resumes', async (_, more, at) => {
    write('pays', [call('a', 1, { routes: [{ to: 'b' }] }), call('b', 2, more)]);
    write('between', [{ name: 'd', type: 'workflow', workflow: './pays.yaml' }] as object[]);
    write('main', [{ name: 'c', type: 'workflow', workflow: './between.yaml' }] as object[]);
    const id = await begin();
    expect(await openGates(id)).toEqual(at);
    expect(await answer(id, 'abort')).toMatchObject({
      status: 'failed',
      error: { kind: 'effect.outcome_unknown' },
    });
    expect(await go(id, {})).toMatchObject({ status: 'paused', waiting: { reason: 'outcome' } });
    expect(await answer(id, 'repeat')).toMatchObject({ status: 'completed' });
    expect(charged).toEqual([1, 2, 2]);
  });

  it('is asked about again after an abort where a route leads back to it', async () => {
    write('pays', [call('b', 2)]);
    const pays = { type: 'workflow', workflow: './pays.yaml' };
    const routes = [{ to: '$end' }, { on_error: true, to: 'd' }];
    write('main', [
      { name: 'c', ...pays, routes },
      { name: 'd', ...pays },
    ] as object[]);
    const id = await begin();
    expect(await openGates(id)).toEqual(['c/b']);
    expect(await answer(id, 'abort')).toMatchObject({ status: 'paused' });
    expect(await openGates(id)).toEqual(['d/b']);
    expect(await answer(id, 'abort')).toMatchObject({ status: 'failed' });
    expect(charged).toEqual([2]);
  });

  it('is asked about when its caller has another name and another argument', async () => {
    const main = (name: string, x: number): void =>
      write('main', [
        { name: 'start', type: 'set', value: 1, routes: [{ to: name }] },
        { name, type: 'workflow', workflow: './pays.yaml', input_mapping: { x } },
      ] as object[]);
    write('pays', [call('b', '{{ workflow.input.x }}')], { input: { x: { type: 'number' } } });
    main('c', 2);
    const id = await begin();
    main('d', 3);
    expect(await go(id, { from: 'start', acceptDrift: true })).toMatchObject({
      status: 'paused',
      waiting: { reason: 'outcome', path: 'd/b' },
    });
    expect(charged).toEqual([2]);
  });
});
