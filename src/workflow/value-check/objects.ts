/** The keywords for objects. */
import { isJsonObject, type JsonObject, type JsonValue } from '../../errors/json.ts';
import {
  all,
  inside,
  isTelling,
  matches,
  quote,
  schemasIn,
  silently,
  wrong,
  type Look,
} from './look.ts';

export function checkObject(look: Look, value: JsonObject): boolean {
  let isGood = true;
  for (const isFine of CHECKS) {
    if (!isGood && !isTelling(look.check)) return false;
    if (!isFine(look, value)) isGood = false;
  }
  return isGood;
}

function checkRequired(look: Look, value: JsonObject): boolean {
  return hasAll(look, value, look.schema['required']);
}

function checkCount(look: Look, value: JsonObject): boolean {
  const { minProperties, maxProperties } = look.schema;
  const count = Object.keys(value).length;
  if (typeof minProperties === 'number' && count < minProperties)
    return wrong(look, `must have at least ${minProperties} properties`);
  if (typeof maxProperties === 'number' && count > maxProperties)
    return wrong(look, `must have at most ${maxProperties} properties`);
  return true;
}

function hasAll(look: Look, value: JsonObject, wanted: JsonValue | undefined): boolean {
  const names = schemasIn(wanted).filter((name) => typeof name === 'string');
  look.check.meter.spend(names.length);
  return all(
    look,
    names,
    (name) =>
      Object.hasOwn(value, name) || wrong(look, () => `must have the property "${quote(name)}"`),
  );
}

function checkNames(look: Look, value: JsonObject): boolean {
  const { propertyNames: schema } = look.schema;
  if (schema === undefined) return true;
  const quiet = silently(look.check);
  return all(look, Object.keys(value), (name) => {
    if (look.check.fits(schema, inside(look, name, name), quiet)) return true;
    return wrong(look, 'must not have a property of that name');
  });
}

/** `dependencies` is the older name for both of the others. */
function checkDependencies(look: Look, value: JsonObject): boolean {
  const { dependentRequired, dependentSchemas, dependencies } = look.schema;
  if (
    dependentRequired === undefined &&
    dependentSchemas === undefined &&
    dependencies === undefined
  )
    return true;
  const rules = [dependentRequired, dependentSchemas, dependencies].flatMap((rule) =>
    Object.entries(isJsonObject(rule) ? rule : {}).filter(([name]) => Object.hasOwn(value, name)),
  );
  return all(look, rules, ([, rule]) =>
    Array.isArray(rule)
      ? hasAll(look, value, rule)
      : look.check.fits(rule, look, look.check, look.seen),
  );
}

function checkProperties(look: Look, value: JsonObject): boolean {
  const { check, seen } = look;
  let isGood = true;
  for (const [name, schema] of propertySchemas(look, value)) {
    if (check.fits(schema, inside(look, name, value[name] ?? null), check)) {
      seen?.add(name);
      continue;
    }
    isGood = false;
    if (!isTelling(check)) return false;
  }
  return isGood;
}

/** Which schemas judge which properties; the rest is for those that no other one is for. */
function* propertySchemas(look: Look, value: JsonObject): Generator<readonly [string, JsonValue]> {
  const { schema, check } = look;
  const { properties, patternProperties, additionalProperties: rest } = schema;
  const known = new Set<string>();
  const declared = Object.keys(isJsonObject(properties) ? properties : {});
  const patterns = Object.entries(isJsonObject(patternProperties) ? patternProperties : {});
  const names = Object.keys(value);
  check.meter.spend(declared.length + names.length);
  for (const name of declared) {
    const own = isJsonObject(properties) ? properties[name] : undefined;
    if (own === undefined || !Object.hasOwn(value, name)) continue;
    known.add(name);
    yield [name, own];
  }
  for (const [pattern, own] of patterns) {
    for (const name of names) {
      if (!matches(pattern, name, check)) continue;
      known.add(name);
      yield [name, own];
    }
  }
  if (rest === undefined) return;
  for (const name of names) if (!known.has(name)) yield [name, rest];
}

function checkUnevaluated(look: Look, value: JsonObject): boolean {
  const { unevaluatedProperties: rest } = look.schema;
  if (rest === undefined) return true;
  const left = Object.entries(value).filter(([name]) => look.seen?.has(name) !== true);
  return all(look, left, ([name, item]) => {
    look.seen?.add(name);
    return look.check.fits(rest, inside(look, name, item), look.check);
  });
}

const CHECKS = [
  checkRequired,
  checkCount,
  checkNames,
  checkDependencies,
  checkProperties,
  checkUnevaluated,
] as const;
