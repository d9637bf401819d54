/** A resume refuses a file without the nodes that it would come back to, before anything is written. */
import { describe, expect, it } from 'vitest';
import { memoryFiles } from '../../workflow/yaml/files.cases.ts';
import { loadWorkflow } from '../../workflow/yaml/load-workflow.ts';
import { driftOf } from './drift.ts';
import { rehearse } from '../harness.cases.ts';

const CHILD =
  'workflow: {name: c, entry_point: pay}\nnodes: [{name: pay, type: script, command: x}]\n';
const HEAD = 'workflow: {name: t, entry_point: g}\nnodes:\n';
const EACH = `${HEAD}  - {name: other, type: set, value: 1}\nfor_each: [{name: g, source: "{{ [1, 2] }}", as: n, failure_mode: all_or_nothing, agent: {name: pay, type: script, command: x}}]\n`;
const BOTH = `${HEAD}  - {name: x, type: script, command: x}\n  - {name: y, type: script, command: y}\nparallel: [{name: g, agents: [x, y], failure_mode: all_or_nothing}]\n`;
const WAITING = BOTH.replace('[x, y], failure_mode: all_or_nothing', '[y, x], max_concurrent: 1');
const PARKED = WAITING.replace('}]', ', routes: [{to: $end}, {on_error: true, park: true}]}]');
const CALLS = `${HEAD}  - {name: g, type: workflow, workflow: ./c.yaml}\n`;
const TWO_STEPS = `${HEAD}  - {name: g, type: set, value: 1, routes: [{to: pay}]}\n  - {name: pay, type: script, command: x}\n`;

interface Files {
  readonly main: string;
  readonly child?: string;
}

function driftFrom(before: Files, after: Files, from?: string) {
  const { state } = rehearse(before.main, {
    files: { 'c.yaml': before.child ?? CHILD },
    effects: ({ path }) =>
      path.endsWith('x') ? {} : { fail: { kind: 'order.missing', message: 'no' } },
  });
  const files = { 'main.yaml': after.main, 'c.yaml': after.child ?? CHILD };
  const loaded = loadWorkflow('main.yaml', memoryFiles(files));
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.diagnostics));
  return driftOf(state, { plan: loaded.plan, acceptDrift: true, from });
}

describe('a changed file with the drift accepted', () => {
  it.each<[string, Files, Files, string, string?]>([
    [
      'a renamed member of a for_each that failed',
      { main: EACH },
      { main: EACH.replace('name: pay', 'name: pay2') },
      'pay',
    ],
    [
      'a failed member that was removed from its group and the file',
      { main: BOTH },
      {
        main: BOTH.replace('  - {name: y, type: script, command: y}\n', '').replace(
          '[x, y]',
          '[x]',
        ),
      },
      'y',
    ],
    [
      'a renamed member that had not begun when its group failed',
      { main: WAITING },
      { main: WAITING.replace('name: x,', 'name: z,').replace('[y, x]', '[y, z]') },
      'x',
    ],
    [
      'a renamed member that had not begun when its group was parked',
      { main: PARKED },
      { main: PARKED.replace('name: x,', 'name: z,').replace('[y, x]', '[y, z]') },
      'x',
    ],
    [
      'a renamed node in a sub-workflow that failed',
      { main: CALLS },
      { main: CALLS, child: CHILD.replaceAll('pay', 'pay2') },
      'pay (c.yaml)',
    ],
    [
      'a group that is now a step',
      { main: EACH },
      { main: `${HEAD}  - {name: g, type: set, value: 1}\n` },
      'g, pay',
    ],
    [
      'the node that the run is rewound to',
      { main: TWO_STEPS },
      {
        main: TWO_STEPS.replaceAll('name: g,', 'name: h,').replace(
          'entry_point: g',
          'entry_point: h',
        ),
      },
      'g',
      'g',
    ],
  ])('is refused: %s', (...[, before, after, nodes, from]) => {
    expect(() => driftFrom(before, after, from)).toThrow(
      expect.objectContaining({
        kind: 'run.drifted',
        message: `The run is at nodes that the file no longer has: ${nodes}`,
      }),
    );
  });

  it.each<[string, Files, Files, string?]>([
    [
      'a renamed member that has succeeded',
      { main: BOTH },
      { main: BOTH.replace('name: x,', 'name: z,').replace('[x, y]', '[z, y]') },
    ],
    [
      'a renamed node behind the one that the run is rewound to',
      { main: TWO_STEPS },
      { main: TWO_STEPS.replaceAll('pay', 'pay2') },
      'g',
    ],
  ])('is taken: %s', (_, before, after, from) => {
    expect(driftFrom(before, after, from).drift).toBeDefined();
  });
});
