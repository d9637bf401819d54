import { describe, expect, it } from 'vitest';
import { loadWorkflowText } from '../yaml/load-workflow.ts';
import { checkWorkflow } from './check.ts';

/** Warnings about comparisons, as `message → suggestion`, in a file with the guard at «». */
function warningsIn(file: string, written: string): string[] {
  const text = file.replace('«»', () => written);
  const loaded = loadWorkflowText(text, { file: 'a.yaml' });
  if (!loaded.ok) throw new Error(loaded.diagnostics.map(({ message }) => message).join('; '));
  return checkWorkflow(loaded.plan).flatMap(({ problems }) =>
    problems
      .filter(({ code }) => code === 'never-equal')
      .map(
        ({ message, suggestion, severity, within }) =>
          `${severity} ${within === undefined ? '' : written.slice(within.offset, within.offset + within.length)} ${message} → ${suggestion}`,
      ),
  );
}

const AGENT = `workflow: {name: x, entry_point: a, input: {size: {type: string, enum: [s, m]}, n: {type: integer}}}
nodes:
  - name: a
    model: sim/x
    prompt: hi
    tools: []
    output:
      label: {type: string, enum: [bug, other]}
      level: {type: integer, enum: [1, 2]}
      count: {type: integer}
      ok: {type: boolean}
      free: {type: string}
      tags: {type: array, items: {type: string, enum: [red, blue]}}
      maybe: {type: string, enum: [x], nullable: true}
      deep: {type: object, properties: {colour: {type: string, enum: [red]}}}
    routes:
      - {to: b, when: «»}
      - {to: $end}
  - {name: b, type: set, value: 1}
`;

const NEVER = "`output.label` is never `'buggy'`: it can only be `'bug'` or `'other'` → 'bug'";

describe('a comparison with a value that can never occur', () => {
  it.each([
    [`"output.label == 'buggy'"`, [NEVER]],
    [`"{{ output.label == 'buggy' }}"`, [NEVER]],
    [`"{{ 'buggy' == output.label }}"`, [NEVER]],
    [`"{{ output.label != 'buggy' }}"`, [NEVER]],
    [`"{{ output.label in ['bug', 'buggy'] }}"`, [NEVER]],
    [`"{{ output.label not in ['buggy'] }}"`, [NEVER]],
    [`"{{ output['label'] == 'buggy' }}"`, [NEVER]],
    [`"{{ output.label is equalto 'buggy' }}"`, [NEVER]],
    [`"{{ output.count > 1 and not (output.label == 'buggy') }}"`, [NEVER]],
    [`"{% if output.label == 'buggy' %}true{% endif %}"`, [NEVER]],
    [
      `"{% for output in [1] %}{{ output == 'buggy' }}{% endfor %}{{ output.label == 'buggy' }}"`,
      [NEVER],
    ],
    [`"label == 'buggy'"`, [NEVER.replace('output.label', 'label')]],
    [`"{{ a.output.label == 'buggy' }}"`, [NEVER.replace('output.label', 'a.output.label')]],
    [
      `"{{ output.label == 'refund' }}"`,
      [
        "`output.label` is never `'refund'`: it can only be `'bug'` or `'other'` → Use one of `'bug'` or `'other'`",
      ],
    ],
    [
      `"{{ output.level == '1' }}"`,
      ["`output.level` is never `'1'`: it can only be `1` or `2` → 1"],
    ],
    [
      `"{{ output.count == '3' }}"`,
      ['`output.count` is a number, but this compares it with the text `3` → 3'],
    ],
    [
      `"{{ output.count > '3' }}"`,
      ['`output.count` is a number, but this compares it with the text `3` → 3'],
    ],
    [
      `"{{ output.ok == 'true' }}"`,
      ['`output.ok` is `true` or `false`, but this compares it with the text `true` → true'],
    ],
    [
      `"{{ output.free == 3 }}"`,
      ["`output.free` is a text, but this compares it with the number 3 → '3'"],
    ],
    [
      `"{{ 'reed' in output.tags }}"`,
      ["An item of `output.tags` is never `'reed'`: it can only be `'red'` or `'blue'` → 'red'"],
    ],
    [
      `"{{ output.deep.colour == 'rad' }}"`,
      ["`output.deep.colour` is never `'rad'`: it can only be `'red'` → 'red'"],
    ],
    [
      `"{{ workflow.input.size == 'xl' }}"`,
      [
        "`workflow.input.size` is never `'xl'`: it can only be `'s'` or `'m'` → Use one of `'s'` or `'m'`",
      ],
    ],
    [
      `"{{ workflow.input.n == 'many' }}"`,
      [
        '`workflow.input.n` is a number, but this compares it with the text `many` → Compare it with a value of the same type',
      ],
    ],
  ])('%s', (guard, expected) => {
    expect(
      warningsIn(AGENT, guard).map((row) => row.replace(/^warning .*?(?=`\w|An item)/, '')),
    ).toEqual(expected);
  });

  it.each([
    `"{{ output.label == 'bug' }}"`,
    `"{{ output.label in ['bug', 'other'] }}"`,
    `"{{ output.maybe == none }}"`,
    `"{{ output.label | upper == 'BUG' }}"`,
    `"{{ output.label | default('buggy') == 'buggy' }}"`,
    `"{% for label in ['buggy'] %}{{ label == 'buggy' }}{% endfor %}"`,
    `"{{ output.free == 'anything' }}"`,
    `"{{ 'bug' in output.free }}"`,
    `"{{ output.count == 3.5 }}"`,
    `"{{ attempt == 0 }}"`,
  ])('accepts %s', (guard) => {
    expect(warningsIn(AGENT, guard)).toEqual([]);
  });

  it('is a warning, as every route that can never match is', () => {
    expect(warningsIn(AGENT, `"output.label == 'buggy'"`)[0]).toMatch(/^warning /);
  });
});

describe('other fields with known values', () => {
  const OTHERS = `workflow: {name: x, entry_point: gate}
nodes:
  - name: gate
    type: human_gate
    prompt: ok?
    options: [{value: approve}, {value: reject}]
    routes: [{to: run, when: "{{ output.selected == 'approved' }}"}, {to: $end}]
  - name: run
    type: script
    command: x
    timeout_seconds: 5
    exit_codes: any
    assert: [{that: "{{ output.exit_code == '0' }}"}]
    routes:
      - {to: pick, when: "exit_code == '1'"}
      - {to: $end}
      - {on_error: true, to: pick, when: "{{ error.kind == 'internal.script_eror' }}"}
  - {name: pick, type: call, function: f, output_schema: {type: object, properties: {s: {const: done}}}, routes: [{to: end_, when: "{{ output.s == 'dnoe' }}"}, {to: $end}]}
  - {name: end_, type: set, value: "{{ 'yes' if gate.output.selected == 'aprove' else failing.error.kind == 'mine.own' }}"}
`;

  it('are those of gates, scripts, functions, kinds of failure, and values', () => {
    expect(warningsIn(OTHERS, '').map((row) => row.replace(/^warning\s+/, ''))).toEqual([
      "`output.selected` is never `'approved'`: it can only be `'approve'` or `'reject'` → 'approve'",
      '`output.exit_code` is a number, but this compares it with the text `0` → 0',
      '`exit_code` is a number, but this compares it with the text `1` → 1',
      "`error.kind` is never `'internal.script_eror'`: the catalog has no such kind → 'internal.script_error'",
      "`output.s` is never `'dnoe'`: it can only be `'done'` → 'done'",
      "`gate.output.selected` is never `'aprove'`: it can only be `'approve'` or `'reject'` → 'approve'",
    ]);
  });
});
