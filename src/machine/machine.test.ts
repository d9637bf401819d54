import { describe, expect, it } from 'vitest';
import type { JsonValue } from '../errors/support/safe-json.ts';
import { failing, rehearse, workflow } from './harness.cases.ts';

describe('a straight line', () => {
  it('runs node after node and ends with the file’s output', () => {
    const { state, story } = rehearse(
      workflow(
        '  - {name: a, type: set, values: {n: 2}, routes: [{to: b}]}\n  - {name: b, type: set, value: "{{ a.output.n * 21 }}"}\noutput: {answer: "{{ b.output }}"}\n',
      ),
    );
    expect(state).toMatchObject({ status: 'completed', output: { answer: 42 } });
    expect(story).toEqual([
      'run:started',
      'node:started a',
      'node:completed a',
      'route a to b (success)',
      'node:started b',
      'node:completed b',
      'route b to $end (success)',
      'run:completed',
    ]);
  });

  it('takes the first success route whose guard holds', () => {
    const { story } = rehearse(
      workflow(
        '  - {name: a, type: set, values: {n: 2}, routes: [{to: b, when: "n == 1"}, {to: c, when: "{{ output.n == 2 }}"}, {to: $end}]}\n  - {name: b, type: set, value: 1}\n  - {name: c, type: set, value: 1}\n',
      ),
    );
    expect(story).toContain('route a to c (success)');
  });

  it('shows a node in explicit mode only the paths that its `input` lists', () => {
    const { state } = rehearse(
      workflow(
        `  - {name: a, type: set, value: {x: 1, y: 2, in: {p: 3, q: 4}}, routes: [{to: b}]}
  - {name: b, type: set, value: 1, routes: [{to: c}]}
  - name: c
    type: set
    input: [a.output.x, "a.output.in.p?"]
    value: ["{{ a.output }}", "{{ a.output.y is defined }}", "{{ b is defined }}"]
    routes: [{to: $end, when: "{{ a.output.y == 2 and b.output == 1 }}"}]
output: {c: "{{ c.output }}"}
`,
        '  context: {mode: explicit}\n',
      ),
    );
    expect(state.output).toEqual({ c: [{ x: 1, in: { p: 3 } }, false, false] });
  });

  it('shows a node in last_only mode the node before it, in each of its attempts', () => {
    let attempts = 0;
    const { state } = rehearse(
      workflow(
        `  - {name: a, type: set, value: 1, routes: [{to: b}]}
  - {name: b, type: script, command: x, args: ["{{ a.output }}"], routes: [{to: c}, {on_error: true, retry: {max: 2}}]}
  - {name: c, type: set, value: ["{{ b.output }}", "{{ a is defined }}"]}
`,
        '  context: {mode: last_only}\n',
      ),
      {
        effects: () =>
          ++attempts < 3 ? { fail: { kind: 'order.missing', message: 'no' } } : { n: 2 },
      },
    );
    expect(state.output).toEqual([{ n: 2 }, false]);
    expect(attempts).toBe(3);
  });

  it('names no node as meant that the context mode hides', () => {
    const { state } = rehearse(
      workflow(
        `  - {name: a, type: set, value: 1, routes: [{to: b, when: "{{ output == 2 }}"}, {to: c}]}
  - {name: c, type: set, value: 1, routes: [{to: b}]}
  - {name: b, type: set, value: "{{ a.output }}"}
`,
        '  context: {mode: last_only}\n',
      ),
    );
    expect(state.error?.message).toBe('`a` does not exist');
  });

  it('waits as long as it says', () => {
    const { events } = rehearse(workflow('  - {name: a, type: wait, duration: 90s}\n'));
    expect(events.find(({ type }) => type === 'node:completed')).toMatchObject({
      output: { waited_seconds: 90 },
    });
  });

  it('names the key and the value of a wait that is too long', () => {
    const { state } = rehearse(
      workflow('  - {name: a, type: wait, duration: "{{ 100000000 * 1000 }}"}\n'),
    );
    expect(state.error?.message).toMatch(
      /^`duration` must be a duration such as .*, not the number 100000000000$/,
    );
  });

  it('keeps shared state by its merges', () => {
    const { state } = rehearse(
      workflow(
        '  - {name: a, type: set, value: 1, state: {tags: x, total: 2}, routes: [{to: b}]}\n  - {name: b, type: set, value: 1, state: {tags: [y], total: 3}}\noutput: {tags: "{{ state.tags }}", total: "{{ state.total }}"}\n',
        '  state: {tags: {type: array, default: [], merge: append}, total: {type: number, merge: sum}}\n',
      ),
    );
    expect(state.output).toEqual({ tags: ['x', 'y'], total: 5 });
  });

  it('checks the type of a value that is written to shared state', () => {
    const { state } = rehearse(
      workflow(
        '  - {name: a, type: set, value: 1, state: {n: many}}\n',
        '  state: {n: {type: number}}\n',
      ),
    );
    expect(state).toMatchObject({
      status: 'failed',
      error: {
        kind: 'validation.template',
        message: expect.stringContaining('must be of type number'),
      },
    });
  });
});

