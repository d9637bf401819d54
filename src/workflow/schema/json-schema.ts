/**
 * The file format as JSON Schema (draft-07, which yaml-language-server reads): for completion and
 * checks in editors, and for validators that are not ours.
 */
import { z } from 'zod';
import type { JsonObject } from '../../errors/json.ts';
import { fileSchema } from './file.ts';

const ID = 'urn:errand:schema:workflow:1';

let made: JsonObject | undefined;

/** Made once; the same object every time. */
export function workflowJsonSchema(): JsonObject {
  made ??= make();
  return made;
}

function make(): JsonObject {
  const { $schema, ...schema } = z.toJSONSchema(fileSchema, { target: 'draft-7', io: 'input' });
  const plain = JSON.parse(JSON.stringify(schema), dropIds) as JsonObject;
  return {
    $schema: $schema ?? 'http://json-schema.org/draft-07/schema#',
    $id: ID,
    title: 'Errand workflow',
    ...plain,
  };
}

/** zod names its definitions by `id`, which draft-07 does not know on a schema. */
function dropIds(this: unknown, key: string, value: unknown): unknown {
  const isSchema = typeof this === 'object' && this !== null && ('type' in this || 'oneOf' in this || 'anyOf' in this);
  return key === 'id' && typeof value === 'string' && isSchema ? undefined : value;
}
