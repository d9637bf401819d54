/**
 * Whether a schema leaves nothing open: every object lists all its properties as required and takes
 * no others. Only such a schema can be enforced while the model writes.
 */
import {
  isArray,
  isJsonObject,
  type JsonObject,
  type JsonValue,
} from '../../errors/support/safe-json.ts';

export function isStrictSchema(schema: JsonObject): boolean {
  if (!isClosed(schema)) return false;
  return Object.entries(schema).every(([key, value]) =>
    MAPS.has(key) ? everyValue(value) : isStrictBelow(value),
  );
}

/** Keywords whose value maps names, which are no keywords, to schemas. */
const MAPS: ReadonlySet<string> = new Set(['properties', '$defs', 'definitions']);

function everyValue(map: JsonValue): boolean {
  return isJsonObject(map) ? Object.values(map).every(isStrictBelow) : true;
}

function isStrictBelow(value: JsonValue): boolean {
  if (isArray(value)) return value.every(isStrictBelow);
  return isJsonObject(value) ? isStrictSchema(value) : true;
}

function isClosed(schema: JsonObject): boolean {
  const { type, properties, required, additionalProperties } = schema;
  const types = isArray(type) ? type : [type];
  if (!types.includes('object') && properties === undefined) return true;
  if (additionalProperties !== false) return false;
  const names = isJsonObject(properties) ? Object.keys(properties) : [];
  const listed: readonly JsonValue[] = isArray(required) ? required : [];
  return names.every((name) => listed.includes(name));
}