describe('a failure', () => {
  it('at the top without a route ends the run, with its location', () => {
    const { state } = rehearse(workflow('  - {name: a, type: script, command: x}\n'), {
      effects: failing('order.missing'),
    });
    expect(state).toMatchObject({
      status: 'failed',
      error: {
        kind: 'order.missing',
        location: { node: 'a', path: 'a', line: 5 },
        frames: [{ workflow: 't', path: 'a' }],
      },
    });
  });

  it('is routed by its kind, and the handler sees it', () => {
    const { state, story } = rehearse(
      workflow(
        '  - {name: a, type: script, command: x, routes: [{to: $end}, {on_error: other.thing, to: $end}, {on_error: "order.*", to: b}]}\n  - {name: b, type: set, value: "{{ failing.node }}: {{ failing.error.kind }}, {{ a.error.message }}"}\n',
      ),
      { effects: failing('order.missing') },
    );
    expect(story).toContain('route a to b (error)');
    expect(state.output).toBe('a: order.missing, order.missing at a');
  });

  it('is retried as often as the route says, then later routes see every attempt', () => {
    const { events, story } = rehearse(
      workflow(
        '  - {name: a, type: script, command: x, routes: [{to: $end}, {on_error: true, retry: {max: 2, jitter: 0}}, {on_error: true, to: b}]}\n  - {name: b, type: set, value: 1}\n'.replace(
          '{on_error: true, retry',
          '{on_error: order.missing, retry',
        ),
      ),
      { effects: failing('order.missing') },
    );
    expect(story.filter((line) => line.startsWith('node:retrying'))).toEqual([
      'node:retrying a #1 in 1000',
      'node:retrying a #2 in 2000',
    ]);
    expect(story.filter((line) => line === 'node:started a')).toHaveLength(3);
    expect(story).toContain('route a to b (error)');
    const failures = events.filter((event) => event.type === 'node:failed');
    expect(failures.map(({ error }) => error.attempt)).toEqual([
      { number: 1 },
      { number: 2 },
      { number: 3 },
    ]);
  });

  it('of an earlier attempt is invisible to templates after a success', () => {
    const { state } = rehearse(
      workflow(
        '  - {name: a, type: script, command: x, routes: [{to: b}, {on_error: true, retry: {max: 2}}]}\n  - {name: b, type: set, value: "{{ a.error is defined }}"}\n',
      ),
      { effects: failing('order.missing', 1) },
    );
    expect(state).toMatchObject({ status: 'completed', output: false });
  });

  it('halts the run with its cause inside', () => {
    const { state } = rehearse(
      workflow(
        '  - {name: a, type: script, command: x, routes: [{to: $end}, {on_error: true, halt: {message: "No: {{ error.kind }}"}}]}\n',
      ),
      { effects: failing('order.missing') },
    );
    expect(state.error).toMatchObject({
      kind: 'halt.intentional',
      message: 'No: order.missing',
      cause: { kind: 'order.missing' },
    });
  });

  it('of a guard keeps the original as its cause and is handled by the workflow’s table', () => {
    const { state } = rehearse(
      workflow(
        '  - {name: a, type: script, command: x, routes: [{to: $end}, {on_error: true, to: $end, when: "{{ nope.x }}"}]}\n  - {name: b, type: set, value: "{{ failing.error.cause.kind }}"}\n',
        '  on_error: [{on_error: route.guard_failed, to: b}]\n',
      ),
      { effects: failing('order.missing') },
    );
    expect(state).toMatchObject({ status: 'completed', output: 'order.missing' });
  });

  it('of an assertion is routed like any other', () => {
    const { state } = rehearse(
      workflow(
        '  - {name: a, type: set, values: {n: 1}, assert: [{that: "{{ output.n == 2 }}", raise: sum.wrong, message: "is {{ output.n }}"}]}\n',
      ),
    );
    expect(state.error).toMatchObject({ kind: 'sum.wrong', message: 'is 1' });
  });

  it('stops a loop at its limit', () => {
    const { state, story } = rehearse(
      workflow(
        '  - {name: a, type: set, value: 1, routes: [{to: a}]}\n',
        '  limits: {max_iterations: 5}\n',
      ),
    );
    expect(story.filter((line) => line === 'node:started a')).toHaveLength(5);
    expect(state.error).toMatchObject({ kind: 'limit.steps' });
  });

  it.each([
    [2, 'The run has used all of its 2 retries'],
    [0, 'The run may not retry: its `max_retries` is 0'],
  ])('counts re-runs of the whole run against its limit of %i', (limit, message) => {
    const { state, story } = rehearse(
      workflow(
        '  - {name: a, type: script, command: x, routes: [{to: $end}, {on_error: true, retry: {max: 9, backoff: none}}]}\n',
        `  limits: {max_retries: ${limit}}\n`,
      ),
      { effects: failing('order.missing') },
    );
    expect(story.filter((line) => line === 'node:started a')).toHaveLength(limit + 1);
    const cause = { kind: 'order.missing' };
    expect(state.error).toMatchObject({ kind: 'limit.retries', message, cause });
  });

  it('is raised when the run’s time is up, also during a wait', () => {
    const { state } = rehearse(
      workflow('  - {name: a, type: wait, duration: 1h}\n', '  limits: {timeout_seconds: 60}\n'),
    );
    expect(state.error).toMatchObject({
      kind: 'limit.run_timeout',
      message: 'The run has reached its time limit of 1 min',
    });
  });

  it('parks the run until its time, then runs the node again', () => {
    const { story } = rehearse(
      workflow(
        '  - {name: a, type: script, command: x, routes: [{to: $end}, {on_error: true, park: {for: 15m}}]}\n',
      ),
      { effects: failing('order.missing', 2) },
    );
    expect(story.filter((line) => line.startsWith('route a park'))).toHaveLength(2);
    expect(story.at(-1)).toBe('run:completed');
  });
});

