import { expect, test } from 'vitest';
import { rehearse } from '../harness.cases.ts';

test('a state is its own under any name, also one that every object inherits', () => {
  const { events } = rehearse(`
workflow: {name: t, entry_point: g, state: {toString: {type: array, default: [], merge: append}}}
nodes: [{name: n, type: set, value: 1}]
for_each: [{name: g, source: "{{ [1] }}", as: i, agent: {name: m, type: set, value: 1, state: {toString: [2]}}}]
`);
  const done = events.find((event) => event.type === 'node:completed');
  expect(done).toMatchObject({ path: 'g[0]/m', state: { toString: [2] } });
  // what it wrote is derived from the state that it left
  expect(done).not.toHaveProperty('wrote', expect.anything());
});
