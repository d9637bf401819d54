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
import { partsOf, type SchemaParts } from '../../workflow/json-schema/check-value.ts';
import { canonical } from '../../workflow/json-schema/keyword-context.ts';
import { createMeter, OutOfSteps, type Meter } from '../../workflow/json-schema/step-budget.ts';
import { numbers, texts } from './sample-scalars.ts';
import { isComposed, merged, variantsOf } from './sample-schema.ts';

/** Guesses for one subschema. */
const MAX_GUESSES = 60;
/** A recursive schema is followed only as deep as it needs. */
const DEPTHS = [4, 8, 16, 32] as const;
/** Items of a list and fields of an object; a schema that needs more gets no sample. */
const MAX_MEMBERS = 1000;

/**
 * Steps of a whole search, checks included: the choices, items and fields of a schema multiply, and it runs where
 * a server has its other work to do.
 */
const MAX_STEPS = 500_000;

/** Steps for the values that are made up for one schema. */
export function samplingMeter(): Meter {
  return createMeter(MAX_STEPS);
}

export interface Sampling {
  /** Which of the examples comes first. */
  readonly turn?: number;
  readonly meter?: Meter;
}

/** Undefined if no guess fits, or none is found within the steps. */
export function sample(
  schema: JsonObject,
  { turn = 0, meter = samplingMeter() }: Sampling = {},
): JsonValue | undefined {
  return withinSteps(() => {
    const parts = partsOf(schema, meter);
    if (parts === undefined) return undefined;
    for (const depth of DEPTHS) {
      const found = firstFit(schema, { parts, meter, depth, turn, found: new Map() });
      if (found !== undefined) return found;
    }
    return undefined;
  });
}

/** Undefined where the steps or the stack do not reach. */
export function withinSteps<T>(search: () => T): T | undefined {
  try {
    return search();
  } catch (thrown) {
    if (thrown instanceof OutOfSteps || thrown instanceof RangeError) return undefined;
    throw thrown;
  }
}

interface Search {
  readonly parts: SchemaParts;
  readonly meter: Meter;
  /** Levels left. */
  readonly depth: number;
  readonly turn: number;
  /** The value found for a subschema with these levels left. */
  readonly found: Map<number, Map<JsonObject, JsonValue | undefined>>;
}

/** The first guess that fits. */
function firstFit(schema: JsonObject, search: Search): JsonValue | undefined {
  const { depth, found } = search;
  const known = found.get(depth) ?? new Map<JsonObject, JsonValue | undefined>();
  found.set(depth, known);
  if (known.has(schema)) return known.get(schema);
  let value: JsonValue | undefined;
  for (value of fitting(schema, search, MAX_GUESSES)) break;
  known.set(schema, value);
  return value;
}

function* fitting(schema: JsonObject, search: Search, most: number): Generator<JsonValue> {
  for (const guess of take(guesses(schema, search), most)) {
    weigh(guess, search.meter);
    if (search.parts.fits(schema, guess)) yield guess;
  }
}

/** Characters that can be made, compared and written at the cost of a step. */
const CHARS_PER_STEP = 16;

/** Charges for the size of the guess: small lists of lists are large. */
function weigh(guess: JsonValue, meter: Meter): void {
  const waiting: JsonValue[] = [guess];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    meter.spend(typeof next === 'string' ? 1 + next.length / CHARS_PER_STEP : 1);
    if (typeof next !== 'object' || next === null) continue;
    for (const inner of Object.values(next)) waiting.push(inner);
  }
}

function* guesses(schema: JsonObject, search: Search): Generator<JsonValue> {
  const { depth, meter, parts, turn } = search;
  if (depth <= 0) return;
  meter.spend(1);
  const { $ref } = schema;
  if (typeof $ref === 'string') {
    const target = parts.target(schema, $ref);
    if (target === true) yield null;
    if (!isJsonObject(target)) return;
    const { $ref: _ref, ...beside } = schema;
    yield* guesses(merged(target, beside, meter), below(search));
    return;
  }
  if (isComposed(schema)) {
    for (const variant of variantsOf(schema, meter))
      yield* take(guesses(variant, below(search)), MAX_GUESSES / 4);
    return;
  }
  if (schema['const'] !== undefined) yield schema['const'];
  const { enum: choices, default: usual, examples } = schema;
  if (usual !== undefined) yield usual;
  if (isArray(examples)) yield* turned(examples, turn);
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
  const item = contains ?? (isJsonObject(others) ? others : ANYTHING);
  for (const length of new Set([least, positions.length, least + 1])) {
    if (length > MAX_MEMBERS) continue;
    const leading = firstFits(positions.slice(0, length), search);
    if (leading === undefined) continue;
    const following = distinct(item, length - leading.length, search);
    if (following !== undefined) yield [...leading, ...following];
  }
}

/** Undefined if one of them has no value. */
function firstFits(
  schemas: readonly (JsonObject | undefined)[],
  search: Search,
): readonly JsonValue[] | undefined {
  const values: JsonValue[] = [];
  for (const schema of schemas) {
    const value = schema === undefined ? undefined : firstFit(schema, below(search));
    if (value === undefined) return undefined;
    values.push(value);
  }
  return values;
}

/** Distinct items as far as there are any, for `uniqueItems`. */
function distinct(
  item: JsonObject,
  length: number,
  search: Search,
): readonly JsonValue[] | undefined {
  if (length <= 0) return [];
  const found = new Map<string, JsonValue>();
  for (const guess of fitting(item, below(search), length + MAX_GUESSES)) {
    found.set(canonical(guess, search.meter), guess);
    if (found.size >= length) break;
  }
  const [first, ...others] = found.values();
  if (first === undefined) return undefined;
  return Array.from({ length }, (_, index) => (index === 0 ? first : (others[index - 1] ?? first)));
}

function* objects(schema: JsonObject, search: Search): Generator<JsonValue> {
  const { properties, required } = schema;
  const known = isJsonObject(properties) ? properties : {};
  const needed = isArray(required) ? required.filter((each) => typeof each === 'string') : [];
  const smallest = fill(new Set(needed), schema, search);
  const least = count(schema['minProperties'], 0);
  if (smallest !== undefined && Object.keys(smallest).length >= least) yield smallest;

  const all = new Set([...needed, ...Object.keys(known)]);
  for (let extra = 1; all.size < Math.min(least, MAX_MEMBERS); extra++) all.add(`key_${extra}`);
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
  const fields = Array.from(names, (name) => fieldSchema(name, schema, search));
  const values = firstFits(fields, search);
  if (values === undefined) return undefined;
  return Object.fromEntries(Array.from(names, (name, index) => [name, values[index] ?? null]));
}

const ANYTHING: JsonObject = {};

function fieldSchema(
  name: string,
  schema: JsonObject,
  { parts, meter }: Search,
): JsonObject | undefined {
  meter.spend(1);
  const { properties, patternProperties, additionalProperties } = schema;
  if (isJsonObject(properties) && Object.hasOwn(properties, name)) {
    const field = properties[name];
    if (field === true) return ANYTHING;
    return isJsonObject(field) ? field : undefined;
  }
  if (isJsonObject(patternProperties)) {
    const found = Object.entries(patternProperties).find(([pattern]) =>
      parts.fits({ pattern }, name),
    );
    if (found !== undefined && isJsonObject(found[1])) return found[1];
  }
  return isJsonObject(additionalProperties) ? additionalProperties : ANYTHING;
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
