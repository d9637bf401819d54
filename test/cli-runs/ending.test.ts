/** The contract: how runs end, and groups. */
import { describe } from 'vitest';
import { rows, sh, workflow } from './table.ts';

const raise = (kind: string): string =>
  sh(
    'a',
    `echo '{"kind": "${kind}", "message": "No order", "details": {"id": 7}}' > $ERRAND_ERROR_OUT`,
  );
const child = (routes = ''): string =>
  `- {name: a, type: workflow, workflow: ./child.yaml${routes}}`;

describe('ending', () => {
  rows([
    {
      it: 'halt ends the whole run, from a child too, and nothing catches it',
      header: 'on_error: [{on_error: true, to: b}]',
      nodes: `${child(', routes: [{to: $end}, {on_error: true, to: b}]')}\n- {name: b, type: set, value: caught}`,
      files: {
        'child.yaml': workflow(
          `- ${sh('a', 'exit 1', ', routes: [{to: $end}, {on_error: true, halt: {message: "Stop: {{ error.kind }}"}}]')}`,
        ),
      },
      steps: [
        {
          do: 'run t.yaml',
          exit: 3,
          says: {
            error: {
              kind: 'halt.intentional',
              message: 'Stop: internal.script_error',
              cause: { kind: 'internal.script_error' },
            },
          },
          errors: 1,
        },
      ],
    },
    {
      it: 'halt on a success route has no cause',
      nodes: '- {name: a, type: set, value: 1, routes: [{halt: {message: Enough}}]}',
      steps: [
        {
          do: 'run t.yaml',
          exit: 3,
          says: { error: { kind: 'halt.intentional', message: 'Enough' } },
        },
      ],
    },
    {
      it: 'a failed terminate ends its workflow from inside a group, with its output',
      file: `workflow: {name: t, entry_point: g}
nodes:
  - {name: a, type: terminate, status: failed, reason: No good, output_template: {n: 5}}
  - ${sh('slow', 'sleep 30')}
parallel: [{name: g, agents: [a, slow], failure_mode: continue_on_error, routes: [{to: $end}, {on_error: true, to: $end}]}]
`,
      steps: [
        {
          do: 'run t.yaml',
          exit: 3,
          says: {
            status: 'failed',
            output: { n: 5 },
            error: { kind: 'terminate.failed', message: 'No good', details: { output: { n: 5 } } },
          },
        },
      ],
    },
    {
      it: 'a caller can route it',
      nodes: `${child(', routes: [{to: $end}, {on_error: terminate.failed, to: b}]')}\n- {name: b, type: set, value: "{{ failing.error.details.output.n }}"}`,
      files: {
        'child.yaml': workflow(
          '- {name: a, type: terminate, status: failed, reason: No good, output_template: {n: 5}}',
        ),
      },
      steps: [{ do: 'run t.yaml', says: { output: 5 } }],
    },
    {
      it: 'a successful terminate ends with its output',
      nodes: `- {name: a, type: terminate, status: success, reason: Done, output_template: {n: 5}}`,
      steps: [{ do: 'run t.yaml', says: { status: 'completed', output: { n: 5 } } }],
    },
    {
      it: 'a successful terminate ends with its output from inside a group too, over that of the file',
      file: `workflow: {name: t, entry_point: g}
nodes:
  - {name: a, type: terminate, status: success, reason: Found, output_template: {n: 5}}
  - {name: b, type: set, value: 1}
parallel: [{name: g, agents: [b, a], routes: [{to: $end}]}]
output: {n: 0}
`,
      steps: [{ do: 'run t.yaml', says: { status: 'completed', output: { n: 5 } } }],
    },
    {
      it: 'propagate, and the default in a child, keep kind and details and add a frame',
      nodes: child(),
      files: {
        'child.yaml': workflow(
          `- {name: a, type: workflow, workflow: ./grandchild.yaml, routes: [{to: $end}, {on_error: true, propagate: true}]}`,
        ),
        'grandchild.yaml': workflow(`- ${raise('order.missing')}`),
      },
      steps: [
        {
          do: 'run t.yaml',
          exit: 3,
          says: {
            error: {
              kind: 'order.missing',
              details: { id: 7 },
              location: { path: 'a/a/a' },
              frames: [{ path: 'a/a/a' }, { path: 'a/a' }, { path: 'a' }],
            },
          },
        },
        { do: 'resume RUN', exit: 3, errors: 2, count: 2 },
      ],
    },
    {
      it: 'a guard that fails is taken by the table of the workflow only, with its cause',
      header: 'on_error: [{on_error: route.guard_failed, to: b}]',
      nodes: `- ${sh('a', 'exit 1', ', routes: [{to: $end}, {on_error: internal.script_error, to: c, when: "{{ error.details.nothing > 1 }}"}, {on_error: true, to: c}]')}
- {name: b, type: set, value: "{{ failing.error.cause.kind }}"}
- {name: c, type: set, value: wrong}`,
      steps: [{ do: 'run t.yaml', says: { output: 'internal.script_error' } }],
    },
    {
      it: 'a validation failure after the start is an ordinary one: exit 3, and routable',
      file: `workflow: {name: t, entry_point: g}
for_each:
  - {name: g, source: "{{ [1, 1] }}", as: n, key_by: n, agent: {name: one, type: set, value: 1}}
`,
      files: {
        'u.yaml': `workflow: {name: u, entry_point: g}
for_each:
  - {name: g, source: "{{ [1, 1] }}", as: n, key_by: n, agent: {name: one, type: set, value: 1}, routes: [{to: $end}, {on_error: validation.input, to: b}]}
nodes: [{name: b, type: set, value: routed}]
`,
      },
      steps: [
        {
          do: 'run t.yaml',
          exit: 3,
          says: { status: 'failed', error: { kind: 'validation.input' } },
        },
        { do: 'run u.yaml', says: { output: 'routed' } },
      ],
    },
    {
      it: 'assert is routed like any failure; without raise it is assert.failed',
      nodes: `- {name: a, type: set, value: 1, assert: [{that: "{{ output > 1 }}"}], routes: [{to: $end}, {on_error: assert.failed, to: b}]}
- {name: b, type: set, value: 2, assert: [{that: "{{ output > 2 }}", raise: work.small, message: Too small}]}`,
      steps: [
        {
          do: 'run t.yaml',
          exit: 3,
          says: { error: { kind: 'work.small', message: 'Too small' } },
          events: ['node:failed a', 'node:failed b'],
        },
      ],
    },
  ]);
});

