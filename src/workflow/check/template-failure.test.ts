import { describe, expect, it } from 'vitest';
import { found, validate } from './cases/small-file.cases.ts';

describe('a template that cannot fail', () => {
  const header =
    '  input: {id: {type: string}, note: {type: string, required: false}, maybe: {type: string, nullable: true}, count: {type: integer}}\n  state: {tags: {type: array}, total: {type: number, merge: sum}, name: {type: string}, size: {type: number}, all: {type: array, merge: append}}\n';
  const lists = (node: string, more = ''): boolean =>
    validate(`  - {name: a, ${node}}\n${more}`, { header }).files[0]?.nodes['a']?.raises.includes(
      'validation.template',
    ) ?? false;

  it.each([
    ['type: set, value: 1'],
    ['type: set, value: [yes, {deep: text}]'],
    ['type: set, values: {sum: "{{ 1 + 2 }}", text: "{{ [1, 2] | join }}"}'],
    ['type: set, value: "{{ workflow.input.id }}"'],
    ['type: set, values: {tags: "{{ state.tags }}"}'],
    ['type: set, values: {of: "{{ workflow.name }}", in: "{{ workflow.dir }}"}'],
    [`type: set, value: "{{ workflow.input.note | default('none') }}"`],
    [`type: set, value: "{{ workflow.input.note.of.it | default('none') }}"`],
    [`type: set, value: "{{ workflow.input.note | default('none') }}", state: {tags: [new]}`],
    ['type: set, value: 1, state: {tags: [new]}'],
    ['type: set, value: 1, state: {tags: "{{ state.tags }}", name: "{{ workflow.input.id }}"}'],
    ['type: set, value: 1, state: {name: plain, size: "{{ workflow.input.count }}"}'],
    ['type: set, value: 1, state: {tags: "[1, 2]", all: "{{ workflow.input.id }}"}'],
    ['type: wait, duration: 1s'],
    ['type: terminate, status: failed, reason: Enough'],
    ['type: human_gate, prompt: Go?, options: [{label: Yes, value: y}]'],
    ['type: transform, code: "1 + 1", arguments: {id: "{{ workflow.input.id }}"}'],
    ['type: script, command: sh, args: ["-c", "exit 0"]'],
    ['prompt: Hi, model: sim/x'],
  ])('adds no failure to %s', (node) => {
    expect(lists(node)).toBe(false);
  });

  it.each([
    ['type: set, value: "{{ workflow.input.note }}"'],
    ['type: set, value: "{{ workflow.input.id.length }}"'],
    ['type: set, value: "{{ workflow.name.first }}"'],
    ['type: set, value: "{{ workflow.version }}"'],
    ['type: set, value: "{{ workflow.input.id | int }}"'],
    ['type: set, value: "{{ 1 / 0 }}"'],
    ['type: set, value: 1, state: {total: 1}'],
    ['type: set, value: 1, state: {tags: "{{ workflow.input.id }}"}'],
    ['type: set, value: 1, state: {size: "{{ workflow.input.id }}"}'],
    ['type: set, value: 1, state: {name: "{{ workflow.input.maybe }}"}'],
    ['type: set, value: 1, state: {name: "[1, 2]"}'],
    ['type: set, value: 1, state: {tags: {deep: text}}'],
    ['type: set, value: 1, state: {size: "{{ state.name }}"}'],
    [`type: set, value: 1, state: {name: "{{ workflow.input.id | default(5) }}"}`],
    ['type: set, value: "{{ workflow.input.note | default(workflow.input.note) }}"'],
    [`type: set, value: "{{ workflow.input.note | default('none') | int }}"`],
    [`type: set, value: "{{ workflow.input.note | upper | default('none') }}"`],
    ['type: wait, duration: "{{ workflow.input.id }}"'],
    ['type: terminate, status: failed, reason: "No {{ workflow.input.note }}"'],
    ['type: human_gate, prompt: "{{ workflow.input.note }}", options: [{label: Yes, value: y}]'],
    ['type: script, command: sh, args: ["{{ workflow.input.note }}"]'],
    ['prompt: "{{ workflow.input.note }}", model: sim/x'],
    ['prompt: Hi, model: "{{ workflow.input.id }}"'],
    ['type: set, value: 1, assert: [{that: "{{ output.x }}"}]'],
  ])('is another than that of %s', (node) => {
    expect(lists(node)).toBe(true);
  });

  it.each([
    ['{n: "{{ x.output.n }}"}', true],
    ['{n: done}', false],
  ])('is the output of a child, for the node that calls it: %s', (output, canFail) => {
    const child = `workflow: {name: c, entry_point: x}\nnodes: [{name: x, type: set, value: {n: 1}}]\noutput: ${output}\n`;
    const { files } = validate('  - {name: a, type: workflow, workflow: ./c.yaml}\n', {
      files: { 'c.yaml': child },
    });
    expect(files[0]?.nodes['a']?.raises.includes('validation.template')).toBe(canFail);
  });

  it('leaves a file without a failure valid when strict', () => {
    const options = { strict: true };
    expect(found(validate('  - {name: a, type: set, value: 1}\n', { options }))).toEqual([]);
  });
});
