/** Keywords for objects. */
import { isJsonObject, type JsonObject, type JsonValue } from '../../errors/support/safe-json.ts';
import {
  all,
  inside,
  isCollecting,
  matches,
  quote,
  schemasIn,
  withoutFindings,
  wrong,
  type KeywordContext,
} from './keyword-context.ts';

export function checkObject(context: KeywordContext, value: JsonObject): boolean {
  let isGood = true;
  for (const isFine of CHECKS) {
    if (!isGood && !isCollecting(context.check)) return false;
    if (!isFine(context, value)) isGood = false;
  }
  return isGood;
}

function checkRequired(context: KeywordContext, value: JsonObject): boolean {
  return hasAll(context, value, context.schema['required']);
}

function checkCount(context: KeywordContext, value: JsonObject): boolean {
  const { minProperties, maxProperties } = context.schema;
  const count = Object.keys(value).length;
  if (typeof minProperties === 'number' && count < minProperties)
    return wrong(context, `must have at least ${minProperties} properties`);
  if (typeof maxProperties === 'number' && count > maxProperties)
    return wrong(context, `must have at most ${maxProperties} properties`);
  return true;
}

function hasAll(
  context: KeywordContext,
  value: JsonObject,
  wanted: JsonValue | undefined,
): boolean {
  const names = schemasIn(wanted).filter((name) => typeof name === 'string');
  context.check.meter.spend(names.length);
  return all(
    context,
    names,
    (name) =>
      Object.hasOwn(value, name) || wrong(context, () => `must have the property "${quote(name)}"`),
  );
}

function checkNames(context: KeywordContext, value: JsonObject): boolean {
  const { propertyNames: schema } = context.schema;
  if (schema === undefined) return true;
  const quiet = withoutFindings(context.check);
  return all(context, Object.keys(value), (name) => {
    if (context.check.fits(schema, inside(context, name, name), quiet)) return true;
    return wrong(context, 'must not have a property of that name');
  });
}

/** `dependencies` is the older name of `dependentRequired` and `dependentSchemas`. */
function checkDependencies(context: KeywordContext, value: JsonObject): boolean {
  const { dependentRequired, dependentSchemas, dependencies } = context.schema;
  if (
    dependentRequired === undefined &&
    dependentSchemas === undefined &&
    dependencies === undefined
  )
    return true;
  const rules = [dependentRequired, dependentSchemas, dependencies].flatMap((rule) =>
    Object.entries(isJsonObject(rule) ? rule : {}).filter(([name]) => Object.hasOwn(value, name)),
  );
  return all(context, rules, ([, rule]) =>
    Array.isArray(rule)
      ? hasAll(context, value, rule)
      : context.check.fits(rule, context, context.check, context.seen),
  );
}

function checkProperties(context: KeywordContext, value: JsonObject): boolean {
  const { check, seen } = context;
  let isGood = true;
  for (const [name, schema] of propertySchemas(context, value)) {
    if (check.fits(schema, inside(context, name, value[name] ?? null), check)) {
      seen?.add(name);
      continue;
    }
    isGood = false;
    if (!isCollecting(check)) return false;
  }
  return isGood;
}

/** Assigns schemas to properties; `additionalProperties` applies where no other one does. */
function* propertySchemas(
  context: KeywordContext,
  value: JsonObject,
): Generator<readonly [string, JsonValue]> {
  const { schema, check } = context;
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

function checkUnevaluated(context: KeywordContext, value: JsonObject): boolean {
  const { unevaluatedProperties: rest } = context.schema;
  if (rest === undefined) return true;
  const left = Object.entries(value).filter(([name]) => context.seen?.has(name) !== true);
  return all(context, left, ([name, item]) => {
    context.seen?.add(name);
    return context.check.fits(rest, inside(context, name, item), context.check);
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
