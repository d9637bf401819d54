/** Flattens a composed schema: follows references, merges parts, and lists alternatives. */
import {
  isArray,
  isJsonObject,
  type JsonObject,
  type JsonValue,
} from '../../errors/support/safe-json.ts';

/** Undefined for a reference outside the schema. */
export function resolveReference(reference: string, root: JsonObject): JsonObject | undefined {
  if (!reference.startsWith('#')) return undefined;
  let found: JsonValue | undefined = root;
  for (const step of reference.slice(1).split('/').filter(Boolean)) {
    const key = decodeURIComponent(step).replaceAll('~1', '/').replaceAll('~0', '~');
    if (isArray(found)) found = found[Number(key)];
    else found = isJsonObject(found) && Object.hasOwn(found, key) ? found[key] : undefined;
  }
  return found === true ? {} : asSchema(found);
}

/** The alternatives of a composed schema; undefined for a plain one. */
export function variantsOf(schema: JsonObject): readonly JsonObject[] | undefined {
  const { allOf, anyOf, oneOf } = schema;
  if (isArray(allOf)) return [together(allOf, without(schema, ['allOf']))];
  const choices = isArray(anyOf) ? anyOf : oneOf;
  if (isArray(choices)) {
    const plain = without(schema, ['anyOf', 'oneOf']);
    return schemasIn(choices).map((choice) => merged(plain, choice));
  }
  const { if: condition, then, else: otherwise } = schema;
  if (condition === undefined) return undefined;
  const plain = without(schema, ['if', 'then', 'else']);
  const branches = [[otherwise], [condition, then], [then]];
  return branches.map((parts) => schemasIn(parts).reduce(merged, plain));
}

/** Keeps one `$ref` beside the merged parts, for the caller to follow. */
function together(parts: readonly JsonValue[], plain: JsonObject): JsonObject {
  const schemas = schemasIn(parts);
  const [reference, ...others] = schemas.filter((part) => '$ref' in part);
  const whole = schemas.filter((part) => !('$ref' in part)).reduce(merged, plain);
  if (reference === undefined) return whole;
  const left = others.length === 0 ? {} : { allOf: others };
  return { ...whole, ...left, ...reference };
}

function without(schema: JsonObject, keys: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(schema).filter(([key]) => !keys.includes(key)));
}

function schemasIn(values: readonly (JsonValue | undefined)[]): readonly JsonObject[] {
  return values.map(asSchema).filter((schema) => schema !== undefined);
}

/** One schema for the constraints of both, as far as that is possible. */
export function merged(one: JsonObject, other: JsonObject): JsonObject {
  const whole: Record<string, JsonValue> = { ...one };
  for (const [key, value] of Object.entries(other)) {
    const before = whole[key];
    whole[key] = before === undefined ? value : both(key, before, value);
  }
  return whole;
}

const LARGER = new Set(['minimum', 'exclusiveMinimum', 'minLength', 'minItems', 'minProperties']);
const SMALLER = new Set(['maximum', 'exclusiveMaximum', 'maxLength', 'maxItems', 'maxProperties']);
const UNITED = new Set(['required', 'allOf']);
const COMMON = new Set(['enum', 'type']);

function both(key: string, one: JsonValue, other: JsonValue): JsonValue {
  if (typeof one === 'number' && typeof other === 'number') {
    if (LARGER.has(key)) return Math.max(one, other);
    if (SMALLER.has(key)) return Math.min(one, other);
  }
  if (UNITED.has(key) && isArray(one) && isArray(other)) return [...new Set([...one, ...other])];
  if (COMMON.has(key)) return common(one, other);
  if (key === 'properties' && isJsonObject(one) && isJsonObject(other)) return fields(one, other);
  return other;
}

function common(one: JsonValue, other: JsonValue): JsonValue {
  const listOf = (value: JsonValue): readonly JsonValue[] => (isArray(value) ? value : [value]);
  const seconds = new Set(listOf(other).map((value) => JSON.stringify(value)));
  // an integer is a number
  const isShared = (value: JsonValue): boolean =>
    seconds.has(JSON.stringify(value)) || (value === 'integer' && seconds.has('"number"'));
  const shared = listOf(one).filter(isShared);
  return shared.length === 0 ? other : shared;
}

function fields(one: JsonObject, other: JsonObject): JsonObject {
  const whole: Record<string, JsonValue> = { ...one };
  for (const [name, field] of Object.entries(other)) {
    const before = whole[name];
    whole[name] = isJsonObject(before) && isJsonObject(field) ? merged(before, field) : field;
  }
  return whole;
}

function asSchema(value: JsonValue | undefined): JsonObject | undefined {
  if (value === true) return {};
  return isJsonObject(value) ? value : undefined;
}
