/**
 * A small value that fits a JSON Schema: the first choice of an enum, required fields only, the lowest
 * number. The same schema always gives the same value. Guesses are cheap and the checker is exact, so
 * this makes guesses and lets the checker choose; a schema that nothing fits gets the first guess.
 */
import { isArray, isJsonObject, type JsonObject, type JsonValue } from '../../errors/json.ts';
import { checkValue } from '../../workflow/value-check.ts';
import { numbers, texts } from './sample-scalars.ts';
import { merged, resolveReference, variantsOf } from './sample-schema.ts';

/** Guesses for one place. */
const MAX_GUESSES = 60;
/** A schema that refers to itself is followed only as deep as it needs to be. */
const DEPTHS = [4, 8, 16, 32] as const;

export function sample(schema: JsonObject): JsonValue {
  let fallback: JsonValue | undefined;
  for (const depth of DEPTHS) {
    const place: Place = { root: schema, depth, checked: new Map() };
    const found = firstFit(schema, place);
    if (found !== undefined && fits(schema, found, place)) return found;
    fallback ??= found;
  }
  return fallback ?? null;
}

interface Place {
  readonly root: JsonObject;
  /** Levels that are left. */
  readonly depth: number;
  /** Subschemas with what they refer to, made once each. */
  readonly checked: Map<JsonObject, JsonObject>;
}

/** The first guess that fits, else the first; undefined when there is nothing to guess. */
function firstFit(schema: JsonObject, place: Place): JsonValue | undefined {
  let first: JsonValue | undefined;
  for (const guess of take(guesses(schema, place), MAX_GUESSES)) {
    if (fits(schema, guess, place)) return guess;
    first ??= guess;
  }
  return first;
}

function fits(schema: JsonObject, value: JsonValue, { root, checked }: Place): boolean {
  let whole = checked.get(schema);
  if (whole === undefined) {
    const { $defs, definitions } = root;
    const referred = {
      ...($defs === undefined ? {} : { $defs }),
      ...(definitions === undefined ? {} : { definitions }),
    };
    whole = schema === root ? root : { ...schema, ...referred };
    checked.set(schema, whole);
  }
  const [finding] = checkValue(whole, value);
  // a part that refers to the whole cannot be looked at alone; the whole is looked at in the end
  return finding === undefined || (finding.of === 'schema' && schema !== root);
}

function* guesses(schema: JsonObject, place: Place): Generator<JsonValue> {
  if (place.depth <= 0) return;
  const { $ref } = schema;
  if (typeof $ref === 'string') {
    const target = resolveReference($ref, place.root);
    if (target === undefined) return;
    const { $ref: _ref, ...beside } = schema;
    yield* guesses(merged(target, beside), below(place));
    return;
  }
  const variants = variantsOf(schema);
  if (variants !== undefined) {
    for (const variant of variants) yield* take(guesses(variant, below(place)), MAX_GUESSES / 4);
    return;
  }
  if (schema['const'] !== undefined) yield schema['const'];
  const { enum: choices, default: usual } = schema;
  if (usual !== undefined) yield usual;
  if (isArray(choices)) yield* choices;
  else for (const type of typesOf(schema)) yield* guessesOf(type, schema, place);
}

function below(place: Place): Place {
  return { ...place, depth: place.depth - 1 };
}

/** By what the schema says of a type, where it names none. */
function typesOf(schema: JsonObject): readonly string[] {
  const { type } = schema;
  if (typeof type === 'string') return [type];
  if (isArray(type)) return type.filter((each) => typeof each === 'string');
  const has = (...keys: readonly string[]): boolean => keys.some((key) => key in schema);
  if (has('properties', 'required', 'minProperties', 'additionalProperties')) return ['object'];
  if (has('items', 'prefixItems', 'minItems', 'contains')) return ['array'];
  if (has('pattern', 'format', 'minLength', 'maxLength')) return ['string'];
  if (has('minimum', 'maximum', 'multipleOf', 'exclusiveMinimum')) return ['number'];
  return ['null', 'string', 'number', 'boolean', 'object', 'array'];
}

function* guessesOf(type: string, schema: JsonObject, place: Place): Generator<JsonValue> {
  switch (type) {
    case 'string':
      yield* texts(schema);
      return;
    case 'integer':
    case 'number':
      yield* numbers(schema, type);
      return;
    case 'boolean':
      yield false;
      yield true;
      return;
    case 'array':
      yield* lists(schema, place);
      return;
    case 'object':
      yield* objects(schema, place);
      return;
    default:
      yield null;
  }
}

