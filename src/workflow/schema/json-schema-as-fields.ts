/**
 * A JSON Schema where a list of fields is wanted. Each of its keywords would be refused as a field
 * that is none; what the person has to know is one thing.
 */
import { isArray, isPlainObject, type JsonObject } from '../../errors/json.ts';
import { valueAt, type Path } from '../path.ts';
import type { Problem } from '../problem.ts';
import { flowText } from './flow-text.ts';

const FIELD_MAPS: ReadonlySet<unknown> = new Set(['output', 'input', 'state']);

/** Where, above a place that was refused, a schema stands for a list of fields. */
export function schemaAbove(path: Path, root: unknown): Path | undefined {
  const index = path.findIndex((key) => FIELD_MAPS.has(key));
  if (index < 0) return undefined;
  const place = path.slice(0, index + 1);
  return isSchema(valueAt(root, place)) ? place : undefined;
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

/** More than one word of JSON Schema in a place where only fields may have them. */
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
