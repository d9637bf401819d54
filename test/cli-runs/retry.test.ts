/** The contract: retry, waiting and pausing, limits. */
import { describe, expect } from 'vitest';
import { rows, sh, workflow } from './table.ts';

const again = (more = 'max: 2, backoff: none'): string =>
  `{on_error: internal.script_error, retry: {${more}}}`;

describe('retry', () => {
  rows([
    {
      it: 'counts re-runs, and each attempt is an event; attempts[] holds every failed one',
      nodes: `- ${sh('a', 'exit 1', `, routes: [{to: $end}, ${again()}]`)}`,
      steps: [
        {
          do: 'run t.yaml',
          exit: 3,
          says: {
            status: 'failed',
            error: {
              kind: 'internal.script_error',
              attempts: [{ number: 1 }, { number: 2 }, { number: 3 }],
            },
            costs: { attempts: [{ attempt: 0 }, { attempt: 1 }, { attempt: 2 }] },
          },
          count: 3,
          errors: 1,
          events: [
            'node:started a 0',
            'node:failed a',
            'node:retrying a 1 0',
            'node:started a 1',
            'node:failed a',
            'node:retrying a 2 0',
            'node:started a 2',
            'node:failed a',
            'run:failed',
          ],
        },
      ],
    },
    {
      it: 'that is spent continues below with the original kind',
      nodes: `- ${sh('a', 'exit 1', `, routes: [{to: $end}, ${again('max: 1, backoff: none')}, {on_error: true, to: b}]`)}
- {name: b, type: set, value: "{{ failing.error.kind }} {{ failing.error.attempts | length }}"}`,
      steps: [{ do: 'run t.yaml', says: { output: 'internal.script_error 2' }, errors: 0 }],
    },
    {
      it: 'starts anew when routing enters the node again',
      header: 'state: {n: {type: number, default: 0, merge: sum}}\nlimits: {max_iterations: 20}',
      nodes: `- ${sh('a', 'exit 1', `, routes: [{to: $end}, ${again('max: 1, backoff: none')}, {on_error: true, to: b}]`)}
- {name: b, type: set, value: 1, state: {n: 1}, routes: [{to: a, when: "{{ state.n < 2 }}"}, {to: $end}]}`,
      steps: [{ do: 'run t.yaml', count: 4 }],
    },
    {
      it: 'of a workflow node starts the child anew',
      nodes: `- {name: a, type: workflow, workflow: ./child.yaml, routes: [{to: $end}, ${again('max: 1, backoff: none')}]}`,
      files: {
        'child.yaml': workflow(
          `- ${sh('a', 'true', ', routes: [{to: b}]')}\n- ${sh('b', 'test $(grep -c b count) -gt 1')}`,
        ),
      },
      steps: [{ do: 'run t.yaml', says: { status: 'completed' }, count: 4 }],
    },
    {
      it: 'is capped by max_retries',
      header: 'limits: {max_retries: 1}',
      nodes: `- ${sh('a', 'exit 1', `, routes: [{to: $end}, ${again('max: 9, backoff: none')}, {on_error: true, to: b}]`)}
- {name: b, type: set, value: 1}`,
      steps: [
        {
          do: 'run t.yaml',
          exit: 4,
          says: { error: { kind: 'limit.retries', cause: { kind: 'internal.script_error' } } },
          count: 2,
        },
      ],
    },
    ...(
      [
        ['fixed', ['0 10', '1 10', '2 10']],
        ['linear', ['0 10', '1 20', '2 30']],
        ['exponential', ['0 10', '1 20', '2 25']],
      ] as const
    ).map(([backoff, waits]) => ({
      it: `waits as its backoff says: ${backoff}`,
      nodes: `- ${sh('a', 'exit 1', `, routes: [{to: $end}, ${again(`max: 3, backoff: ${backoff}, initial_seconds: 0.01, max_seconds: ${backoff === 'exponential' ? 0.025 : 1}, jitter: 0`)}]`)}`,
      steps: [
        {
          do: 'run t.yaml',
          exit: 3,
          events: waits.map((wait) => {
            const [number, delayMs] = wait.split(' ');
            return `node:retrying a ${Number(number) + 1} ${delayMs}`;
          }),
        },
      ],
    })),
  ]);
});

