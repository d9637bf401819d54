/** Workflows that are wrong in one way each, found without a plan. */
import { describe, expect, it } from 'vitest';
import { sarifReport } from '../../src/rehearsal/report/sarif.ts';
import { rehearsed, scenario } from './rehearsing.ts';

function workflow(nodes: string, header = ''): string {
  return `workflow:\n  name: t\n  entry_point: a\n${header}nodes:\n${nodes}`;
}

const SCRIPT = 'type: script, command: x, idempotent: true';

interface SarifPlaces {
  readonly runs: readonly {
    readonly results: readonly {
      readonly ruleId: string;
      readonly level: string;
      readonly locations: readonly {
        readonly physicalLocation: { readonly region: { readonly startLine: number } };
      }[];
    }[];
  }[];
}

/** Rule, level and line of each finding. */
function placesIn(sarif: string): readonly unknown[] {
  // true: the report is ours
  const { runs } = JSON.parse(sarif) as SarifPlaces;
  return runs.flatMap(({ results }) =>
    results.map(({ ruleId, level, locations: [at] }) => [
      ruleId,
      level,
      at?.physicalLocation.region.startLine,
    ]),
  );
}

describe('a surprise', () => {
  it.each<readonly [string, string, string, string, number]>([
    [
      'a handler that reads what a failure does not carry',
      workflow(`  - {name: a, ${SCRIPT}, raises: [pay.no], routes: [{to: $end}, {on_error: pay.no, to: h}]}
  - {name: h, type: set, value: "{{ failing.error.details.card }}"}
`),
      'a: pay.no',
      'validation.template',
      6,
    ],
    [
      'a handler that expects the output of what failed',
      workflow(`  - {name: a, ${SCRIPT}, output: {id: {type: string}}, raises: [pay.no], routes: [{to: $end}, {on_error: pay.no, to: h}]}
  - {name: h, type: set, value: "{{ a.output.id }}"}
`),
      'a: pay.no',
      'validation.template',
      6,
    ],
    [
      'a route to the wrong node',
      workflow(`  - {name: a, ${SCRIPT}, raises: [pay.no], routes: [{to: b}, {on_error: pay.no, to: c}]}
  - {name: b, ${SCRIPT}, output: {n: {type: integer}}, routes: [{to: c}]}
  - {name: c, type: set, value: "{{ b.output.n + 1 }}"}
`),
      'a: pay.no',
      'validation.template',
      7,
    ],
    [
      'an output that reads what never ran',
      `${workflow(`  - {name: a, ${SCRIPT}, raises: [pay.no], routes: [{to: b}, {on_error: pay.no, to: $end}]}
  - {name: b, type: set, value: 1}
`)}output: {b: "{{ b.output }}"}\n`,
      'a: pay.no',
      'validation.template',
      7,
    ],
    [
      'a guard that breaks after a skip',
      workflow(`  - {name: a, ${SCRIPT}, output: {id: {type: string}}, raises: [pay.no], routes: [{to: b, when: "{{ output.id == 'rehearsed' }}"}, {to: $end}, {on_error: pay.no, ask: {options: [skip]}}]}
  - {name: b, type: set, value: 1}
`),
      'a: pay.no, skip',
      'route.guard_failed',
      5,
    ],
    [
      'a halt whose message breaks',
      workflow(`  - {name: a, ${SCRIPT}, raises: [pay.no], routes: [{to: $end}, {on_error: pay.no, halt: {message: "{{ error.details.card }}"}}]}
`),
      'a: pay.no',
      'route.guard_failed',
      5,
    ],
    [
      'a gate without a way on for one of its options',
      workflow(`  - name: a
    type: human_gate
    prompt: Go on?
    options: [{label: "Yes", value: "yes"}, {label: "No", value: "no"}]
    routes: [{to: b, when: "{{ output.selected == 'yes' }}"}]
  - {name: b, type: set, value: 1}
`),
      'a: no',
      'route.no_match',
      5,
    ],
    [
      'a quorum that can never be met',
      `workflow:
  name: t
  entry_point: a
  input: {items: {type: array, default: [one]}}
for_each:
  - name: a
    source: workflow.input.items
    as: item
    failure_mode: quorum
    quorum: 2
    agent: {name: x, type: set, value: "{{ item }}"}
`,
      'calm',
      'group.quorum',
      6,
    ],
    [
      'a loop that only the default limit ends',
      workflow(`  - {name: a, type: set, value: 1, routes: [{to: b}]}
  - {name: b, type: set, value: 2, routes: [{to: a}]}
`),
      'calm',
      'limit.steps',
      5,
    ],
  ])('is %s', async (_, text, ...[name, kind, line]) => {
    const played = await rehearsed(text);
    expect(scenario(played, name)).toMatchObject({ verdict: 'surprise', error: { kind } });
    expect(played.result.ok).toBe(false);
    const reported = played.scenarios.find((each) => each.name === name);
    const error =
      reported?.summary?.result.status === 'failed' ? reported.summary.result.error : undefined;
    expect(error?.location?.line).toBe(line);
  });
});

