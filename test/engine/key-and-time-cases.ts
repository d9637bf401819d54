/** Keys of members that forge paths, and raised time limits: the same on all drivers. */
import type { DriverCase } from './case.ts';

const TICKETS = [
  { id: 'A', lines: ['x', 'y'] },
  { id: 'A]/inner[x', lines: ['z'] },
  { id: 'B%5B\n#budget', lines: ['../..'] },
];

function limited(timeoutSeconds: number, node: string): Record<string, string> {
  return {
    'main.yaml': `workflow: {name: main, entry_point: a, limits: {timeout_seconds: ${timeoutSeconds}}}
agents:
  - {name: a, ${node}, idempotent: true}`,
  };
}

function sleeping(seconds: number): string {
  return `type: script, command: sleep, args: ["${seconds}"]`;
}

export const KEY_AND_TIME_CASES: readonly DriverCase[] = [
  {
    name: 'runs each member once, whatever the keys are made of',
    files: {
      'main.yaml': `workflow: {name: main, entry_point: a, input: {tickets: {type: array}}}
for_each:
  - name: a
    source: workflow.input.tickets
    as: t
    key_by: t.id
    agent: {name: inner, type: for_each, source: "{{ t.lines }}", as: l, key_by: l, agent: {name: one, type: set, value: "{{ [t.id, l] }}"}}
    routes: [{to: $end}]
output: {all: "{{ a.outputs }}"}`,
    },
    input: { tickets: TICKETS },
  },
  {
    name: 'repeats an unknown outcome under its key after the run was rewound',
    files: {
      'main.yaml': `workflow: {name: main, entry_point: a}
agents:
  - {name: a, type: set, value: 1, routes: [{to: b}]}
  - {name: b, act(b)}`,
    },
    effects: {
      b: { fails: [{ kind: 'effect.outcome_unknown', message: 'Nobody knows' }, null] },
    },
    answers: ['abort', 'repeat'],
    goesOn: [{ from: 'a' }],
  },
  {
    name: 'takes a time limit that was raised after it was reached',
    files: limited(2, 'act(a)'),
    effects: { a: { whenStopped: 'gives up', output: { n: 1 } } },
    goesOn: [{ files: limited(60, 'act(a)') }],
  },
  {
    name: 'takes a time limit that was raised after it stopped a script',
    isReal: true,
    // long enough to be stopped: Temporal stops an activity at its next heartbeat
    files: limited(2, sleeping(50)),
    goesOn: [{ files: limited(60, sleeping(0)) }],
  },
];