describe('sub-workflows', () => {
  const child = `workflow: {name: c, entry_point: x, input: {n: {type: number}, m: {type: number, default: 5}}}
nodes: [{name: x, type: script, command: "{{ workflow.input.n + workflow.input.m }}"}]
output: {done: "{{ x.output.n }}"}
`;

  it('get their inputs, with defaults, and return their output', () => {
    const seen: JsonValue[] = [];
    const { state } = rehearse(
      workflow('  - {name: a, type: workflow, workflow: ./c.yaml, input_mapping: {n: 1}}\n'),
      {
        files: { 'c.yaml': child },
        effects: ({ work }) => {
          seen.push(work.type === 'script' ? work.command : '');
          return { n: 7 };
        },
      },
    );
    expect(seen).toEqual(['6']);
    expect(state).toMatchObject({ status: 'completed', output: { done: 7 } });
  });

  it('do not start with an input of another type, which a route can handle', () => {
    const { state, story } = rehearse(
      workflow(
        '  - {name: a, type: workflow, workflow: ./c.yaml, input_mapping: {n: "{{ workflow.name }}"}, routes: [{to: $end}, {on_error: validation.input, to: b}]}\n  - {name: b, type: set, value: "{{ failing.error.message }}"}\n',
      ),
      { files: { 'c.yaml': child } },
    );
    expect(state.output).toBe('The input n does not fit: must be a number');
    expect(story).not.toContain('child:started a');
  });

  it('pass a failure on unchanged, one frame for each boundary', () => {
    const middle =
      'workflow: {name: m, entry_point: y}\nnodes: [{name: y, type: workflow, workflow: ./c.yaml, input_mapping: {n: 1}}]\n';
    const { state } = rehearse(
      workflow('  - {name: a, type: workflow, workflow: ./m.yaml, input_mapping: {}}\n'),
      {
        files: { 'c.yaml': child, 'm.yaml': middle },
        effects: failing('order.missing'),
      },
    );
    expect(state.error).toMatchObject({
      kind: 'order.missing',
      location: { workflow: 'c', node: 'x', path: 'a/y/x' },
      frames: [
        { workflow: 'c', node: 'x', path: 'a/y/x' },
        { workflow: 'm', node: 'y', path: 'a/y' },
        { workflow: 't', node: 'a', path: 'a' },
      ],
    });
  });

  it('multiply their retries as written: 3 × 3 × 3 attempts of the leaf', () => {
    const retry = 'routes: [{to: $end}, {on_error: order.missing, retry: {max: 2, backoff: none}}]';
    const leaf = `workflow: {name: c, entry_point: x}\nnodes: [{name: x, type: script, command: x, raises: [order.missing], ${retry}}]\n`;
    const middle = `workflow: {name: m, entry_point: y}\nnodes: [{name: y, type: workflow, workflow: ./c.yaml, ${retry}}]\n`;
    let attempts = 0;
    rehearse(workflow(`  - {name: a, type: workflow, workflow: ./m.yaml, ${retry}}\n`), {
      files: { 'c.yaml': leaf, 'm.yaml': middle },
      effects: () => {
        attempts++;
        return { fail: { kind: 'order.missing', message: 'no' } };
      },
    });
    expect(attempts).toBe(27);
  });

  it('end by a termination that their caller can route', () => {
    const ended =
      'workflow: {name: c, entry_point: x}\nnodes: [{name: x, type: terminate, status: failed, reason: "not today", output_template: {n: 1}}]\n';
    const { state } = rehearse(
      workflow(
        '  - {name: a, type: workflow, workflow: ./c.yaml, routes: [{to: $end}, {on_error: terminate.failed, to: b}]}\n  - {name: b, type: set, value: "{{ failing.error.message }} {{ failing.error.details.output.n }}"}\n',
      ),
      { files: { 'c.yaml': ended } },
    );
    expect(state.output).toBe('not today 1');
  });
});

