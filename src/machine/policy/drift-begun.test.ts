/** What counts as drift where groups and sub-workflows have begun: their beginning, and the results inside that stay. */
import { describe, expect, it } from 'vitest';
import { memoryFiles } from '../../workflow/yaml/files.cases.ts';
import { loadWorkflow } from '../../workflow/yaml/load-workflow.ts';
import type { WorkflowPlan } from '../../workflow/plan/plan.ts';
import { driftOf } from './drift.ts';
import { step } from '../decide/step.ts';
import { rehearse } from '../harness.cases.ts';
import type { RunState } from '../state/state.ts';

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

describe('a node that is run again in one place, and has finished in others', () => {
  const DONE = '{name: done, type: script, command: x, routes: [{to: bad}]}';
  const BAD = '{name: bad, type: script, command: y}';
  const CALLED = `workflow: {name: c, entry_point: done}\nnodes: [${DONE}, ${BAD}]\n`;
  const CALLS = ['one', 'two'].map(
    (name) => `{name: ${name}, type: workflow, workflow: ./c.yaml, routes: [{to: $end}]}`,
  );
  const GROUP = 'failure_mode: all_or_nothing, routes: [{to: $end}]';
  const PLACES: Readonly<Record<string, readonly [text: string, from: string, drifted: string]>> = {
    'in another member of its group': [
      `${HEAD}  - ${DONE}\n  - ${BAD}\nfor_each: [{name: a, source: workflow.input.xs, as: i, ${GROUP}, agent: {name: m, type: set, value: 1, routes: [{to: done}]}}]\n`,
      'a[0]/done',
      'done',
    ],
    'in the same workflow, which another member calls': [
      `${HEAD}${CALLS.map((call) => `  - ${call}\n`).join('')}parallel: [{name: a, agents: [one, two], ${GROUP}}]\n`,
      'a[two]/two/done',
      'done (c.yaml)',
    ],
    'in the same workflow, which has ended where another node calls it': [
      `${HEAD}  - ${CALLS[0]?.replace('one', 'a').replace('$end', 'two')}\n  - ${CALLS[1]}\n`,
      'two/done',
      'done (c.yaml)',
    ],
  };
  const load = (text: string, called: string): WorkflowPlan => {
    const loaded = loadWorkflow('main.yaml', memoryFiles({ 'main.yaml': text, 'c.yaml': called }));
    if (!loaded.ok) throw new Error(JSON.stringify(loaded.diagnostics));
    return loaded.plan;
  };
  const changed = (text: string): string => text.replace('command: x', 'command: z');

  it.each(Object.entries(PLACES))('has drifted: %s', (_, [text, from, drifted]) => {
    const run = (): RunState =>
      rehearse(text, {
        files: { 'c.yaml': CALLED },
        input: { xs: [1, 2] },
        effects: ({ node, path }) =>
          node.name === 'bad' && path !== 'a/bad'
            ? { fail: { kind: 'order.missing', message: 'no' } }
            : {},
      }).state;
    const plan = load(changed(text), changed(CALLED));
    const refused = expect.objectContaining({
      kind: 'run.drifted',
      message: `Nodes that have finished or begun have changed in the file: ${drifted}`,
    });
    expect(() => driftOf(run(), { plan, from })).toThrow(refused);
    const rewound = run();
    step(rewound, [{ type: 'run:resumed', by: 'test', from }], rewound.nowMs);
    expect(() => driftOf(rewound, { plan })).toThrow(refused);
  });

  it.each(Object.entries(PLACES))(
    'has not drifted where all of them run again: %s',
    (_, [text]) => {
      const { state } = rehearse(text, { files: { 'c.yaml': CALLED }, input: { xs: [1, 2] } });
      expect(state.status).toBe('completed');
      const plan = load(changed(text), changed(CALLED));
      expect(() => driftOf(state, { plan })).toThrow(
        expect.objectContaining({ kind: 'run.drifted' }),
      );
      expect(driftOf(state, { plan, from: 'a' }).drift?.kept).toEqual([]);
    },
  );
});
