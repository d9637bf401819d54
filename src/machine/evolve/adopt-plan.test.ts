/** A file that has lost what a run is done with: the run continues without it. */
import { expect, it } from 'vitest';
import { memoryFiles } from '../../workflow/yaml/files.cases.ts';
import { loadWorkflow } from '../../workflow/yaml/load-workflow.ts';
import { step } from '../decide/step.ts';
import { rehearse } from '../harness.cases.ts';
import { driftOf } from '../policy/drift.ts';

const CHILD = `workflow: {name: c, entry_point: x, limits: {timeout_seconds: 600}}
nodes: [{name: x, type: script, command: x}]
`;

const BEFORE = `workflow: {name: t, entry_point: g}
nodes:
  - {name: first, type: set, value: 1, routes: [{to: call}]}
  - {name: call, type: workflow, workflow: ./c.yaml, routes: [{to: $end}, {on_error: true, to: $end}]}
  - {name: asked, type: human_gate, prompt: Really?, options: [{value: yes}]}
parallel: [{name: g, agents: [first, asked]}]
`;

it('a sub-workflow that failed in a member which a route has ended well', () => {
  const { state } = rehearse(BEFORE, {
    files: { 'c.yaml': CHILD },
    effects: () => ({ fail: { kind: 'order.missing', message: 'no' } }),
    answers: {},
  });
  expect(state.gates.size).toBe(1);
  const after = BEFORE.replace('routes: [{to: call}]', 'routes: [{to: $end}]').replace(
    /^ {2}- \{name: call.*\n/m,
    '',
  );
  const loaded = loadWorkflow('main.yaml', memoryFiles({ 'main.yaml': after }));
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.diagnostics));
  const drift = driftOf(state, { plan: loaded.plan, acceptDrift: true });
  step(state, [{ type: 'run:resumed', by: 'test', ...drift }], state.nowMs + 1000);
  expect(state.gates.size).toBe(1);
  const [gate = ''] = state.gates.keys();
  const answer = { type: 'gate:answered', node: 'asked', path: gate, gate, value: 'yes' } as const;
  step(state, [{ ...answer, by: 'test' }], state.nowMs + 1000);
  expect(state.status).toBe('completed');
});
