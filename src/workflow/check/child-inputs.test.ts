import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonValue } from '../../errors/support/safe-json.ts';
import { completeInput } from '../plan/inputs.ts';
import { loadWorkflowText } from '../yaml/load-workflow.ts';
import { validateWorkflow } from './validate-workflow.ts';
import { runs } from '../../../test/runs.ts';

const INPUT = `{ticket: {type: string}, limit: {type: integer, default: 3}, tags: {type: array, required: false}}`;

function child(input: string): string {
  return `workflow: {name: child, entry_point: a, input: ${input}}\nnodes: [{name: a, type: set, value: 1}]\n`;
}

/** The problems of a node with that mapping, or with none. */
function problems(
  mapping: string | undefined,
  { input = INPUT, own = '{}' }: { input?: string; own?: string } = {},
): string[] {
  const values = mapping === undefined ? '' : `, input_mapping: ${mapping}`;
  const texts: Readonly<Record<string, string>> = {
    'main.yaml': `workflow: {name: main, entry_point: b, input: ${own}}
nodes:
  - {name: b, type: workflow, workflow: child.yaml${values}}
`,
    'child.yaml': child(input),
  };
  const files = {
    resolve: (_from: string, to: string): string => to,
    read: (path: string) => ({ ok: true as const, text: texts[path] ?? '' }),
  };
  const [main] = validateWorkflow('main.yaml', files, {}).files;
  return (main?.diagnostics ?? []).map(
    ({ code, message, pointer, suggestion = '' }) =>
      `${code} ${pointer}: ${message} (${suggestion})`,
  );
}

const AT = '/nodes/0/input_mapping';

describe('the input of a sub-workflow', () => {
  it.each([
    '{ticket: hello}',
    '{ticket: "{{ workflow.name }}", limit: 5, tags: [a, "{{ workflow.name }}"]}',
    '{ticket: "{{ workflow.name }} and more"}',
    "{ticket: a, tags: '[1, 2]'}",
    '{ticket: a, limit: "{{ 3 }}", tags: "{{ [] }}"}',
    '{ticket: a, tags: "[{{ 1 }}]"}',
  ])('may be %s', (mapping) => expect(problems(mapping)).toEqual([]));

  it.each([
    [
      '{limit: 3}',
      `missing-input ${AT}: The workflow \`child\` needs the input \`ticket\` (Add \`ticket\` to \`input_mapping\`)`,
    ],
    [
      '{tiket: a}',
      `unknown-input ${AT}/tiket: The workflow \`child\` has no input \`tiket\` (ticket)`,
    ],
    [
      '{ticket: a, colour: red}',
      `unknown-input ${AT}/colour: The workflow \`child\` has no input \`colour\` (Remove it, or declare it in \`child.yaml\`)`,
    ],
    [
      '{ticket: 7}',
      `bad-input ${AT}/ticket: The input \`ticket\` of \`child\` must be a string, not the number 7 ("7")`,
    ],
    [
      '{ticket: a, limit: "12"}',
      `bad-input ${AT}/limit: The input \`limit\` of \`child\` must be an integer, not the text \`12\` (12)`,
    ],
    [
      '{ticket: a, limit: 1.5}',
      `bad-input ${AT}/limit: The input \`limit\` of \`child\` must be an integer, not the number 1.5 (Pass a value of type integer)`,
    ],
    [
      '{ticket: a, limit: "about {{ 3 }}"}',
      `bad-input ${AT}/limit: The input \`limit\` of \`child\` must be of type integer, but this is text (Write a single \`{{ expression }}\` with nothing around it, which keeps its type)`,
    ],
    [
      '{ticket: {a: "{{ 1 }}"}}',
      `bad-input ${AT}/ticket: The input \`ticket\` of \`child\` must be of type string, but this is a map (Pass a value of type string)`,
    ],
    [
      '{ticket: a, tags: text}',
      `bad-input ${AT}/tags: The input \`tags\` of \`child\` must be an array, not the text \`text\` (Pass a value of type array)`,
    ],
  ])('is refused as %s', (mapping, problem) => expect(problems(mapping)).toEqual([problem]));

  it('is checked inside fields too', () => {
    const input = '{order: {type: object, properties: {id: {type: integer}}}}';
    expect(problems('{order: {id: x}}', { input })).toEqual([
      `bad-input ${AT}/order: The input \`order\` of \`child\` does not fit: \`/id\` must be an integer (Pass a value of type object)`,
    ]);
  });

  it('may be null only where the field allows it', () => {
    expect(problems('{x: null}', { input: '{x: {type: string, nullable: true}}' })).toEqual([]);
    expect(problems('{x: null}', { input: '{x: {type: string}}' })).toHaveLength(1);
  });

  it('without a mapping is the input of the caller', () => {
    const at = '/nodes/0/workflow';
    expect(problems(undefined, { own: '{ticket: {type: string}, other: {type: array}}' })).toEqual(
      [],
    );
    expect(problems(undefined)).toEqual([
      `missing-input ${at}: The workflow \`child\` needs the input \`ticket\` (Add \`input_mapping: {ticket: …}\`)`,
    ]);
    expect(problems(undefined, { own: '{ticket: {type: array}}' })).toEqual([
      `bad-input ${at}: The input \`ticket\` has type string in \`child\`, but type array here (Declare the same type in both, or convert it in \`input_mapping\`)`,
    ]);
  });

  it('is refused exactly when a run with the same values would be', () => {
    const types = ['string', 'number', 'integer', 'boolean', 'array', 'object'];
    const value = fc.oneof(
      fc.integer(),
      // a whole number that loses digits is refused in a file, and is rounded before a run gets it
      fc
        .double({ noNaN: true, noDefaultInfinity: true })
        .filter((number) => !Number.isInteger(number) || Number.isSafeInteger(number)),
      fc.boolean(),
      fc.stringMatching(/^[a-z0-9 ]{0,5}$/),
      fc.constant(null),
      fc.array(fc.integer(), { maxLength: 2 }),
      fc.dictionary(fc.stringMatching(/^[a-z]$/), fc.integer(), { maxKeys: 2 }),
    );
    const named = fc.dictionary(fc.constantFrom('a', 'b', 'c'), value, { maxKeys: 3 });
    const declared = fc.dictionary(
      fc.constantFrom('a', 'b'),
      fc.record({ type: fc.constantFrom(...types), required: fc.boolean() }),
    );
    fc.assert(
      fc.property(declared, named, (fields, values) => {
        const input = JSON.stringify(fields);
        const found = problems(JSON.stringify(values), { input });
        expect(found.length > 0).toBe(isRefused(input, values));
      }),
      { numRuns: runs(150) },
    );
  });
});

function isRefused(input: string, values: Readonly<Record<string, JsonValue>>): boolean {
  const loaded = loadWorkflowText(child(input), { file: 'child.yaml' });
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.diagnostics));
  try {
    completeInput(loaded.plan, values);
    return false;
  } catch {
    return true;
  }
}
