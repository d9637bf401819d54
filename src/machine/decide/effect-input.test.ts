import { expect, test } from 'vitest';
import { pendingRequest } from './effect-request.ts';
import { evolve } from '../evolve/evolve.ts';
import { memoryFiles } from '../../workflow/yaml/files.cases.ts';
import { rehearse } from '../harness.cases.ts';
import { loadWorkflow } from '../../workflow/yaml/load-workflow.ts';
import { newRunState } from '../state/state.ts';

const BESIDE = `
workflow:
  name: beside
  entry_point: both
  state: {x: {type: number, default: 1}}
parallel:
  - {name: both, agents: [asks, writes], routes: [{to: $end}]}
nodes:
  - {name: asks, type: call, function: f, arguments: {x: "{{ state.x }}"}, routes: [{to: $end}]}
  - {name: writes, type: set, value: 1, state: {x: "{{ state.x + 1 }}"}, routes: [{to: $end}]}
`;

test('a request stays the same when a parallel branch writes to the shared state', () => {
  const asked: unknown[] = [];
  const { state } = rehearse(BESIDE, {
    effects: ({ work }) => {
      asked.push(work);
      return {};
    },
  });
  expect(state.status).toBe('completed');
  expect(asked).toEqual([{ type: 'call', function: 'f', arguments: { x: 1 } }]);
});

test('a run that is folded from its log makes the same request under the same key', () => {
  const { events } = rehearse(BESIDE);
  const loaded = loadWorkflow('main.yaml', memoryFiles({ 'main.yaml': BESIDE }));
  if (!loaded.ok) throw new Error('the file is not valid');
  const state = newRunState('run_1', loaded.plan);
  const stored = JSON.parse(JSON.stringify(events)) as typeof events;
  for (const event of stored) {
    if (event.type === 'effect:succeeded') break;
    evolve(state, event, 0);
  }
  const [[key, pending] = []] = state.effects;
  if (pending === undefined) throw new Error('nothing is under way');
  expect(pendingRequest(state, pending)).toMatchObject({
    ref: { key },
    work: { arguments: { x: 1 } },
  });
  expect(state.scopes.get('')?.state.get('x')).toBe(2);
});
