import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openModuleBench, type ModuleBench } from './module.cases.ts';

const ROOT = join(import.meta.dirname, '..');
const LAUNCHER = join(ROOT, 'bin/errand.mjs');

let bench: ModuleBench;
beforeEach(() => {
  bench = openModuleBench();
});
afterEach(() => bench.dispose());

interface Shown {
  readonly exit: number | null;
  readonly status?: string;
  readonly output?: unknown;
  readonly error?: { readonly kind: string; readonly message: string };
}

function run(cwd: string, ...args: readonly string[]): Shown {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [LAUNCHER, 'run', ...args, '--format', 'json'],
    {
      cwd,
      encoding: 'utf8',
      env: { PATH: process.env['PATH'], ERRAND_HOME: join(bench.folder, 'home') },
    },
  );
  if (stdout === '') throw new Error(stderr);
  return { exit: status, ...(JSON.parse(stdout) as object) };
}

describe('the example with a module', () => {
  const EXAMPLE = 'examples/orders.yaml';

  it.each([
    ['A-1001', { refund: 42, answer: 'It is on its way.' }],
    ['A-1002', { refund: 60, answer: 'It is on its way.' }],
    ['A-9', { refund: 0, answer: 'Sorry: There is no order A-9' }],
    [
      '9',
      {
        refund: 0,
        answer: expect.stringMatching(/^Sorry: The input of the tool find_order/),
      },
    ],
  ])('ends as it says for the order %s', (order, output) => {
    expect(run(ROOT, EXAMPLE, '-i', `order=${order}`)).toMatchObject({ exit: 0, output });
  });
});

describe('a run', () => {
  const TOP = `workflow: {name: top, entry_point: a, module: ./top.ts}
nodes:
  - {name: a, type: call, function: where, routes: [{to: b}]}
  - {name: b, type: workflow, workflow: ./deep/child.yaml}
output: {a: "{{ a.output }}", b: "{{ b.output.it }}"}
`;
  const CHILD = `workflow: {name: child, entry_point: a, module: ../deep/child.mjs}
nodes: [{name: a, type: tool, tool: where}]
output: {it: "{{ a.output }}"}
`;

  it('calls the module of the file that the node is in', () => {
    bench.write('flows/top.yaml', TOP);
    bench.write('flows/top.ts', `export const where = (): string => 'top';`);
    bench.write('flows/deep/child.yaml', CHILD);
    bench.write('flows/deep/child.mjs', `export const where = () => 'child';`);
    expect(run(bench.folder, 'flows/top.yaml')).toMatchObject({
      exit: 0,
      output: { a: 'top', b: 'child' },
    });
    expect(bench.obey({ plan: 'flows/top.yaml' })).toMatchObject([
      {
        'flows/top.yaml': { module: 'flows/top.ts', functions: ['where'] },
        'flows/deep/child.yaml': { module: 'flows/deep/child.mjs', functions: ['where'] },
      },
    ]);
  });

  it('knows before it begins which module is no good, and where it is named', () => {
    bench.write('flows/top.yaml', TOP);
    bench.write('flows/top.ts', `export const where = (): string => 'top';`);
    bench.write('flows/deep/child.yaml', CHILD);
    expect(bench.obey({ plan: 'flows/top.yaml' })[0]?.error).toMatchObject({
      kind: 'extension.missing',
      message: 'The module flows/deep/child.mjs does not exist',
      location: { workflow: 'child', file: 'flows/deep/child.yaml', pointer: '/workflow/module' },
    });
  });
});
