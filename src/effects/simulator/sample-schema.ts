/** Flattens a composed schema: merges parts and lists alternatives, on the steps of the search that asks. */
import {
  isArray,
  isJsonObject,
  type JsonObject,
  type JsonValue,
} from '../../errors/support/safe-json.ts';
import { canonical } from '../../workflow/json-schema/keyword-context.ts';
import type { Meter } from '../../workflow/json-schema/step-budget.ts';

export function isComposed(schema: JsonObject): boolean {
  const { allOf, anyOf, oneOf, if: condition } = schema;
  return isArray(allOf) || isArray(anyOf) || isArray(oneOf) || condition !== undefined;
}

/** The alternatives of a composed schema, each made when it is asked for. */
export function* variantsOf(schema: JsonObject, meter: Meter): Generator<JsonObject> {
  const { allOf, anyOf, oneOf } = schema;
  if (isArray(allOf)) {
    yield together(allOf, without(schema, ['allOf']), meter);
    return;
  }
  const choices = isArray(anyOf) ? anyOf : oneOf;
  if (isArray(choices)) {
    const plain = without(schema, ['anyOf', 'oneOf']);
    for (const choice of schemasIn(choices)) yield merged(plain, choice, meter);
    return;
  }
  const { if: condition, then, else: otherwise } = schema;
  const plain = without(schema, ['if', 'then', 'else']);
  for (const parts of [[otherwise], [condition, then], [then]])
    yield mergedAll(plain, schemasIn(parts), meter);
}

/** Keeps one `$ref` beside the merged parts, for the caller to follow. */
function together(parts: readonly JsonValue[], plain: JsonObject, meter: Meter): JsonObject {
  const schemas = schemasIn(parts);
  const [reference, ...others] = schemas.filter((part) => '$ref' in part);
  const plainParts = schemas.filter((part) => !('$ref' in part));
  const whole = mergedAll(plain, plainParts, meter);
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

function mergedAll(plain: JsonObject, parts: readonly JsonObject[], meter: Meter): JsonObject {
  return parts.reduce((whole, part) => merged(whole, part, meter), plain);
}

/** One schema for the constraints of both, as far as that is possible. */
export function merged(one: JsonObject, other: JsonObject, meter: Meter): JsonObject {
  const whole: Record<string, JsonValue> = { ...one };
  const entries = Object.entries(other);
  meter.spend(1 + Object.keys(whole).length + entries.length);
  for (const [key, value] of entries) {
    const before = whole[key];
    whole[key] = before === undefined ? value : both(key, [before, value], meter);
  }
  return whole;
}

const LARGER = new Set(['minimum', 'exclusiveMinimum', 'minLength', 'minItems', 'minProperties']);
const SMALLER = new Set(['maximum', 'exclusiveMaximum', 'maxLength', 'maxItems', 'maxProperties']);
const UNITED = new Set(['required', 'allOf']);
const COMMON = new Set(['enum', 'type']);

function both(key: string, [one, other]: readonly [JsonValue, JsonValue], meter: Meter): JsonValue {
  if (typeof one === 'number' && typeof other === 'number') {
    if (LARGER.has(key)) return Math.max(one, other);
    if (SMALLER.has(key)) return Math.min(one, other);
  }
  if (UNITED.has(key) && isArray(one) && isArray(other)) {
    meter.spend(one.length + other.length);
    return [...new Set([...one, ...other])];
  }
  if (COMMON.has(key)) return common(one, other, meter);
  if (key === 'properties' && isJsonObject(one) && isJsonObject(other))
    return fields(one, other, meter);
  return other;
}

function common(one: JsonValue, other: JsonValue, meter: Meter): JsonValue {
  const listOf = (value: JsonValue): readonly JsonValue[] => (isArray(value) ? value : [value]);
  const seconds = new Set(listOf(other).map((value) => canonical(value, meter)));
  // an integer is a number
  const isShared = (value: JsonValue): boolean =>
    seconds.has(canonical(value, meter)) || (value === 'integer' && seconds.has('"number"'));
  const shared = listOf(one).filter(isShared);
  return shared.length === 0 ? other : shared;
}

function fields(one: JsonObject, other: JsonObject, meter: Meter): JsonObject {
  const whole: Record<string, JsonValue> = { ...one };
  const entries = Object.entries(other);
  meter.spend(Object.keys(whole).length + entries.length);
  for (const [name, field] of entries) {
    const before = whole[name];
    whole[name] =
      isJsonObject(before) && isJsonObject(field) ? merged(before, field, meter) : field;
  }
  return whole;
}

function asSchema(value: JsonValue | undefined): JsonObject | undefined {
  if (value === true) return {};
  return isJsonObject(value) ? value : undefined;
}