describe('waiting and pausing', () => {
  const fails = sh('a', 'test -f go', ', routes: [{to: $end}, ROUTE]');
  rows([
    {
      it: 'a wait above 120 s pauses the run, a shorter one does not; --now cuts no wait node',
      nodes: `- {name: a, type: wait, duration: 20ms, routes: [{to: b}]}
- {name: b, type: wait, duration: 10m}`,
      steps: [
        {
          do: 'run t.yaml',
          exit: 5,
          says: {
            status: 'paused',
            waiting: {
              reason: 'time',
              node: 'b',
              path: 'b',
              until: expect.stringMatching(/^20/),
              all: [{ reason: 'time' }],
            },
          },
          events: ['node:completed a', 'run:paused'],
        },
        { do: 'resume RUN', exit: 5, says: { waiting: { reason: 'time' } } },
        { do: 'resume RUN --now', exit: 5, says: { waiting: { reason: 'time', node: 'b' } } },
        {
          do: 'show RUN',
          says: {
            status: 'paused',
            nodes: [{ status: 'completed' }, { path: 'b', status: 'waiting' }],
          },
        },
      ],
    },
    {
      it: 'a park always pauses, also with --wait; resume keeps its timer and --now cuts it',
      nodes: `- ${fails.replace('ROUTE', '{on_error: true, park: {for: 1h}}')}`,
      steps: [
        { do: 'run t.yaml --wait', exit: 5, says: { waiting: { reason: 'time' } }, count: 1 },
        { do: 'resume RUN', exit: 5, says: { waiting: { reason: 'time' } }, count: 1 },
        { do: 'resume RUN --now', exit: 5, count: 2 },
        { write: { go: '' }, do: 'resume RUN --now', says: { status: 'completed' }, count: 3 },
      ],
    },
    {
      it: 'park: true waits for a person and ends with any resume; retries are not refilled',
      nodes: `- ${fails.replace('ROUTE', `${again('max: 1, backoff: none')}, {on_error: true, park: true}`)}`,
      steps: [
        { do: 'run t.yaml', exit: 5, says: { waiting: { reason: 'person', node: 'a' } }, count: 2 },
        { do: 'resume RUN', exit: 5, says: { waiting: { reason: 'person' } }, count: 3 },
        { write: { go: '' }, do: 'resume RUN', says: { status: 'completed' }, count: 4 },
      ],
    },
    {
      it: 'a park is counted to its max, then matching continues below it',
      nodes: `- ${fails.replace('ROUTE', '{on_error: true, park: {for: 1h, max: 1}}')}`,
      steps: [
        { do: 'run t.yaml', exit: 5 },
        {
          do: 'resume RUN --now',
          exit: 3,
          says: { error: { kind: 'internal.script_error' } },
          count: 2,
        },
      ],
    },
    {
      it: 'a run pauses only when nothing else in it can go on; waiting.all lists every one',
      file: `workflow: {name: t, entry_point: g}
nodes:
  - {name: gate, type: human_gate, prompt: Go?, options: [{label: y, value: y}]}
  - ${sh('a', 'exit 1', ', routes: [{to: $end}, {on_error: true, park: true}]')}
  - ${sh('work', 'sleep 0.2', ', routes: [{to: more}]')}
  - ${sh('more', 'true')}
parallel: [{name: g, agents: [gate, a, work]}]
`,
      steps: [
        {
          do: 'run t.yaml',
          exit: 5,
          says: { waiting: { all: [{ path: 'g[a]/a' }, { path: 'g[gate]/gate' }] } },
          count: 3,
        },
      ],
    },
  ]);
});

describe('limits', () => {
  const loop = '- {name: a, type: set, value: 1, routes: [{to: a}]}';
  rows([
    {
      it: 'max_iterations counts every node:started, and no route takes it',
      header: 'limits: {max_iterations: 3}\non_error: [{on_error: true, to: b}]',
      nodes: `${loop}\n- {name: b, type: set, value: 2}`,
      steps: [{ do: 'run t.yaml', exit: 4, says: { error: { kind: 'limit.steps' } } }],
    },
    {
      it: 'a script has its own kind of timeout, which can be routed and repeated',
      nodes: `- ${sh('a', 'sleep 9', ', timeout_seconds: 0.2, routes: [{to: $end}, {on_error: internal.script_timeout, retry: {max: 1, backoff: none}}]')}`,
      steps: [
        {
          do: 'run t.yaml',
          exit: 3,
          says: { error: { kind: 'internal.script_timeout', outcome: 'partial' } },
          count: 2,
        },
      ],
    },
    ...['max_iterations: 3', 'timeout_seconds: 0.2', 'max_retries: 1'].map((limit, index) => ({
      it: `a child's limit is an ordinary failure for its caller: ${limit}`,
      nodes: `- {name: a, type: workflow, workflow: ./child.yaml, routes: [{to: $end}, {on_error: true, to: b}]}
- {name: b, type: set, value: "{{ failing.error.kind }}"}`,
      files: {
        'child.yaml': workflow(
          [
            loop,
            `- ${sh('a', 'sleep 9')}`,
            `- ${sh('a', 'exit 1', `, routes: [{to: $end}, ${again('max: 5, backoff: none')}]`)}`,
          ][index] ?? '',
          `limits: {${limit}}`,
        ),
      },
      steps: [
        {
          do: 'run t.yaml',
          says: { output: ['limit.steps', 'limit.run_timeout', 'limit.retries'][index] },
        },
      ],
    })),
    {
      it: "the run's time is a limit: exit 4, and no route takes it",
      header: 'limits: {timeout_seconds: 0.3}',
      nodes: `- ${sh('a', 'sleep 9', ', routes: [{to: $end}, {on_error: true, to: b}]')}\n- {name: b, type: set, value: 1}`,
      steps: [{ do: 'run t.yaml', exit: 4, says: { error: { kind: 'limit.run_timeout' } } }],
    },
    {
      it: 'max_iterations inside a member is a failure of that member',
      file: `workflow: {name: t, entry_point: g, limits: {max_iterations: 4}}
nodes:
  - {name: a, type: set, value: 1, routes: [{to: a}]}
  - {name: b, type: set, value: 2}
parallel: [{name: g, agents: [a, b], failure_mode: continue_on_error}]
output: {kind: "{{ g.errors.a.kind }}", b: "{{ g.outputs.b }}"}
`,
      steps: [{ do: 'run t.yaml', says: { output: { kind: 'limit.steps', b: 2 } } }],
    },
  ]);
});
