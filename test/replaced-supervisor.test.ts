/** A supervisor that failed between its rounds is replaced in the file: the new node begins, and no round is done again. */
import { describe, expect, it } from 'vitest';
import { openErrand, raise } from '../src/index.ts';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const WORKERS = `
  - {name: good, type: call, function: good, routes: [{to: $end}]}
  - {name: bad, type: call, function: bad, routes: [{to: $end}]}`;

const NODES: Readonly<Record<string, string>> = {
  'a call': '{name: x, type: call, function: other, routes: [{to: z}]}',
  'a constant': '{name: x, type: set, value: 1, routes: [{to: z}]}',
  'an agent': '{name: x, type: agent, prompt: p, model: sim/clerk, tools: [], routes: [{to: z}]}',
  'a wait': '{name: x, type: wait, duration: 1ms, routes: [{to: z}]}',
  'a sub-workflow': '{name: x, type: workflow, workflow: ./child.yaml, routes: [{to: z}]}',
};

const GROUPS: Readonly<Record<string, string>> = {
  'a group': 'parallel: [{name: x, agents: [m, n], routes: [{to: z}]}]',
  'a list': `for_each:
  - {name: x, source: "{{ [1, 2] }}", as: i, agent: {name: o, type: call, function: other, routes: [{to: $end}]}, routes: [{to: z}]}`,
};

function fileWith(node: string, group = ''): string {
  return `workflow:
  name: w
  entry_point: x
  runtime:
    simulate:
      chief: [{answer: {next: good, reason: r}}, {answer: {next: bad, reason: r}}, {fail: {kind: provider.auth}}]
nodes:${WORKERS}
  - {name: m, type: call, function: other, routes: [{to: $end}]}
  - {name: n, type: call, function: other, routes: [{to: $end}]}
  - {name: z, type: call, function: last, routes: [{to: $end}]}
${node === '' ? '' : `  - ${node}\n`}${group}
`;
}

const BEFORE = fileWith(
  '{name: x, type: supervisor, model: sim/chief, prompt: p, manages: [good, bad], routes: [{to: z}]}',
);

describe.each([
  ...Object.entries(NODES).map(([what, node]) => [what, fileWith(node)] as const),
  ...Object.entries(GROUPS).map(([what, group]) => [what, fileWith('', group)] as const),
])('by %s', (what, after) => {
  it('runs', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'errand-replaced-'));
    const calls: string[] = [];
    const errand = await openErrand({
      store: 'memory',
      functions: {
        good: () => void calls.push('good'),
        bad: () => {
          calls.push('bad');
          throw raise('order.missing', 'no');
        },
        other: () => void calls.push('other'),
        last: () => void calls.push('last'),
      },
    });
    try {
      const file = join(folder, 'w.yaml');
      writeFileSync(file, BEFORE);
      writeFileSync(
        join(folder, 'child.yaml'),
        'workflow: {name: c, entry_point: o}\nnodes: [{name: o, type: call, function: other}]\n',
      );
      const run = await errand.start(await errand.load(file));
      expect(await run.result()).toMatchObject({
        status: 'failed',
        error: { kind: 'provider.auth' },
      });
      expect(calls.splice(0)).toEqual(['good', 'bad']);
      writeFileSync(file, after);
      const resumed = await errand.resume(run.id);
      expect(await resumed.result()).toMatchObject({ status: 'completed' });
      const own = { 'a group': 2, 'a list': 2, 'a call': 1, 'a sub-workflow': 1 }[what] ?? 0;
      expect(calls).toEqual([...Array.from({ length: own }, () => 'other'), 'last']);
    } finally {
      await errand.close();
      rmSync(folder, { recursive: true });
    }
  });
});