describe('people', () => {
  const asked = workflow(
    '  - {name: a, type: script, command: x, routes: [{to: b}, {on_error: true, ask: {options: [retry, edit, skip, abort]}}]}\n  - {name: b, type: set, value: "{{ a.output }}"}\n',
  );

  it.each([
    ['retry', 'completed', { n: 1 }],
    ['skip', 'completed', null],
    [{ edit: { n: 9 } }, 'completed', { n: 9 }],
    ['abort', 'failed', undefined],
  ] as const)('answer %j to a failure', (value, status, output) => {
    const { state } = rehearse(asked, {
      effects: failing('order.missing', 1),
      answers: { a: value },
    });
    expect(state.status).toBe(status);
    if (status === 'completed') expect(state.output).toEqual(output);
  });

  it('lead where the option they choose leads', () => {
    const text = workflow(
      '  - {name: a, type: human_gate, prompt: Go?, options: [{label: Yes, value: yes, route: b}, {label: No, value: no}], routes: [{to: $end}]}\n  - {name: b, type: set, value: went}\n',
    );
    expect(rehearse(text, { answers: { a: 'yes' } }).state.output).toBe('went');
    expect(rehearse(text, { answers: { a: 'no' } }).state.output).toMatchObject({ selected: 'no' });
  });

  it('choose at a gate, which may expire into its default', () => {
    const gate = (more: string): string =>
      workflow(
        `  - {name: a, type: human_gate, prompt: Go?, options: [{label: Yes, value: yes}, {label: No, value: no}]${more}}\n`,
      );
    expect(rehearse(gate(''), { answers: { a: 'no' } }).state.output).toMatchObject({
      selected: 'no',
    });
    expect(rehearse(gate(', timeout: 1h, default: yes')).state.output).toMatchObject({
      selected: 'yes',
    });
    expect(rehearse(gate(', timeout: 1h')).state.error).toMatchObject({ kind: 'gate.expired' });
  });
});