describe('what is missed', () => {
  it('names the route that earlier ones leave nothing to, with its line', async () => {
    const played = await rehearsed(
      workflow(
        `  - {name: a, ${SCRIPT}, routes: [{to: $end}, {on_error: true, to: h}]}
  - {name: h, type: set, value: 1}
`,
        '  on_error:\n    - {on_error: internal.script_error, halt: true}\n',
      ),
    );
    expect(played.result.coverage.routes.missed).toEqual([
      { rule: 0, line: 5, why: 'earlier routes leave nothing to it' },
    ]);
  });

  it('says so too of a route whose pattern an exact one before it has used up', async () => {
    const played = await rehearsed(
      workflow(
        `  - {name: a, ${SCRIPT}, raises: [pay.no], routes: [{to: $end}, {on_error: pay.no, to: h}, {on_error: "pay.*", to: h}]}
  - {name: h, type: set, value: 1}
`,
      ),
    );
    expect(played.result.coverage.routes.missed).toEqual([
      { node: 'a', rule: 2, line: 5, why: 'earlier routes leave nothing to it' },
    ]);
  });

  it('shows a budget below one call, with its line: calm fails, and nothing behind it is reached', async () => {
    const played = await rehearsed(
      workflow(
        `  - {name: a, prompt: Hi, model: sim/x, tools: [], budget: {tokens: 1}, routes: [{to: b}]}
  - {name: b, type: set, value: 1, routes: [{to: $end}]}
`,
      ),
    );
    expect(scenario(played, 'calm')).toMatchObject({ error: { kind: 'limit.budget', node: 'a' } });
    expect(scenario(played, 'calm: a #0').why).toContain('a fails by itself: limit.budget');
    expect(scenario(played, 'calm: b #0').verdict).toBe('unreached');
    expect(scenario(played, 'calm: b #0').why).toContain('limit.budget');
    expect(played.result.warnings).toEqual([
      {
        rule: 'fails-by-itself',
        scenario: 'calm',
        node: 'a',
        file: 't.yaml',
        line: 5,
        message: expect.stringMatching(/^fails although nothing goes wrong: limit\.budget: /),
      },
    ]);
    expect(placesIn(sarifReport([played], '1'))).toContainEqual(['fails-by-itself', 'warning', 5]);
  });

  it('shows a retry that repeats a payment, with its line', async () => {
    const played = await rehearsed(
      workflow(`  - name: a
    type: script
    command: ./pay.sh
    routes:
      - {to: $end}
      - {on_error: effect.outcome_unknown, retry: {max: 1, backoff: none}}
`),
    );
    const found = played.scenarios.find(({ name }) => name === 'a: effect.outcome_unknown');
    expect(found?.summary?.executions).toEqual({ a: 2 });
    expect(played.result.warnings).toEqual([
      {
        rule: 'repeats-effect',
        node: 'a',
        file: 't.yaml',
        line: 10,
        message: 'is executed again by route 2, and is not idempotent',
      },
    ]);
    expect(placesIn(sarifReport([played], '1'))).toEqual([['repeats-effect', 'warning', 10]]);
  });
});
