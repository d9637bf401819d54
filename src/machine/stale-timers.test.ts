import { expect, test } from 'vitest';
import { Stage } from './conversation/conversation.cases.ts';
import { failing, rehearse, workflow } from './harness.cases.ts';
import { driftOf } from './policy/drift.ts';

const LIMITS = '  limits: {max_iterations: 3000, timeout_seconds: 90000}\n';

test('a loop of nodes with a time limit keeps no timer of each visit', () => {
  const nodes =
    '  - {name: a, type: call, function: f, timeout_seconds: 3600, routes: [{to: a}]}\n';
  const { state, events } = rehearse(workflow(nodes, LIMITS));
  expect(events.filter(({ type }) => type === 'node:started')).toHaveLength(3000);
  expect(state.error?.kind).toBe('limit.steps');
  expect(state.timers.heap.length).toBeLessThan(200);
});

test('a wait, a time limit of the node and one of the workflow still end when they should', () => {
  const nodes = `  - {name: a, type: call, function: f, timeout_seconds: 3600, routes: [{to: b}]}
  - {name: b, type: call, function: f, routes: [{to: c}, {on_error: true, retry: {max: 100, backoff: fixed, initial_seconds: 1}}]}
  - {name: c, type: wait, duration: 100000s}
`;
  const { state, events, story } = rehearse(workflow(nodes, LIMITS), {
    effects: (request) => failing('order.late', request.node.name === 'b' ? 50 : 0)(request),
  });
  expect(events.filter(({ type }) => type === 'node:retrying')).toHaveLength(50);
  expect(story.at(-1)).toBe('run:failed limit.run_timeout');
  expect(state.error?.kind).toBe('limit.run_timeout');
});

test('the time limit of a member that has ended wakes nothing, also where its node is in the file no more', () => {
  const group = (name: string): object => ({
    workflow: { name: 't', entry_point: 'g' },
    parallel: [{ name: 'g', agents: [name, 'ask'] }],
    nodes: [
      { name, type: 'call', function: 'f', timeout_seconds: 60 },
      { name: 'ask', type: 'human_gate', prompt: 'Go?', options: [{ value: 'yes' }] },
    ],
  });
  const stage = new Stage(group('x'));
  for (const pending of stage.pending()) stage.answer(pending);
  const { plan } = new Stage(group('renamed'));
  stage.nowMs += 60_000;
  stage.take({
    type: 'run:resumed',
    by: 'test',
    ...driftOf(stage.state, { plan, acceptDrift: true }),
  });
  const gate = 'g[ask]/ask';
  stage.take({ type: 'gate:answered', node: 'ask', path: gate, gate, value: 'yes', by: 'test' });
  expect(stage.events.at(-1)?.type).toBe('run:completed');
});
