/**
 * Evaluates a schema whose form has been checked. Each application of a schema to a value costs a step, and
 * so does each character that a pattern reads: a schema that refers to itself, or whose choices multiply,
 * ends at the bound.
 */
import { isJsonList, isJsonObject, type JsonValue } from '../../errors/support/safe-json.ts';
import { checkArray } from './arrays.ts';
import {
  isSame,
  isCollecting,
  quote,
  schemasIn,
  withoutFindings,
  wrong,
  type At,
  type Check,
  type KeywordContext,
  type Seen,
} from './keyword-context.ts';
import { checkObject } from './objects.ts';
import { checkNumber, checkText } from './scalars.ts';

export function fits(
  schema: JsonValue | undefined,
  at: At,
  check: Check,
  around: Seen | undefined,
): boolean {
  check.meter.spend(1);
  if (schema === false) return wrong({ ...at, check }, 'must not exist');
  if (!isJsonObject(schema)) return true;
  const asks = 'unevaluatedProperties' in schema || 'unevaluatedItems' in schema;
  // it considers keywords beside it, not those of enclosing schemas
  const seen: Seen | undefined = asks ? new Set() : around;
  const { value, path } = at;
  const context: KeywordContext = { value, path, schema, check, seen };
  let isGood = checkReferences(context);
  // before 2019, keywords beside a reference are ignored
  if ('$ref' in schema && (check.draft === '4' || check.draft === '7')) return isGood;
  for (const isFine of CHECKS) {
    if (!isGood && !isCollecting(check)) return false;
    if (!isFine(context)) isGood = false;
  }
  if (asks && isGood) addTo(around, seen);
  return isGood;
}

function isInPlace(schema: JsonValue | undefined, context: KeywordContext): boolean {
  return context.check.fits(schema, context, context.check, context.seen);
}

function addTo(around: Seen | undefined, names: Seen | undefined): void {
  if (around === undefined || names === undefined) return;
  for (const name of names) around.add(name);
}

function checkReferences(context: KeywordContext): boolean {
  const { schema, check } = context;
  let isGood = true;
  for (const reference of [schema['$ref'], schema['$dynamicRef']]) {
    if (typeof reference !== 'string') continue;
    if (!check.fits(check.target(schema, reference), context, check, context.seen)) isGood = false;
  }
  if (schema['$recursiveRef'] !== '#') return isGood;
  return check.fits(check.rootOf(schema), context, check, context.seen) && isGood;
}

function checkAllOf(context: KeywordContext): boolean {
  const { check, seen } = context;
  let isGood = true;
  for (const part of schemasIn(context.schema['allOf'])) {
    if (check.fits(part, context, check, seen)) continue;
    isGood = false;
    if (!isCollecting(check)) return false;
  }
  return isGood;
}

const ARTICLES: Readonly<Record<string, string>> = { array: 'an', integer: 'an', object: 'an' };

function checkType(context: KeywordContext): boolean {
  const { type } = context.schema;
  if (type === undefined) return true;
  const names = [type].flat().filter((name) => typeof name === 'string');
  if (names.some((name) => isOfType(name, context.value))) return true;
  const words = names.map((name) => (name === 'null' ? name : `${ARTICLES[name] ?? 'a'} ${name}`));
  return wrong(context, `must be ${words.join(' or ')}`);
}

function isOfType(name: string, value: JsonValue): boolean {
  switch (name) {
    case 'integer':
      return Number.isInteger(value);
    case 'null':
      return value === null;
    case 'array':
      return Array.isArray(value);
    case 'object':
      return isJsonObject(value);
    default:
      return typeof value === name;
  }
}

function checkConst(context: KeywordContext): boolean {
  const { const: only } = context.schema;
  if (only === undefined || isSame(context.value, only, context.check.meter)) return true;
  return wrong(context, () => `must be ${quote(JSON.stringify(only))}`);
}

function checkEnum(context: KeywordContext): boolean {
  const { enum: several } = context.schema;
  if (several === undefined) return true;
  const { value, check } = context;
  check.meter.spend(schemasIn(several).length);
  if (schemasIn(several).some((one) => isSame(value, one, check.meter))) return true;
  return wrong(context, () => `must be one of ${quote(JSON.stringify(several))}`);
}

function checkNot(context: KeywordContext): boolean {
  const { not } = context.schema;
  if (not === undefined || !context.check.fits(not, context, withoutFindings(context.check)))
    return true;
  return wrong(context, 'must not match what its schema excludes');
}

const NO_SHAPE = 'must match one of the shapes that its schema allows';

function checkAnyOf(context: KeywordContext): boolean {
  if (context.schema['anyOf'] === undefined) return true;
  return countFitting(context.schema['anyOf'], context) > 0 || wrong(context, NO_SHAPE);
}

function checkOneOf(context: KeywordContext): boolean {
  if (context.schema['oneOf'] === undefined) return true;
  const count = countFitting(context.schema['oneOf'], context);
  if (count === 1) return true;
  return wrong(
    context,
    count === 0 ? NO_SHAPE : `must match exactly one shape, but matches ${count}`,
  );
}

function countFitting(schemas: JsonValue, context: KeywordContext): number {
  const quiet = withoutFindings(context.check);
  let count = 0;
  for (const schema of schemasIn(schemas)) {
    const own: Seen | undefined = context.seen === undefined ? undefined : new Set();
    if (!context.check.fits(schema, context, quiet, own)) continue;
    count++;
    addTo(context.seen, own);
  }
  return count;
}

function checkCondition(context: KeywordContext): boolean {
  const { schema, seen, check } = context;
  if (schema['if'] === undefined) return true;
  const own: Seen | undefined = seen === undefined ? undefined : new Set();
  if (!check.fits(schema['if'], context, withoutFindings(check), own))
    return isInPlace(schema['else'], context);
  addTo(seen, own);
  return isInPlace(schema['then'], context);
}

function checkContents(context: KeywordContext): boolean {
  const { value } = context;
  if (typeof value === 'string') return checkText(context, value);
  if (typeof value === 'number') return checkNumber(context, value);
  if (isJsonList(value)) return checkArray(context, value);
  return isJsonObject(value) ? checkObject(context, value) : true;
}

const CHECKS: readonly ((context: KeywordContext) => boolean)[] = [
  checkType,
  checkConst,
  checkEnum,
  checkNot,
  checkAnyOf,
  checkAllOf,
  checkOneOf,
  checkCondition,
  checkContents,
];