describe('groups', () => {
  const group = (
    mode: string,
    members = '[bad, good]',
  ): string => `workflow: {name: t, entry_point: g}
nodes:
  - ${sh('bad', 'exit 1')}
  - ${sh('worse', 'exit 2')}
  - {name: good, type: set, value: fine}
parallel: [{name: g, agents: ${members}, ${mode}, routes: [{to: $end}, {on_error: [group.failed, group.quorum], to: report}]}]
`;
  const report = `  - {name: report, type: set, value: "{{ failing.error.kind }} {{ g.error.kind }} {{ g.outputs | length }} {{ g.errors.bad.kind }}"}
`;
  const withReport = (text: string): string => text.replace('parallel:', `${report}parallel:`);
  rows([
    {
      it: 'continue_on_error fails only when every member failed',
      file: withReport(group('failure_mode: continue_on_error')),
      files: { 'u.yaml': withReport(group('failure_mode: continue_on_error', '[bad, worse]')) },
      steps: [
        {
          do: 'run t.yaml',
          says: {
            output: {
              outputs: { good: 'fine' },
              errors: { bad: { kind: 'internal.script_error' } },
            },
          },
        },
        { do: 'run u.yaml', says: { output: 'group.failed group.failed 0 internal.script_error' } },
      ],
    },
    {
      it: 'all_or_nothing runs all and fails if any did; the partial output is there',
      file: withReport(group('failure_mode: all_or_nothing')),
      steps: [
        { do: 'run t.yaml', says: { output: 'group.failed group.failed 1 internal.script_error' } },
      ],
    },
    {
      it: 'quorum succeeds at n, and fails when n cannot be reached',
      file: withReport(group('failure_mode: quorum, quorum: 1')),
      files: { 'u.yaml': withReport(group('failure_mode: quorum, quorum: 2')) },
      steps: [
        { do: 'run t.yaml', says: { status: 'completed' } },
        { do: 'run u.yaml', says: { output: 'group.quorum group.quorum 1 internal.script_error' } },
      ],
    },
    {
      it: 'the report has the members, all of them counted by kind, and the first as its cause',
      file: `workflow: {name: t, entry_point: g}
for_each:
  - {name: g, source: "{{ range(25) | list }}", as: n, max_concurrent: 25, failure_mode: all_or_nothing, agent: {name: one, type: set, value: "{{ n }}", assert: [{that: "{{ output < 2 }}", raise: work.large}]}}
`,
      steps: [
        {
          do: 'run t.yaml',
          exit: 3,
          says: {
            error: {
              kind: 'group.failed',
              location: { path: 'g' },
              cause: { kind: 'work.large' },
              details: { counts: { 'work.large': 23 }, members: { 2: { kind: 'work.large' } } },
            },
          },
        },
      ],
    },
    {
      it: 'without key_by the outputs are a list with null for what failed, else maps by key',
      file: `workflow: {name: t, entry_point: g}
for_each:
  - {name: g, source: "{{ [1, 2, 3] }}", as: n, failure_mode: continue_on_error, agent: {name: one, type: set, value: "{{ n * 10 + _index }}", assert: [{that: "{{ output != 21 }}", raise: work.bad}]}, routes: [{to: h}]}
  - {name: h, source: "{{ ['x', 'y'] }}", as: n, key_by: n, failure_mode: continue_on_error, agent: {name: two, type: set, value: "{{ _key }}", assert: [{that: "{{ output != 'y' }}", raise: work.bad}]}}
output: {list: "{{ g.outputs }}", errors: "{{ g.errors['1'].kind }}", map: "{{ h.outputs }}", failed: "{{ h.errors.y.kind }}"}
`,
      steps: [
        {
          do: 'run t.yaml',
          says: {
            output: {
              list: [10, null, 32],
              errors: 'work.bad',
              map: { x: 'x' },
              failed: 'work.bad',
            },
          },
        },
      ],
    },
    {
      it: 'a member is a branch: it is repaired by its own handler before the group sees a failure',
      file: `workflow: {name: t, entry_point: g}
nodes:
  - ${sh('a', 'exit 1', ', routes: [{to: $end}, {on_error: true, to: mend}]')}
  - {name: mend, type: set, value: mended}
parallel: [{name: g, agents: [a]}]
`,
      steps: [{ do: 'run t.yaml', says: { output: { outputs: { a: 'mended' }, errors: {} } } }],
    },
    {
      it: 'resume continues at the innermost failed nodes and keeps what completed',
      file: `workflow: {name: t, entry_point: g}
nodes:
  - ${sh('a', 'test -f go')}
  - ${sh('b', 'true')}
  - {name: c, type: workflow, workflow: ./child.yaml}
parallel: [{name: g, agents: [a, b, c], failure_mode: all_or_nothing}]
`,
      files: {
        'child.yaml': workflow(
          `- ${sh('a', 'true', ', routes: [{to: d}]')}\n- ${sh('d', 'test -f go')}`,
        ),
      },
      steps: [
        { do: 'run t.yaml', exit: 3, count: 4 },
        { write: { go: '' }, do: 'resume RUN', says: { status: 'completed' }, count: 6 },
      ],
    },
  ]);
});
