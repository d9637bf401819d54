/** The form of a rehearsal plan as JSON Schema (draft-07), for editors and other validators. */
import { once } from '../../errors/support/once.ts';
import type { JsonObject } from '../../errors/support/safe-json.ts';
import { fileToJson } from '../schema/to-zod.ts';
import { rehearsalPlanSchema } from './plan-schema.ts';

const ID = 'urn:errand:schema:rehearsal:1';

/** Built once. */
export const rehearsalJsonSchema = once(make);

function make(): JsonObject {
  const { $schema, ...schema } = fileToJson(rehearsalPlanSchema);
  // true: through text and back, it is JSON
  return JSON.parse(
    JSON.stringify({ $schema, $id: ID, title: 'Errand rehearsal plan', ...schema }),
  ) as JsonObject;
}
