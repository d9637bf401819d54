/**
 * Makes a small value that fits a JSON Schema: a default or an example, the first choice of an enum, only
 * required fields, the lowest number. The same schema always gives the same value. It makes cheap guesses
 * and lets the exact checker choose.
 */
import {
  isArray,
  isJsonObject,
  type JsonObject,
  type JsonValue,
} from '../../errors/support/safe-json.ts';
import { checkValue } from '../../workflow/json-schema/check-value.ts';
import { numbers, texts } from './sample-scalars.ts';
import { merged, resolveReference, variantsOf } from './sample-schema.ts';

/** Guesses for one subschema. */
const MAX_GUESSES = 60;
/** A recursive schema is followed only as deep as it needs. */
const DEPTHS = [4, 8, 16, 32] as const;

/** Undefined if no guess fits. `turn`: which of the examples comes first. */
export function sample(schema: JsonObject, turn = 0): JsonValue | undefined {
  for (const depth of DEPTHS) {
    const search: Search = { root: schema, depth, turn, checked: new Map() };
    const found = firstFit(schema, search);
    if (found !== undefined) return found;
  }
  return undefined;
}

interface Search {
  readonly root: JsonObject;
  /** Levels left. */
  readonly depth: number;
  readonly turn: number;
  /** Subschemas with the definitions that they refer to, made once each. */
  readonly checked: Map<JsonObject, JsonObject>;
}

/** The first guess that fits. */
function firstFit(schema: JsonObject, search: Search): JsonValue | undefined {
  for (const guess of take(guesses(schema, search), MAX_GUESSES)) {
    if (fits(schema, guess, search)) return guess;
  }
  return undefined;
}

function fits(schema: JsonObject, value: JsonValue, { root, checked }: Search): boolean {
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
  // a part that refers to the root cannot be checked alone; the root is checked in the end
  return finding === undefined || (finding.of === 'schema' && schema !== root);
}

function* guesses(schema: JsonObject, search: Search): Generator<JsonValue> {
  if (search.depth <= 0) return;
  const { $ref } = schema;
  if (typeof $ref === 'string') {
    const target = resolveReference($ref, search.root);
    if (target === undefined) return;
    const { $ref: _ref, ...beside } = schema;
    yield* guesses(merged(target, beside), below(search));
    return;
  }
  const variants = variantsOf(schema);
  if (variants !== undefined) {
    for (const variant of variants) yield* take(guesses(variant, below(search)), MAX_GUESSES / 4);
    return;
  }
  if (schema['const'] !== undefined) yield schema['const'];
  const { enum: choices, default: usual, examples } = schema;
  if (usual !== undefined) yield usual;
  if (isArray(examples)) yield* turned(examples, search.turn);
  if (isArray(choices)) yield* choices;
  else for (const type of typesOf(schema)) yield* guessesOf(type, schema, search);
}

function below(search: Search): Search {
  return { ...search, depth: search.depth - 1 };
}

/** Without a `type`, the keywords of the schema imply it. */
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

function* guessesOf(type: string, schema: JsonObject, search: Search): Generator<JsonValue> {
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
      yield* lists(schema, search);
      return;
    case 'object':
      yield* objects(schema, search);
      return;
    default:
      yield null;
  }
}

function* lists(schema: JsonObject, search: Search): Generator<JsonValue> {
  const first = isArray(schema['prefixItems']) ? schema['prefixItems'] : schema['items'];
  const positions = isArray(first) ? first.filter(isJsonObject) : [];
  const others = isArray(schema['items']) ? schema['additionalItems'] : schema['items'];
  const contains = isJsonObject(schema['contains']) ? schema['contains'] : undefined;
  const matches = contains === undefined ? 0 : count(schema['minContains'], 1);
  const least = Math.max(count(schema['minItems'], 0), matches);
  const item = contains ?? (isJsonObject(others) ? others : {});
  // a list longer than 1000 is cut, so a schema that needs one gets no sample
  for (const length of new Set([least, positions.length, least + 1])) {
    const leading = positions.slice(0, length).map((each) => firstFit(each, below(search)));
    const following = distinct(item, Math.min(length, 1000) - leading.length, search);
    const list = [...leading, ...following];
    if (list.every((each) => each !== undefined)) yield list;
  }
}

/** Distinct items as far as there are any, for `uniqueItems`. */
function distinct(item: JsonObject, length: number, search: Search): (JsonValue | undefined)[] {
  if (length <= 0) return [];
  const found = new Map<string, JsonValue>();
  for (const guess of take(guesses(item, below(search)), length + MAX_GUESSES)) {
    if (found.size >= length) break;
    if (fits(item, guess, search)) found.set(JSON.stringify(guess), guess);
  }
  const values = [...found.values()];
  return Array.from({ length }, (_, index) => values[index] ?? values[0]);
}

function* objects(schema: JsonObject, search: Search): Generator<JsonValue> {
  const { properties, required } = schema;
  const known = isJsonObject(properties) ? properties : {};
  const needed = isArray(required) ? required.filter((each) => typeof each === 'string') : [];
  const smallest = fill(new Set(needed), schema, search);
  const least = count(schema['minProperties'], 0);
  if (smallest !== undefined && Object.keys(smallest).length >= least) yield smallest;

  const all = new Set([...needed, ...Object.keys(known)]);
  for (let extra = 1; all.size < Math.min(least, 1000); extra++) all.add(`key_${extra}`);
  const whole = fill(all, schema, search);
  if (whole !== undefined) yield whole;
  // one optional field at a time, for rules between fields
  for (const name of Object.keys(known)) {
    const some = fill(new Set([...needed, name]), schema, search);
    if (some !== undefined) yield some;
  }
}

/** Undefined if a field has no value. */
function fill(
  names: ReadonlySet<string>,
  schema: JsonObject,
  search: Search,
): JsonObject | undefined {
  const entries = [...names].map((name) => {
    const field = fieldSchema(name, schema);
    return [name, field === undefined ? undefined : firstFit(field, below(search))] as const;
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

/** An invalid pattern matches nothing; the checker reports it. */
function isMatch(pattern: string, name: string): boolean {
  return checkValue({ pattern }, name).length === 0;
}

function count(value: JsonValue | undefined, otherwise: number): number {
  return typeof value === 'number' && value >= 0 ? Math.ceil(value) : otherwise;
}

function turned(values: readonly JsonValue[], turn: number): readonly JsonValue[] {
  const first = turn % Math.max(1, values.length);
  return [...values.slice(first), ...values.slice(0, first)];
}

function* take<T>(values: Iterable<T>, most: number): Generator<T> {
  let left = most;
  for (const value of values) {
    if (left-- <= 0) return;
    yield value;
  }
}
