/**
 * The file format as JSON Schema (draft-07, which yaml-language-server reads): for completion and
 * checks in editors, and for other validators.
 */
import type { JsonObject } from '../../errors/support/safe-json.ts';
import { once } from '../../errors/support/once.ts';
import { fileSchema } from './file-schema.ts';
import { KIND_DEFINITIONS } from './kind-schema.ts';
import { fileToJson } from './to-zod.ts';

const ID = 'urn:errand:schema:workflow:1';

/** Built once. */
export const workflowJsonSchema = once(make);

/** Filled in before validation; authors never write it. */
function hideNodeType(definitions: unknown): void {
  const node = (definitions as Record<string, { properties: object; required: string[] }>)[
    'extensionNode'
  ];
  if (node === undefined) return;
  Reflect.deleteProperty(node.properties, 'node_type');
  node.required = node.required.filter((key) => key !== 'node_type');
}

function make(): JsonObject {
  const { $schema, definitions, ...schema } = fileToJson(fileSchema);
  hideNodeType(definitions);
  // through text and back, to drop the undefined values of overridden keywords
  return JSON.parse(
    JSON.stringify({
      $schema,
      $id: ID,
      title: 'Errand workflow',
      ...schema,
      definitions: Object.assign({}, definitions, KIND_DEFINITIONS),
    }),
  ) as JsonObject;
}
