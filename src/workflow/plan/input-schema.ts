/** The inputs of a workflow as one JSON Schema. */
import type { JsonObject } from '../../errors/support/safe-json.ts';
import type { FilePlan, InputField } from './plan.ts';

export function inputSchema({ input }: Pick<FilePlan, 'input'>): JsonObject {
  const fields = Object.entries(input);
  const required = fields.filter(([, field]) => field.required).map(([name]) => name);
  return {
    type: 'object',
    properties: Object.fromEntries(fields.map(([name, field]) => [name, fieldSchema(field)])),
    ...(required.length === 0 ? {} : { required }),
    additionalProperties: false,
  };
}

function fieldSchema({ schema, description, default: preset }: InputField): JsonObject {
  return {
    ...schema,
    ...(description === undefined ? {} : { description }),
    ...(preset === undefined ? {} : { default: preset }),
  };
}
