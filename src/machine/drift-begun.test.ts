/** A group or a sub-workflow that has begun keeps what it began with, and a file that says otherwise is drift. */
import { describe, expect, it } from 'vitest';
import { memoryFiles } from '../workflow/load/files.cases.ts';
import { loadWorkflow } from '../workflow/load/workflow.ts';
import type { WorkflowPlan } from '../workflow/model.ts';
import { driftOf } from './drift.ts';
import { rehearse } from './harness.cases.ts';

const CHILD =
  'workflow: {name: c, entry_point: bad, input: {n: {type: number, default: 1}}}\nnodes:\n  - {name: bad, type: script, command: x}\n';
const HEAD =
  'workflow: {name: t, entry_point: a, input: {xs: {type: array, default: [1, 2]}}}\nnodes:\n';
const TWO = '  - {name: x, type: script, command: x}\n  - {name: y, type: script, command: y}\n';

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

describe('what has begun', () => {
  it.each(CASES)('does not take another text silently: %s', (_, before, after) => {
    const state = failedRun(before);
    const plan = planOf(after);
    expect(() => driftOf(state, { plan })).toThrow(
      expect.objectContaining({ kind: 'run.drifted' }),
    );
    expect(driftOf(state, { plan, acceptDrift: true }).drift).toMatchObject({ kept: ['a'] });
    expect(driftOf(state, { plan, from: 'a' }).drift?.kept).toEqual([]);
  });

  it('does not take another list silently, by an input', () => {
    const state = failedRun(CASES[1]?.[1] ?? '');
    expect(() => driftOf(state, { input: { xs: [3] } })).toThrow(
      expect.objectContaining({ kind: 'run.drifted' }),
    );
  });

  it('takes the new text of what its members do', () => {
    const [, before = ''] = CASES[1] ?? [];
    const state = failedRun(before);
    const { drift } = driftOf(state, {
      plan: planOf(before.replace('command: x}}', 'command: z}}')),
    });
    expect(drift).toEqual({ kept: [], changed: ['a', 'm'] });
  });
});
