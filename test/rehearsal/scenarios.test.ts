import { describe, expect, it } from 'vitest';
import { namesOf, rehearsed, scenario } from './rehearsing.ts';

function routesOf({ routes }: ReturnType<typeof scenario>): readonly string[] {
  return routes.map(({ node, kind, move }) => `${node} ${kind} ${move}`);
}

const HEAD = (entry: string): string => `workflow:\n  name: t\n  entry_point: ${entry}\n`;

describe('the scenarios of a workflow', () => {
  it('are made node by node, in the order of their table', async () => {
    const text = `${HEAD('a')}nodes:
  - name: a
    type: script
    command: x
    idempotent: true
    raises: [pay.busy, pay.declined]
    output: {ok: {type: boolean}}
    routes:
      - {to: gate, when: "{{ output.ok }}"}
      - {to: $end}
      - {on_error: pay.busy, retry: {max: 2, backoff: none}}
      - {on_error: pay.declined, ask: {options: [retry, skip], timeout: 1h}}
      - {on_error: true, park: {for: 15m, max: 1}}
  - name: gate
    type: human_gate
    prompt: Go on?
    timeout: 1h
    default: "no"
    options: [{label: "Yes", value: "yes"}, {label: "No", value: "no"}]
`;
    const played = await rehearsed(text);
    expect(namesOf(played)).toEqual([
      'calm',
      'calm: a #1',
      'a: internal.envelope_invalid',
      'a: internal.output_too_large',
      'a: internal.schema_violation',
      'a: internal.script_error',
      'a: internal.script_unspawnable',
      'a: pay.busy',
      'a: pay.declined',
      'a: route.guard_failed',
      'a: pay.busy, spent',
      'a: internal.envelope_invalid, spent',
      'a: pay.declined, retry',
      'a: pay.declined, skip',
      'a: pay.declined, expired',
      'a: internal.envelope_invalid, goes on',
      'gate: yes',
      'gate: no',
      'gate: expired',
      'gate: gate.no_one_to_ask',
    ]);
    expect(played.result.coverage.routes).toMatchObject({ covered: 3, total: 3, missed: [] });
    expect(played.result.coverage.moves).toMatchObject({ covered: 10, total: 10, missed: [] });
    expect(played.result.coverage.kinds).toMatchObject({ covered: 9, total: 9 });
  });

  it('say what ended the run before a move was spent', async () => {
    const text = `${HEAD('a').trimEnd()}
  limits: {timeout_seconds: 60}
nodes:
  - name: a
    type: script
    command: x
    idempotent: true
    raises: [pay.busy]
    routes:
      - {to: $end}
      - {on_error: pay.busy, retry: {max: 3, backoff: fixed, initial_seconds: 25, jitter: 0}}
`;
    const { missed } = (await rehearsed(text)).result.coverage.moves;
    expect(missed).toEqual([
      {
        node: 'a',
        rule: 1,
        line: 13,
        what: 'spent',
        why: 'the run failed with limit.run_timeout first',
      },
    ]);
  });

  it('answer a question and end a pause that stand below repetitions', async () => {
    const text = `${HEAD('a')}nodes:
  - name: a
    type: script
    command: x
    idempotent: true
    raises: [pay.busy, pay.late]
    routes:
      - {to: $end}
      - {on_error: pay.busy, retry: {max: 2, backoff: none}}
      - {on_error: pay.busy, park: {for: 1m, max: 1}}
      - {on_error: pay.busy, ask: {options: [retry, skip, abort], timeout: 1h}}
      - {on_error: pay.late, ask: {options: [abort], timeout: 1h}}
      - {on_error: pay.late, park: {for: 1m}}
      - {on_error: true, to: $end}
`;
    const played = await rehearsed(text);
    const taken = ['a pay.busy retry', 'a pay.busy retry', 'a pay.busy park', 'a pay.busy ask'];
    for (const name of ['retry', 'skip', 'abort', 'expired'])
      expect(routesOf(scenario(played, `a: pay.busy, ${name}`)).slice(0, 4)).toEqual(taken);
    expect(routesOf(scenario(played, 'a: pay.late, goes on'))).toEqual([
      'a pay.late ask',
      'a pay.late park',
    ]);
    expect(played.result.coverage.moves).toMatchObject({ missed: [] });
  });

  it('say how each ended', async () => {
    const text = `${HEAD('a')}nodes:
  - name: a
    type: script
    command: x
    raises: [pay.declined]
    routes:
      - {to: $end}
      - {on_error: pay.declined, to: sorry}
      - {on_error: internal.script_error, halt: {message: "No: {{ error.message }}"}}
  - {name: sorry, type: set, value: "Sorry: {{ failing.error.message }}"}
`;
    const played = await rehearsed(text);
    expect(scenario(played, 'a: pay.declined')).toMatchObject({
      verdict: 'completed',
      inject: { at: 'a', kind: 'pay.declined' },
      routes: [
        {
          node: 'a',
          path: 'a',
          rule: 1,
          bucket: 'error',
          kind: 'pay.declined',
          move: 'to',
          to: 'sorry',
        },
      ],
    });
    expect(scenario(played, 'a: internal.script_error')).toMatchObject({
      verdict: 'failed as routed',
      error: { kind: 'halt.intentional', node: 'a' },
      routes: [{ kind: 'internal.script_error', move: 'halt' }],
    });
    expect(scenario(played, 'a: effect.outcome_unknown')).toMatchObject({
      verdict: 'paused as routed',
    });
    expect(played.result.coverage.doubt).toMatchObject({ covered: 1, total: 1 });
    // a handler that only an error leads to is reached through the first scenario that enters it
    expect(scenario(played, 'sorry: validation.template')).toMatchObject({
      verdict: 'failed as routed',
      routes: [{ node: 'a', kind: 'pay.declined', move: 'to' }],
    });
  });

  it('find a handler that breaks on the error path, and an output that reads what never ran', async () => {
    const text = `${HEAD('a')}nodes:
  - name: a
    type: script
    command: x
    raises: [pay.declined]
    output: {id: {type: string}}
    routes:
      - {to: b}
      - {on_error: pay.declined, to: sorry}
  - {name: b, type: set, value: "{{ a.output.id }}"}
  - {name: sorry, type: set, value: "Sorry: {{ failing.error.details.card }}"}
output: {b: "{{ b.output }}"}
`;
    const played = await rehearsed(text);
    expect(scenario(played, 'a: pay.declined')).toMatchObject({
      verdict: 'surprise',
      error: { kind: 'validation.template', node: 'sorry' },
    });
    expect(scenario(played, 'calm').verdict).toBe('completed');
    expect(played.result.ok).toBe(false);
  });

  it('name the guard that stands in the way, and the line to paste', async () => {
    const text = `${HEAD('a')}nodes:
  - name: a
    type: script
    command: x
    routes:
      - {to: b, when: "{{ output.stdout | length > 100 }}"}
      - {to: $end}
  - {name: b, type: set, value: 1}
`;
    const played = await rehearsed(text);
    const unreached = scenario(played, 'calm: a #0');
    expect(unreached.verdict).toBe('unreached');
    expect(unreached.why).toContain('{{ output.stdout | length > 100 }}');
    expect(unreached.why).toContain('given: {a: {stdout: ');
    expect(played.result.ok).toBe(true);
    const given = await rehearsed(text, { given: { a: { stdout: 'x'.repeat(101) } } });
    expect(scenario(given, 'calm: a #1').verdict).toBe('unreached');
  });

  it('give a line that works when it is pasted, for what steering does not find', async () => {
    const text = `${HEAD('a')}nodes:
  - name: a
    type: script
    command: x
    output: {label: {type: string, enum: [yes, no]}, score: {type: number, minimum: 0, maximum: 10}}
    assert: [{that: "{{ output.score < 9 }}"}]
    routes:
      - {to: b, when: "{{ output.label == 'no' and output.score > 5 }}"}
      - {to: $end}
  - {name: b, type: wait, duration: 1m, routes: [{to: c}]}
  - name: c
    type: human_gate
    prompt: Sure?
    timeout: 1h
    default: "no"
    options: [{label: "Yes", value: "yes"}, {label: "No", value: "no", route: $end}]
    routes: [{to: d}]
  - {name: d, type: set, value: "{{ a.output.label }}"}
`;
    const played = await rehearsed(text);
    const line = 'given: {a: {score: 6}}';
    // what is behind the guard names the same guard, and each of its scenarios is listed
    expect(namesOf(played).filter((name) => name.startsWith('c: '))).toEqual([
      'c: yes',
      'c: no',
      'c: expired',
      'c: gate.no_one_to_ask',
    ]);
    for (const name of ['calm: a #0', 'c: expired', 'd: validation.template'])
      expect(scenario(played, name)).toMatchObject({
        verdict: 'unreached',
        why: expect.stringContaining(line) as unknown,
      });
    const given = await rehearsed(text, { given: { a: { score: 6 } } });
    expect(scenario(given, 'c: expired').verdict).toBe('completed');
    // both are steered to, although no guard reads what the person says
    expect(scenario(given, 'calm').verdict).toBe('completed');
  });

  it('give the details to paste, for a guard that reads what a failure carries', async () => {
    const text = `${HEAD('a')}nodes:
  - name: a
    type: script
    command: x
    raises: [pay.no]
    routes:
      - {to: $end}
      - {on_error: pay.no, when: "{{ error.details is defined and error.details.code == 7 }}", to: b}
      - {on_error: pay.no, halt: true}
  - {name: b, type: set, value: 1}
`;
    const played = await rehearsed(text);
    expect(scenario(played, 'a: pay.no, #1').why).toContain('details: {"pay.no": {code: 7}}');
    const given = await rehearsed(text, { details: { 'pay.no': { code: 7 } } });
    expect(scenario(given, 'a: pay.no')).toMatchObject({
      verdict: 'completed',
      routes: [{ rule: 1, move: 'to', to: 'b' }],
    });
  });

  it('answer a gate with each of its options, one called approve included, and calmly lead on', async () => {
    const text = `${HEAD('draft')}nodes:
  - {name: draft, type: set, value: 1, routes: [{to: gate}]}
  - name: gate
    type: human_gate
    prompt: Publish?
    options:
      - {label: Drop, value: drop, route: $end}
      - {label: Revise, value: revise, route: draft}
      - {label: Approve, value: approve}
    routes: [{to: publish}]
  - {name: publish, type: set, value: 2}
`;
    const played = await rehearsed(text, { keepsWays: true });
    const answersIn = (name: string): readonly string[] =>
      (played.scenarios.find((each) => each.name === name)?.summary?.way ?? []).flatMap(
        (line) => /is answered: "(.*)"/.exec(line)?.[1] ?? [],
      );
    // it revises once: the second visit gets the next answer
    expect(answersIn('calm')).toEqual(['revise', 'approve']);
    expect(answersIn('gate: drop')).toEqual(['drop']);
    expect(answersIn('gate: approve')).toEqual(['approve']);
    expect(played.result.coverage.moves).toMatchObject({ covered: 3, total: 3, missed: [] });
  });
});
