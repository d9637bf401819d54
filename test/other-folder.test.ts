/** A run continues from any folder of its project: what it has done in called files is not forgotten there. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openErrand, type Errand, type RunResult } from '../src/index.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'errand-other-folder-'));
  for (const name of ['flows', 'flows/inner', 'beside']) mkdirSync(join(folder, name));
  write('flows/top.yaml', [
    {
      name: 'each',
      type: 'script',
      command: 'true',
      working_dir: './inner',
      routes: [{ to: 'kid' }],
    },
    { name: 'kid', type: 'workflow', workflow: './inner/kid.yaml', routes: [{ to: 'all' }] },
  ]);
  write('flows/inner/kid.yaml', [
    {
      name: 'pay',
      type: 'script',
      command: 'sh',
      args: ['-c', 'echo pay >> paid.txt'],
      working_dir: '.',
      routes: [{ to: 'more' }],
    },
    { name: 'more', type: 'workflow', workflow: '../../beside/last.yaml' },
  ]);
  write('beside/last.yaml', [
    { name: 'ask', type: 'human_gate', prompt: 'Go?', options: [{ value: 'yes' }] },
  ]);
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function write(file: string, nodes: readonly object[]): void {
  const [first] = nodes as readonly { readonly name: string }[];
  const workflow = { name: 'w', entry_point: first?.name, on_unhandled: 'fail' };
  const group = {
    name: 'all',
    source: "{{ ['a', 'b'] }}",
    as: 'item',
    agent: { name: 'one', type: 'workflow', workflow: './inner/kid.yaml' },
    routes: [{ to: '$end' }],
  };
  const groups = file === 'flows/top.yaml' ? { for_each: [group] } : {};
  writeFileSync(join(folder, file), JSON.stringify({ workflow, nodes, ...groups }));
}

async function inFolder<T>(directory: string, body: (errand: Errand) => Promise<T>): Promise<T> {
  const errand = await openErrand({
    store: `sqlite:${join(folder, 'errand.db')}`,
    directory: join(folder, directory),
  });
  try {
    return await body(errand);
  } finally {
    await errand.close();
  }
}

const begin = (directory: string, file: string): Promise<string> =>
  inFolder(directory, async (errand) => {
    const run = await errand.start(await errand.load(file));
    expect(await run.result()).toMatchObject({ status: 'paused' });
    return run.id;
  });

const answer = (directory: string, run: string, gate: string): Promise<RunResult | undefined> =>
  inFolder(directory, async (errand) =>
    (await errand.answer(run, { gate, value: 'yes' }))?.result(),
  );

// scripts run beside the file that the run was started with
const paid = (): number =>
  readFileSync(join(folder, 'flows/paid.txt'), 'utf8').split('pay').length - 1;

it.each([
  ['flows', 'top.yaml', ['.', 'flows/inner', '.']],
  ['.', 'flows/top.yaml', ['flows', 'beside', 'flows']],
  ['beside', '../flows/top.yaml', ['.', 'flows', 'beside']],
  ['flows/inner', '../top.yaml', ['.', 'beside', 'flows/inner']],
] as const)('a run of %s %s is answered in %j', async (start, file, [first, second, third]) => {
  const run = await begin(start, file);
  expect(await answer(first, run, 'kid/more/ask')).toMatchObject({ status: 'paused' });
  expect(await answer(second, run, 'all[0]/one/more/ask')).toMatchObject({ status: 'paused' });
  expect(await answer(third, run, 'all[1]/one/more/ask')).toMatchObject({ status: 'completed' });
  expect(paid()).toBe(3);
});

it.each([
  ['flows', 'top.yaml'],
  ['.', 'flows/top.yaml'],
  ['beside', '../flows/top.yaml'],
])('a run of %s %s finds the files of its workflow by `workflow.dir`', async (start, file) => {
  const script = (name: string): object => ({
    name,
    type: 'script',
    command: 'sh',
    args: ['-c', 'cat {{ workflow.dir }}/{{ workflow.name }}.txt; test -f {{ workflow.file }}'],
  });
  write('flows/top.yaml', [
    { ...script('own'), routes: [{ to: 'kid' }] },
    { name: 'kid', type: 'workflow', workflow: './inner/kid.yaml' },
  ]);
  write('flows/inner/kid.yaml', [script('read')]);
  writeFileSync(join(folder, 'flows/w.txt'), 'top');
  writeFileSync(join(folder, 'flows/inner/w.txt'), 'inner');
  const result = await inFolder(start, async (errand) =>
    (await errand.start(await errand.load(file))).result(),
  );
  expect(result).toMatchObject({ status: 'completed', output: { stdout: 'inner' } });
});

it('a workflow that the application has loaded there is taken too', async () => {
  const run = await begin('flows', 'top.yaml');
  const status = await inFolder('.', async (errand) => {
    const workflow = await errand.load('flows/top.yaml');
    return (await (await errand.resume(run, { workflow })).result()).status;
  });
  expect(status).toBe('paused');
});

it('a called file that has changed is still drift', async () => {
  const run = await begin('flows', 'top.yaml');
  const file = join(folder, 'flows/inner/kid.yaml');
  writeFileSync(file, readFileSync(file, 'utf8').replace('echo pay', 'echo  pay'));
  await expect(answer('.', run, 'kid/more/ask')).rejects.toMatchObject({ kind: 'run.drifted' });
  expect(paid()).toBe(1);
});
