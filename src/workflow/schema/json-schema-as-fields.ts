/**
 * Recognises a JSON Schema in place of a list of fields. Without this, each of its keywords would be
 * refused as an invalid field; here the mistake is reported once.
 */
import { isArray, isPlainObject, type JsonObject } from '../../errors/support/safe-json.ts';
import { valueAt, type Path } from '../plan/pointer.ts';
import type { Problem } from '../diagnostics/problem.ts';
import { flowText } from './flow-text.ts';

const FIELD_MAPS: ReadonlySet<unknown> = new Set(['output', 'input', 'state']);

/** The path of the enclosing JSON Schema, above a refused value. */
export function schemaAbove(path: Path, root: unknown): Path | undefined {
  const index = path.findIndex((key) => FIELD_MAPS.has(key));
  if (index < 0) return undefined;
  const above = path.slice(0, index + 1);
  return isSchema(valueAt(root, above)) ? above : undefined;
}

export function schemaProblem(path: Path, root: unknown): Problem {
  const key = String(path.at(-1));
  const fields = fieldsOf(valueAt(root, path));
  const list = `\`${key}: ${flowText(fields) ?? '{…}'}\``;
  return {
    code: 'wrong-type',
    message: `\`${key}\` lists fields by name, and this is a JSON Schema`,
    path,
    at: 'key',
    expected: 'a map of fields, such as `{label: {type: string}}`',
    suggestion:
      key === 'output'
        ? `Write \`output_schema:\` instead of \`output:\`, or list the fields: ${list}`
        : `List the fields: ${list}`,
  };
}

/** Whether the value has more than one keyword of JSON Schema. */
function isSchema(value: unknown): value is JsonObject {
  if (!isPlainObject(value)) return false;
  const { type, properties } = value;
  if (typeof value['$schema'] === 'string' || type === 'object') return true;
  if (['anyOf', 'oneOf', 'allOf', 'required'].some((key) => isArray(value[key]))) return true;
  if (isPlainObject(properties) && typeof properties['type'] !== 'string') {
    const inside = Object.values(properties);
    return inside.length > 0 && inside.every(isPlainObject);
  }
  return typeof type === 'string' && isPlainObject(value['items']);
}

function fieldsOf(schema: unknown): unknown {
  const properties = isPlainObject(schema) ? schema['properties'] : undefined;
  return isPlainObject(properties) ? properties : { label: { type: 'string' } };
}
