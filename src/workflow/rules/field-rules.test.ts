import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fieldListToSchema } from '../json-schema/field-schema.ts';
import { loadWorkflowText } from '../yaml/load-workflow.ts';
import { checkSchema } from '../json-schema/check-value.ts';

function problems(output: string): string[] {
  const text = `workflow: {name: t, entry_point: a}
nodes:
  - name: a
    prompt: hi
    ${output}
`;
  return loadWorkflowText(text, { file: 't.yaml' }).diagnostics.map(
    ({ code, pointer, message, suggestion = '' }) =>
      `${code} ${pointer}: ${message} (${suggestion})`,
  );
}

describe('the schema of an output', () => {
  it.each([
    '{}',
    '{type: object, properties: {x: {type: [string, "null"]}}, required: [x]}',
    '{$ref: "#/$defs/x", $defs: {x: {type: object}}}',
    '{type: object, x-note: anything}',
  ])('may be %s', (schema) => expect(problems(`output_schema: ${schema}`)).toEqual([]));

  it.each([
    [
      '{type: objct}',
      'bad-schema /nodes/0/output_schema/type: Not a JSON Schema: `type` must be one or more of array, boolean, integer, null, number, object, string (object)',
    ],
    [
      '{properties: {x: text}}',
      'bad-schema /nodes/0/output_schema/properties/x: Not a JSON Schema: `x` must be a schema: an object, true or false ()',
    ],
    [
      '{required: name}',
      'bad-schema /nodes/0/output_schema/required: Not a JSON Schema: `required` must be a list of names ()',
    ],
    [
      '{$ref: "#/$defs/x"}',
      'bad-schema /nodes/0/output_schema/$ref: Not a JSON Schema: `$ref` refers to a schema that does not exist (Write the schema here, or under `$defs` and refer to it as `#/$defs/name`)',
    ],
  ])('is refused as %s', (schema, problem) => {
    expect(problems(`output_schema: ${schema}`)).toEqual([problem]);
  });

  it('is valid for every list of fields that is accepted', () => {
    const bound = fc.option(fc.integer({ min: 0, max: 5 }), { nil: undefined });
    const field = fc.record(
      {
        type: fc.constantFrom('string', 'number', 'integer', 'boolean', 'array', 'object'),
        pattern: fc.option(fc.string({ maxLength: 6, minLength: 1 }), { nil: undefined }),
        minLength: bound,
        maxLength: bound,
        nullable: fc.option(fc.boolean(), { nil: undefined }),
      },
      { requiredKeys: ['type'] },
    );
    fc.assert(
      fc.property(fc.dictionary(fc.stringMatching(/^[a-z]{1,4}$/), field), (fields) => {
        const isAccepted = problems(`output: ${JSON.stringify(fields)}`).length === 0;
        return !isAccepted || checkSchema(fieldListToSchema(fields)).length === 0;
      }),
    );
  });
});
