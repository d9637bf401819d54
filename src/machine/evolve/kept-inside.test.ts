/** A group or a sub-workflow that runs again after a pause keeps what has completed inside it. */
import { describe, expect, it } from 'vitest';
import { rehearse, type Rehearsal } from '../harness.cases.ts';

const FILES = {
  'c.yaml': `workflow: {name: c, entry_point: a}
nodes:
  - {name: a, type: script, command: ok, routes: [{to: b}]}
  - {name: b, type: script, command: flaky, args: ["{{ a.output.n }}"], routes: [{to: d}]}
  - {name: d, type: script, command: ok}
`,
};

const around = (route: string): Readonly<Record<string, string>> => ({
  'a sub-workflow': `workflow: {name: t, entry_point: g}
nodes: [{name: g, type: workflow, workflow: ./c.yaml, routes: [{to: $end}, {on_error: true, ${route}}]}]
`,
  'a parallel group': `workflow: {name: t, entry_point: g}
nodes:
  - {name: x, type: script, command: ok}
  - {name: y, type: script, command: flaky}
parallel: [{name: g, agents: [x, y], failure_mode: all_or_nothing, routes: [{to: $end}, {on_error: true, ${route}}]}]
`,
  'a group of sub-workflows': `workflow: {name: t, entry_point: g}
nodes: [{name: s, type: set, value: 1}]
for_each:
  - name: g
    source: "{{ [1, 2] }}"
    as: i
    failure_mode: all_or_nothing
    agent: {name: m, type: workflow, workflow: ./c.yaml}
    routes: [{to: $end}, {on_error: true, ${route}}]
`,
});

interface Counted extends Rehearsal {
  readonly counts: Readonly<Record<string, number>>;
}

/** `flaky` fails twice, wherever it is called. */
function counted(text: string): Counted {
  const counts: Record<string, number> = {};
  const run = rehearse(text, {
    files: FILES,
    answers: { g: 'retry' },
    effects: ({ path, work }) => {
      const count = (counts[path] ?? 0) + 1;
      counts[path] = count;
      const isFlaky = work.type === 'script' && work.command === 'flaky';
      return isFlaky && count < 3
        ? { fail: { kind: 'internal.script_error', message: 'no' } }
        : { n: count };
    },
  });
  return { ...run, counts };
}

const DONE: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  'a sub-workflow': { 'g/a': 1, 'g/b': 3, 'g/d': 1 },
  'a parallel group': { 'g[x]/x': 1, 'g[y]/y': 3 },
  'a group of sub-workflows': Object.fromEntries(
    [0, 1].flatMap((index) => [
      [`g[${index}]/m/a`, 1],
      [`g[${index}]/m/b`, 3],
      [`g[${index}]/m/d`, 1],
    ]),
  ),
};

describe.each(Object.keys(DONE))('%s', (what) => {
  it.each(['park: {for: 15m}', 'ask: {options: [retry, abort]}'])(
    'does again only what failed, after %s',
    (route) => {
      const run = counted(around(route)[what] ?? '');
      expect(run.state.status).toBe('completed');
      expect(run.counts).toEqual(DONE[what]);
    },
  );

  it('begins anew by a retry route', () => {
    const run = counted(around('retry: {max: 2, backoff: none}')[what] ?? '');
    expect(run.state.status).toBe('completed');
    expect(Object.values(run.counts).every((count) => count === 3 || count === 1)).toBe(true);
    expect(Object.values(run.counts).filter((count) => count === 3).length).toBeGreaterThan(1);
  });
});

describe.each(['park: {for: 15m}', 'ask: {options: [retry]}'])(
  'a list that changes, and %s',
  (route) => {
    it('leaves the group with the members that it began with', () => {
      const text = `workflow: {name: t, entry_point: g, state: {left: {type: array, default: [1, 2], merge: append}}}
nodes:
  - {name: more, type: set, value: 1, state: {left: [3]}}
  - {name: flaky, type: script, command: flaky}
for_each:
  - name: g
    source: "{{ state.left }}"
    as: i
    failure_mode: all_or_nothing
    agent: {name: m, type: script, command: ok, routes: [{to: more, when: "{{ i == 1 }}"}, {to: flaky}]}
    routes: [{to: $end}, {on_error: true, ${route}}]
`;
      const { state, counts } = counted(text);
      expect(state.status).toBe('completed');
      expect(counts).toEqual({ 'g[0]/m': 1, 'g[1]/m': 1, 'g[1]/flaky': 3 });
    });
  },
);

it.each(['park: {for: 15m}', 'ask: {options: [retry]}'])(
  'keeps all of a sub-workflow that has completed but for its output, after %s',
  (route) => {
    const text = (around(route)['a sub-workflow'] ?? '').replace(
      'entry_point: g',
      'entry_point: g, limits: {max_iterations: 5}',
    );
    const calls: string[] = [];
    const { state, events } = rehearse(text, {
      files: {
        'c.yaml': `workflow: {name: c, entry_point: a}
nodes: [{name: a, type: script, command: ok}]
output: {made: "{{ a.output[workflow.name] }}"}
`,
      },
      answers: { g: 'retry' },
      effects: ({ path }) => ({ n: calls.push(path) }),
    });
    const failed = events.filter(({ type }) => type === 'node:failed');
    expect(failed.length).toBeGreaterThan(2);
    expect(state.error?.kind).toBe('limit.steps');
    expect(calls).toEqual(['g/a']);
  },
);

it('has its limits anew after a pause', () => {
  const files = {
    'c.yaml': FILES['c.yaml'].replace(
      'entry_point: a',
      'entry_point: a, limits: {max_iterations: 3}',
    ),
  };
  let calls = 0;
  const run = rehearse(around('park: {for: 15m}')['a sub-workflow'] ?? '', {
    files,
    effects: ({ path }) => {
      calls += 1;
      return path === 'g/b' && calls < 4
        ? { fail: { kind: 'internal.script_error', message: 'no' } }
        : { n: calls };
    },
  });
  expect(run.state.status).toBe('completed');
});

it('does the work again whose result did not pass its assertion', () => {
  const files = {
    'c.yaml': FILES['c.yaml'].replace(
      'command: flaky',
      'command: ok, assert: [{that: "{{ output.n > 2 }}"}]',
    ),
  };
  const counts: Record<string, number> = {};
  const { state } = rehearse(around('ask: {options: [retry]}')['a sub-workflow'] ?? '', {
    files,
    answers: { g: 'retry' },
    effects: ({ path }) => ({ n: (counts[path] = (counts[path] ?? 0) + 1) }),
  });
  expect(state.status).toBe('completed');
  expect(counts).toEqual({ 'g/a': 1, 'g/b': 3, 'g/d': 1 });
});