function* lists(schema: JsonObject, place: Place): Generator<JsonValue> {
  const first = isArray(schema['prefixItems']) ? schema['prefixItems'] : schema['items'];
  const places = isArray(first) ? first.filter(isJsonObject) : [];
  const rest = isArray(schema['items']) ? schema['additionalItems'] : schema['items'];
  const contains = isJsonObject(schema['contains']) ? schema['contains'] : undefined;
  const matches = contains === undefined ? 0 : count(schema['minContains'], 1);
  const least = Math.max(count(schema['minItems'], 0), matches);
  const item = contains ?? (isJsonObject(rest) ? rest : {});
  // beyond this nobody reads it, and the checker will say that it does not fit
  for (const length of new Set([least, places.length, least + 1])) {
    const leading = places.slice(0, length).map((each) => firstFit(each, below(place)));
    const following = distinct(item, Math.min(length, 1000) - leading.length, place);
    const list = [...leading, ...following];
    if (list.every((each) => each !== undefined)) yield list;
  }
}

/** Different ones as long as there are any: `uniqueItems` may ask for it. */
function distinct(item: JsonObject, length: number, place: Place): (JsonValue | undefined)[] {
  if (length <= 0) return [];
  const found = new Map<string, JsonValue>();
  for (const guess of take(guesses(item, below(place)), length + MAX_GUESSES)) {
    if (found.size >= length) break;
    if (fits(item, guess, place)) found.set(JSON.stringify(guess), guess);
  }
  const values = [...found.values()];
  return Array.from({ length }, (_, index) => values[index] ?? values[0]);
}

function* objects(schema: JsonObject, place: Place): Generator<JsonValue> {
  const { properties, required } = schema;
  const known = isJsonObject(properties) ? properties : {};
  const needed = isArray(required) ? required.filter((each) => typeof each === 'string') : [];
  const smallest = fill(new Set(needed), schema, place);
  const least = count(schema['minProperties'], 0);
  if (smallest !== undefined && Object.keys(smallest).length >= least) yield smallest;

  const all = new Set([...needed, ...Object.keys(known)]);
  for (let extra = 1; all.size < Math.min(least, 1000); extra++) all.add(`key_${extra}`);
  const whole = fill(all, schema, place);
  if (whole !== undefined) yield whole;
  // one optional field at a time, for rules between fields
  for (const name of Object.keys(known)) {
    const some = fill(new Set([...needed, name]), schema, place);
    if (some !== undefined) yield some;
  }
}

/** Undefined when a field has no value. */
function fill(
  names: ReadonlySet<string>,
  schema: JsonObject,
  place: Place,
): JsonObject | undefined {
  const entries = [...names].map((name) => {
    const field = fieldSchema(name, schema);
    return [name, field === undefined ? undefined : firstFit(field, below(place))] as const;
  });
  if (entries.some(([, value]) => value === undefined)) return undefined;
  return Object.fromEntries(entries) as JsonObject;
}

function fieldSchema(name: string, schema: JsonObject): JsonObject | undefined {
  const { properties, patternProperties, additionalProperties } = schema;
  if (isJsonObject(properties) && Object.hasOwn(properties, name)) {
    const field = properties[name];
    if (field === true) return {};
    return isJsonObject(field) ? field : undefined;
  }
  if (isJsonObject(patternProperties)) {
    const found = Object.entries(patternProperties).find(([pattern]) => isMatch(pattern, name));
    if (found !== undefined && isJsonObject(found[1])) return found[1];
  }
  return isJsonObject(additionalProperties) ? additionalProperties : {};
}

/** A pattern that cannot be used matches nothing; the checker says what is wrong with the schema. */
function isMatch(pattern: string, name: string): boolean {
  return checkValue({ pattern }, name).length === 0;
}

function count(value: JsonValue | undefined, otherwise: number): number {
  return typeof value === 'number' && value >= 0 ? Math.ceil(value) : otherwise;
}

function* take<T>(values: Iterable<T>, most: number): Generator<T> {
  let left = most;
  for (const value of values) {
    if (left-- <= 0) return;
    yield value;
  }
}
