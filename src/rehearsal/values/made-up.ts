/**
 * Values that are made up from a JSON Schema: of an enum the first, `true`, the minimum or else 1, the text
 * `rehearsed`, lists of two different items. The same schema always gives the same value.
 */
import {
  isArray,
  isJsonObject,
  type JsonObject,
  type JsonValue,
} from '../../errors/support/safe-json.ts';
import { sample, samplingMeter, withinSteps } from '../../effects/simulator/sample.ts';
import { checkValue, partsOf } from '../../workflow/json-schema/check-value.ts';
import type { Meter } from '../../workflow/json-schema/step-budget.ts';

/** Items of a list that declares no length. */
const ITEMS = 2;
const MAX_DEPTH = 8;

export interface MakeUp {
  /** The length of the lists in it, by pointer (`/orders`). Default: two. */
  readonly lengths?: ReadonlyMap<string, number>;
}

export function madeUp(schema: JsonObject, { lengths }: MakeUp = {}): JsonValue {
  const meter = samplingMeter();
  const making: Making = { number: 0, pointer: '', depth: 0, lengths, meter };
  const value = withinSteps(() => make(schema, making));
  if (value !== undefined && fits(schema, value)) return value;
  // a made-up value may not fit: the rehearsal then shows what the run reports about it
  return sample(schema) ?? value ?? byType(schema, { ...making, depth: MAX_DEPTH + 1 });
}

export function fits(schema: JsonObject, value: JsonValue): boolean {
  return checkValue(schema, value).length === 0;
}

interface Making {
  /** Which of several different values: 0 is the first. */
  readonly number: number;
  readonly pointer: string;
  readonly depth: number;
  readonly lengths: MakeUp['lengths'];
  /** Steps for the whole value: lists in lists multiply. */
  readonly meter: Meter;
}

function make(schema: JsonObject, making: Making): JsonValue {
  const { number, meter } = making;
  meter.spend(1);
  const choices = valuesOf(schema);
  if (choices !== undefined) return choices[number % choices.length] ?? null;
  const value = byType(schema, making);
  if (typeof value === 'object' || partsOf(schema, meter)?.fits(schema, value) === true)
    return value;
  return sample(schema, { meter }) ?? value;
}

function byType(schema: JsonObject, making: Making): JsonValue {
  const { number, depth, meter } = making;
  const [type] = isArray(schema['type']) ? schema['type'] : [schema['type']];
  switch (type) {
    case 'object':
      return depth > MAX_DEPTH ? {} : anObject(schema, making);
    case 'array':
      return depth > MAX_DEPTH ? [] : aList(schema, making);
    case 'number':
    case 'integer':
      return lowest(schema) + number;
    case 'boolean':
      return number % 2 === 0;
    case 'null':
      return null;
    case 'string':
      return number === 0 ? 'rehearsed' : `rehearsed ${number + 1}`;
    default:
      if (depth > MAX_DEPTH) return 'rehearsed';
      if (isJsonObject(schema['properties'])) return anObject(schema, making);
      if (isJsonObject(schema['items'])) return aList(schema, making);
      return sample(schema, { meter }) ?? 'rehearsed';
  }
}

function anObject(schema: JsonObject, making: Making): JsonObject {
  const { properties } = schema;
  if (!isJsonObject(properties)) return {};
  return Object.fromEntries(
    Object.entries(properties).map(([name, field]) => [
      name,
      isJsonObject(field)
        ? make(field, {
            ...making,
            pointer: `${making.pointer}/${name}`,
            depth: making.depth + 1,
          })
        : null,
    ]),
  );
}

function aList(schema: JsonObject, making: Making): JsonValue {
  const wanted = making.lengths?.get(making.pointer) ?? ITEMS;
  const least = numberAt(schema, 'minItems') ?? 0;
  const most = numberAt(schema, 'maxItems') ?? Infinity;
  const length = Math.min(Math.max(wanted, least), most);
  const items = isJsonObject(schema['items']) ? schema['items'] : { type: 'string' };
  making.meter.spend(length);
  return Array.from({ length }, (_, number) =>
    make(items, { ...making, number, pointer: `${making.pointer}/*`, depth: making.depth + 1 }),
  );
}

function lowest(schema: JsonObject): number {
  const minimum = numberAt(schema, 'minimum');
  if (minimum !== undefined) return minimum;
  const maximum = numberAt(schema, 'maximum');
  return maximum === undefined ? 1 : Math.min(1, maximum);
}

function valuesOf(schema: JsonObject): readonly JsonValue[] | undefined {
  if (schema['const'] !== undefined) return [schema['const']];
  const choices = schema['enum'];
  // true: the schema is JSON
  return isArray(choices) && choices.length > 0 ? choices : undefined;
}

function numberAt(schema: JsonObject, key: string): number | undefined {
  const value = schema[key];
  return typeof value === 'number' ? value : undefined;
}

/** The other values that steering may give to a field: each of its enum, both truths, both bounds. */
export function otherValues(schema: JsonObject | undefined): readonly JsonValue[] {
  if (schema === undefined) return [];
  const choices = valuesOf(schema);
  if (choices !== undefined) return choices;
  const [type] = isArray(schema['type']) ? schema['type'] : [schema['type']];
  if (type === 'boolean') return [true, false];
  return ['minimum', 'maximum'].flatMap((key) => numberAt(schema, key) ?? []);
}

/** The schema of a part of a value; undefined where nothing is declared. */
export function schemaAt(
  schema: JsonObject | undefined,
  pointer: readonly (string | number)[],
): JsonObject | undefined {
  let at: JsonValue | undefined = schema;
  for (const key of pointer) {
    if (!isJsonObject(at)) return undefined;
    const fields: JsonValue | undefined = at['properties'];
    const inside: JsonValue | undefined = isJsonObject(fields) ? fields[String(key)] : undefined;
    at = typeof key === 'number' ? at['items'] : inside;
  }
  return isJsonObject(at) ? at : undefined;
}
