/** A group or a sub-workflow that has begun keeps what it began with; a change of that in the file is drift. */
import { describe, expect, it } from 'vitest';
import { memoryFiles } from '../../workflow/yaml/files.cases.ts';
import { loadWorkflow } from '../../workflow/yaml/load-workflow.ts';
import type { WorkflowPlan } from '../../workflow/plan/plan.ts';
import { driftOf } from './drift.ts';
import { rehearse } from '../harness.cases.ts';

const CHILD =
  'workflow: {name: c, entry_point: bad, input: {n: {type: number, default: 1}}}\nnodes:\n  - {name: bad, type: script, command: x}\n';
const HEAD =
  'workflow: {name: t, entry_point: a, input: {xs: {type: array, default: [1, 2]}}}\nnodes:\n';
const TWO = '  - {name: x, type: script, command: x}\n  - {name: y, type: script, command: y}\n';

const GATE = `${HEAD}${TWO}  - {name: a, type: human_gate, prompt: Delete nothing?, options: [{value: y, route: x}, {value: n}], routes: [{to: y}]}\n`;

const CASES: readonly (readonly [string, string, string])[] = [
  [
    'the members of a parallel group',
    `${HEAD}${TWO}parallel: [{name: a, agents: [x]}]\n`,
    `${HEAD}${TWO}parallel: [{name: a, agents: [x, y]}]\n`,
  ],
  [
    'the source of a for_each',
    `${HEAD}${TWO}for_each: [{name: a, source: workflow.input.xs, as: i, agent: {name: m, type: script, command: x}}]\n`,
    `${HEAD}${TWO}for_each: [{name: a, source: "{{ [1, 2, 3] }}", as: i, agent: {name: m, type: script, command: x}}]\n`,
  ],
  [
    'the input of a sub-workflow',
    `${HEAD}  - {name: a, type: workflow, workflow: ./c.yaml, input_mapping: {n: 1}}\n`,
    `${HEAD}  - {name: a, type: workflow, workflow: ./c.yaml, input_mapping: {n: 2}}\n`,
  ],
  ...(
    [
      ['the prompt of an open gate', 'Delete nothing?', 'Delete all?'],
      ['an option of an open gate', 'value: y', 'value: z'],
      ['where an option of an open gate leads', 'route: x', 'route: y'],
      ['where an open gate leads', 'to: y', 'to: x'],
    ] as const
  ).map(([what, from, to]) => [what, GATE, GATE.replace(from, to)] as const),
];

function planOf(text: string): WorkflowPlan {
  const loaded = loadWorkflow('main.yaml', memoryFiles({ 'main.yaml': text, 'c.yaml': CHILD }));
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.diagnostics));
  return loaded.plan;
}

function failedRun(text: string) {
  return rehearse(text, {
    files: { 'c.yaml': CHILD },
    input: { xs: [1, 2] },
    effects: () => ({ fail: { kind: 'order.missing', message: 'no' } }),
  }).state;
}

describe('a node that has begun', () => {
  it.each(CASES)('does not adopt a changed text silently: %s', (_, before, after) => {
    const state = failedRun(before);
    const plan = planOf(after);
    expect(() => driftOf(state, { plan })).toThrow(
      expect.objectContaining({
        kind: 'run.drifted',
        message: 'Nodes that have finished or begun have changed in the file: a',
      }),
    );
    expect(driftOf(state, { plan, acceptDrift: true }).drift).toMatchObject({ kept: ['a'] });
    expect(driftOf(state, { plan, from: 'a' }).drift?.kept).toEqual([]);
  });

  it('does not adopt a changed list silently, by an input', () => {
    const state = failedRun(CASES[1]?.[1] ?? '');
    expect(() => driftOf(state, { input: { xs: [3] } })).toThrow(
      expect.objectContaining({ kind: 'run.drifted' }),
    );
  });

  it('adopts changes that an answer to an open gate does not depend on', () => {
    const state = failedRun(GATE);
    const plan = planOf(GATE.replace('type: human_gate', 'type: human_gate, timeout: 1h'));
    expect(driftOf(state, { plan }).drift).toEqual({ kept: [], changed: ['a'] });
  });

  it('adopts the new text of its members', () => {
    const [, before = ''] = CASES[1] ?? [];
    const state = failedRun(before);
    const { drift } = driftOf(state, {
      plan: planOf(before.replace('command: x}}', 'command: z}}')),
    });
    expect(drift).toEqual({ kept: [], changed: ['a', 'm'] });
  });
});
