/** The failure behaviours that all backends share. Waits are short, because some of them are real. */
import type { DriverCase } from './case.ts';
import { main, MISSING, PARKED } from './case-files.ts';
import { CONVERSATION_CASES } from './conversation-cases.ts';
import { KEY_AND_TIME_CASES } from './key-and-time-cases.ts';
import { REAL_EFFECT_CASES } from './real-effect-cases.ts';
import { STOPPED } from './stopped-cases.ts';

const LIMITED = {
  kind: 'provider.rate_limited',
  message: 'Too many requests',
  provider: { name: 'openai', status: 429, retryAfterMs: 40 },
};

const THREE = `  - {name: a, act(a), routes: [{to: b}]}
  - {name: b, act(b), routes: [{to: c}]}
  - {name: c, act(c)}`;
const GATED = `  - {name: a, act(a), routes: [{to: b}]}
  - {name: b, type: human_gate, prompt: Go on?, options: [{label: Yes, value: yes}], routes: [{to: c}]}
  - {name: c, act(c)}`;

export const CASES: readonly DriverCase[] = [
  ...KEY_AND_TIME_CASES,
  ...CONVERSATION_CASES,
  {
    name: 'completes, with outputs passed on',
    files: main(
      `  - {name: a, act(a), routes: [{to: b}]}
  - {name: b, type: set, values: {twice: "{{ a.output.n * 2 }}"}}`,
      'output: {n: "{{ b.output.twice }}"}',
    ),
    effects: { a: { output: { n: 21 } } },
  },
  {
    name: 'fails with what was raised',
    files: main('  - {name: a, act(a), routes: [{to: $end}]}'),
    effects: { a: { fails: [MISSING] } },
  },
  {
    name: 'asks about a request that a function gave up on by itself',
    files: main('  - {name: a, act(a), routes: [{to: $end}]}'),
    effects: {
      a: { fails: [{ kind: 'cancelled.call', message: 'The client gave up', outcome: 'unknown' }] },
    },
  },
  {
    name: 'leads a failure to its handler',
    files: main(
      `  - {name: a, act(a), routes: [{to: $end}, {on_error: external.order.missing, to: b}]}
  - {name: b, type: set, values: {why: "{{ failing.error.message }}", id: "{{ failing.error.details.id }}"}}`,
    ),
    effects: { a: { fails: [MISSING] } },
  },
  {
    name: 'retries until it succeeds',
    files: main(
      '  - {name: a, act(a), routes: [{to: $end}, {on_error: external.order.missing, retry: {max: 3, backoff: fixed, initial_seconds: 0.05, jitter: 0}}]}',
    ),
    effects: { a: { fails: [MISSING, MISSING, null], output: { ok: true } } },
  },
  {
    name: 'retries until the retries are spent',
    files: main(
      '  - {name: a, act(a), routes: [{to: $end}, {on_error: external.order.missing, retry: {max: 2, backoff: none}}]}',
    ),
    effects: { a: { fails: [MISSING] } },
  },
  {
    name: 'waits as long as the server asked',
    files: main(
      '  - {name: a, act(a), routes: [{to: $end}, {on_error: provider.rate_limited, retry: {max: 1, backoff: none}}]}',
    ),
    effects: { a: { fails: [LIMITED] } },
  },
  {
    name: 'carries a failure through a child and a grandchild',
    files: {
      ...main('  - {name: a, type: workflow, workflow: ./child.yaml}'),
      'child.yaml':
        'workflow: {name: child, entry_point: inner, on_unhandled: propagate}\nagents:\n  - {name: inner, type: workflow, workflow: ./grandchild.yaml}',
      'grandchild.yaml':
        'workflow: {name: grandchild, entry_point: deep, on_unhandled: propagate}\nagents:\n  - {name: deep, act(a/inner/deep)}',
    },
    effects: { 'a/inner/deep': { fails: [MISSING] } },
  },
  {
    name: 'halts the run from a child',
    files: {
      ...main(
        '  - {name: a, type: workflow, workflow: ./child.yaml, routes: [{to: $end}, {on_error: true, to: $end}]}',
      ),
      'child.yaml':
        'workflow: {name: child, entry_point: inner}\nagents:\n  - {name: inner, act(a/inner), routes: [{to: $end}, {on_error: true, halt: {message: "No order: {{ error.message }}"}}]}',
    },
    effects: { 'a/inner': { fails: [MISSING] } },
  },
  {
    name: 'goes on past members that failed',
    files: main(
      `  - {name: x, act(a[x]/x)}
  - {name: y, act(a[y]/y)}
  - {name: z, act(a[z]/z)}`,
      `parallel:
  - {name: a, agents: [x, y, z], failure_mode: continue_on_error, routes: [{to: $end}]}
output: {kinds: "{{ a.errors }}"}`,
    ),
    effects: { 'a[y]/y': { fails: [MISSING] }, 'a[x]/x': { output: { n: 1 } } },
  },
  {
    name: 'fails a group as a whole, with every member’s report',
    files: main(
      `  - {name: x, act(a[x]/x)}
  - {name: y, act(a[y]/y)}`,
      'parallel:\n  - {name: a, agents: [x, y], failure_mode: all_or_nothing, max_concurrent: 1, routes: [{to: $end}]}',
    ),
    effects: { 'a[x]/x': { fails: [MISSING] }, 'a[y]/y': { fails: [LIMITED] } },
  },
  {
    name: 'runs a list, one member of which is repaired',
    files: main(
      '  - {name: fix, type: set, values: {fixed: "{{ failing.node }}"}}',
      `for_each:
  - {name: a, source: "{{ [1, 2, 3] }}", as: item, max_concurrent: 2, agent: {name: one, act(a[{{ _index }}]/one), routes: [{to: $end}, {on_error: true, to: fix}]}, routes: [{to: $end}]}
output: {all: "{{ a.outputs }}"}`,
    ),
    effects: {
      'a[0]/one': { output: { n: 1 } },
      'a[1]/one': { fails: [MISSING] },
      'a[2]/one': { output: { n: 3 } },
    },
  },
  {
    name: 'fails an assertion',
    files: main(
      `  - name: a
    act(a)
    assert: [{that: "{{ output.n > 5 }}", raise: triage.too_small, message: "{{ output.n }} is too small"}]
    routes: [{to: $end}]`.replace(
        'act(a)',
        'type: call\n    function: act\n    arguments: {of: "fails an assertion", as: a}',
      ),
    ),
    effects: { a: { output: { n: 3 } } },
  },
  {
    name: 'ends a failed termination with its output',
    files: main(
      `  - {name: a, act(a), routes: [{to: b}]}
  - {name: b, type: terminate, status: failed, reason: "{{ a.output.n }} was refused", output_template: {n: "{{ a.output.n }}"}}`,
    ),
    effects: { a: { output: { n: 3 } } },
  },
  {
    name: 'fails a guard with the original as its cause',
    files: main(
      `  - {name: a, act(a), routes: [{to: $end}, {on_error: true, to: b, when: "{{ error.details.nothing > 1 }}"}]}
  - {name: b, type: set, value: 1}`,
    ),
    effects: { a: { fails: [MISSING] } },
  },
  {
    name: 'pauses at a gate and goes on with its answer',
    files: main(
      `  - {name: a, type: human_gate, prompt: Go on?, options: [{label: Yes, value: yes}, {label: No, value: no}], routes: [{to: b}]}
  - {name: b, act(b)}`,
      'output: {said: "{{ a.output.selected }}"}',
    ),
    answers: ['yes'],
  },
  {
    name: 'takes an answer for one opening of a gate, and refuses it for the next',
    files: main(
      `  - {name: a, type: human_gate, prompt: Pay?, options: [{label: Yes, value: yes, route: b}, {label: No, value: no, route: $end}]}
  - {name: b, act(b), routes: [{to: a}]}`,
    ),
    answers: ['yes', 'yes', 'no'],
    repeatsAnswers: true,
  },
  {
    name: 'takes an answer for one question about a failure, and refuses it for the next',
    files: main(
      '  - {name: a, act(a), routes: [{to: $end}, {on_error: true, ask: {options: [retry, skip]}}]}',
    ),
    effects: { a: { fails: [MISSING] } },
    answers: ['retry', 'skip'],
    repeatsAnswers: true,
  },
  {
    name: 'takes prepared answers without a pause',
    files: main(
      '  - {name: a, type: human_gate, prompt: Go on?, options: [{label: Yes, value: yes}], routes: [{to: $end}]}',
    ),
    prepared: [{ gate: 'a', value: 'yes' }],
  },
  {
    name: 'has no one to ask',
    files: main(
      '  - {name: a, type: human_gate, prompt: Go on?, options: [{label: Yes, value: yes}], routes: [{to: $end}]}',
    ),
    gates: false,
  },
  {
    name: 'asks about a failure, and takes the edit for its output',
    files: main(
      '  - {name: a, act(a), output: {n: {type: number}}, routes: [{to: $end}, {on_error: true, ask: {options: [retry, edit, abort]}}]}',
    ),
    effects: { a: { fails: [MISSING] } },
    answers: ['retry', { edit: { n: 9 } }],
  },
  {
    name: 'asks about a failure, and takes null for its output',
    files: main(
      `  - {name: a, act(a), routes: [{to: b}, {on_error: true, ask: {options: [retry, edit, abort]}}]}
  - {name: b, type: set, values: {got: "{{ a.output }}"}}`,
    ),
    effects: { a: { fails: [MISSING] } },
    answers: [{ edit: null }],
  },
  {
    name: 'takes an option of a gate that is called edit like any other',
    files: main(
      `  - {name: a, type: human_gate, prompt: Publish?, options: [{label: Rework, value: edit, route: b}, {label: Yes, value: yes, route: $end}]}
  - {name: b, act(b)}`,
      'output: {said: "{{ a.output.selected }}"}',
    ),
    answers: ['edit'],
  },
  {
    name: 'parks for a while and tries again',
    files: main(
      `  - {name: a, act(a), routes: [{to: $end}, {on_error: external.order.missing, park: {for: ${PARKED}, max: 2}}]}`,
    ),
    effects: { a: { fails: [MISSING, null], output: { n: 1 } } },
  },
  {
    name: 'does not repeat blindly what may have happened',
    files: main('  - {name: a, act(a), routes: [{to: $end}]}'),
    effects: {
      a: {
        fails: [{ kind: 'call.failed', message: 'The reply was lost', outcome: 'unknown' }, null],
        output: { n: 1 },
      },
    },
    answers: ['repeat'],
  },
  {
    name: 'takes what a person enters, and repeats nothing',
    files: main('  - {name: a, act(a), routes: [{to: $end}]}'),
    effects: {
      a: { fails: [{ kind: 'call.failed', message: 'The reply was lost', outcome: 'unknown' }] },
    },
    answers: [{ edit: { n: 5 } }],
  },
  {
    name: 'resumes after a failure where it failed',
    files: main(
      `  - {name: a, act(a), routes: [{to: b}]}
  - {name: b, act(b)}`,
    ),
    effects: { a: { output: { n: 1 } }, b: { fails: [MISSING, null], output: { n: 2 } } },
    goesOn: [{}],
  },
  {
    name: 'checks a rejected result again on resume, and executes nothing',
    files: main(
      '  - {name: a, act(a), assert: [{that: "{{ output.n == 2 }}"}], routes: [{to: $end}]}',
    ),
    effects: { a: { output: { n: 1 } } },
    goesOn: [
      {},
      {
        files: main(
          '  - {name: a, act(a), assert: [{that: "{{ output.n == 1 }}"}], routes: [{to: $end}]}',
        ),
      },
    ],
  },
  {
    name: 'is cancelled while it waits for a person',
    files: main(
      '  - {name: a, type: human_gate, prompt: Go on?, options: [{label: Yes, value: yes}], routes: [{to: $end}]}',
    ),
    cancels: 1,
  },
  {
    name: 'is cancelled in the middle of an effect',
    isReal: true,
    files: main('  - {name: a, act(a), routes: [{to: $end}, {on_error: true, to: $end}]}'),
    effects: { a: { hangs: true } },
    cancelsAfter: 'hanging',
  },
  {
    name: 'is cancelled in a backoff',
    isReal: true,
    files: main(
      '  - {name: a, act(a), routes: [{to: $end}, {on_error: true, retry: {max: 3, backoff: fixed, initial_seconds: 60, jitter: 0}}]}',
    ),
    effects: { a: { fails: [MISSING] } },
    cancelsAfter: 'node:retrying',
  },
  {
    name: 'is cancelled while it is parked, and only once',
    files: main('  - {name: a, act(a), routes: [{to: $end}, {on_error: true, park: {for: 1h}}]}'),
    effects: { a: { fails: [MISSING] } },
    cancels: 2,
  },
  {
    name: 'is cancelled after it failed',
    files: main('  - {name: a, act(a), routes: [{to: $end}]}'),
    effects: { a: { fails: [MISSING] } },
    cancels: 1,
    goesOn: [{}],
  },
  {
    name: 'is not cancelled after it completed',
    files: main('  - {name: a, act(a), routes: [{to: $end}]}'),
    effects: { a: { output: { n: 1 } } },
    cancels: 1,
  },
  {
    name: 'runs a finished node again, and what follows, in a completed run',
    files: main(THREE),
    effects: { a: { output: { n: 1 } }, b: { output: { n: 2 } }, c: { output: { n: 3 } } },
    goesOn: [{}, { from: 'b' }, { from: 'nothing' }],
  },
  {
    name: 'runs a finished node again, and what follows, in a failed run',
    files: main(THREE),
    effects: { a: { output: { n: 1 } }, b: { output: { n: 2 } }, c: { fails: [MISSING] } },
    goesOn: [{ from: 'a' }],
  },
  {
    name: 'runs a finished node again in a run that waits for a person',
    files: main(
      `  - {name: a, act(a), routes: [{to: b}]}
  - {name: b, type: human_gate, prompt: Go on?, options: [{label: Yes, value: yes}], routes: [{to: $end}]}`,
    ),
    effects: { a: { output: { n: 1 } } },
    goesOn: [{ from: 'a' }],
  },
  {
    name: 'does not resume when a finished node has changed, unless that is accepted',
    files: main(THREE),
    effects: { a: { output: { n: 1 } }, b: { output: { n: 2 } }, c: { fails: [MISSING, null] } },
    goesOn: [
      { files: main(THREE.replace('act(a)', 'act(other)')) },
      { files: main(THREE.replace('act(a)', 'act(other)')), acceptDrift: true },
    ],
  },
  {
    name: 'does not resume from a gate when a finished node has changed, unless that is accepted',
    files: main(GATED),
    effects: { a: { output: { n: 1 } }, c: { output: { n: 3 } } },
    goesOn: [
      { files: main(GATED.replace('act(a)', 'act(other)')) },
      { files: main(GATED.replace('act(a)', 'act(other)')), acceptDrift: true },
    ],
  },
  {
    name: 'takes the new text of what is not finished',
    files: main(THREE),
    effects: { a: { output: { n: 1 } }, c: { fails: [MISSING] } },
    goesOn: [{ files: main(THREE.replace('act(c)', 'type: set, values: {n: 4}')) }],
  },
  {
    name: 'does not wait past its deadline',
    files: main(
      '  - {name: a, act(a), routes: [{to: $end}, {on_error: provider.rate_limited, retry: {max: 3}}]}',
      '',
      ', limits: {timeout_seconds: 60}',
    ),
    effects: { a: { fails: [{ ...LIMITED, provider: { retryAfterMs: 600_000 } }] } },
  },
  {
    name: 'stops after so many steps',
    files: main(
      `  - {name: a, type: set, value: 1, routes: [{to: b}]}
  - {name: b, type: set, value: 2, routes: [{to: a}]}`,
      '',
      ', limits: {max_iterations: 6}',
    ),
  },
  {
    name: 'spends its retries for the whole run',
    files: main(
      '  - {name: a, act(a), routes: [{to: $end}, {on_error: true, retry: {max: 5, backoff: none}}]}',
      '',
      ', limits: {max_retries: 2}',
    ),
    effects: { a: { fails: [MISSING] } },
  },
  ...REAL_EFFECT_CASES,
  ...STOPPED,
];
