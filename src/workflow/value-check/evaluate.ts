/**
 * Judges a value by a schema whose form has been checked. Each look of a schema at a value costs a
 * step, and so does each character that a pattern reads: a schema that refers to itself, or whose
 * choices multiply, ends at the bound and not at the end of time.
 */
import { isJsonObject, type JsonValue } from '../../errors/json.ts';
import { checkArray } from './arrays.ts';
import {
  isSame,
  isTelling,
  quote,
  schemasIn,
  silently,
  wrong,
  type At,
  type Check,
  type Look,
  type Seen,
} from './look.ts';
import { checkObject } from './objects.ts';
import { checkNumber, checkText } from './scalars.ts';

export function fits(
  schema: JsonValue | undefined,
  at: At,
  check: Check,
  around: Seen | undefined,
): boolean {
  check.meter.spend(1);
  if (schema === false) return wrong({ ...at, check }, 'must not be there');
  if (!isJsonObject(schema)) return true;
  const asks = 'unevaluatedProperties' in schema || 'unevaluatedItems' in schema;
  // it asks about what stands beside it, and not about what stands around it
  const seen: Seen | undefined = asks ? new Set() : around;
  const { value, place } = at;
  const look: Look = { value, place, schema, check, seen };
  let isGood = checkReferences(look);
  // before 2019, nothing beside a reference counts
  if ('$ref' in schema && (check.draft === '4' || check.draft === '7')) return isGood;
  for (const isFine of CHECKS) {
    if (!isGood && !isTelling(check)) return false;
    if (!isFine(look)) isGood = false;
  }
  if (asks && isGood) addTo(around, seen);
  return isGood;
}

function isInPlace(schema: JsonValue | undefined, look: Look): boolean {
  return look.check.fits(schema, look, look.check, look.seen);
}

function addTo(around: Seen | undefined, names: Seen | undefined): void {
  if (around === undefined || names === undefined) return;
  for (const name of names) around.add(name);
}

function checkReferences(look: Look): boolean {
  const { schema, check } = look;
  let isGood = true;
  for (const reference of [schema['$ref'], schema['$dynamicRef']]) {
    if (typeof reference !== 'string') continue;
    if (!check.fits(check.target(schema, reference), look, check, look.seen)) isGood = false;
  }
  if (schema['$recursiveRef'] !== '#') return isGood;
  return check.fits(check.rootOf(schema), look, check, look.seen) && isGood;
}

function checkAllOf(look: Look): boolean {
  const { check, seen } = look;
  let isGood = true;
  for (const part of schemasIn(look.schema['allOf'])) {
    if (check.fits(part, look, check, seen)) continue;
    isGood = false;
    if (!isTelling(check)) return false;
  }
  return isGood;
}

const ARTICLES: Readonly<Record<string, string>> = { array: 'an', integer: 'an', object: 'an' };

function checkType(look: Look): boolean {
  const { type } = look.schema;
  if (type === undefined) return true;
  const names = [type].flat().filter((name) => typeof name === 'string');
  if (names.some((name) => isOfType(name, look.value))) return true;
  const words = names.map((name) => (name === 'null' ? name : `${ARTICLES[name] ?? 'a'} ${name}`));
  return wrong(look, `must be ${words.join(' or ')}`);
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

function checkConst(look: Look): boolean {
  const { const: only } = look.schema;
  if (only === undefined || isSame(look.value, only, look.check.meter)) return true;
  return wrong(look, () => `must be ${quote(JSON.stringify(only))}`);
}

function checkEnum(look: Look): boolean {
  const { enum: several } = look.schema;
  if (several === undefined) return true;
  const { value, check } = look;
  check.meter.spend(schemasIn(several).length);
  if (schemasIn(several).some((one) => isSame(value, one, check.meter))) return true;
  return wrong(look, () => `must be one of ${quote(JSON.stringify(several))}`);
}

function checkNot(look: Look): boolean {
  const { not } = look.schema;
  if (not === undefined || !look.check.fits(not, look, silently(look.check))) return true;
  return wrong(look, 'must not fit what its schema excludes');
}

const NO_SHAPE = 'must fit one of the shapes that its schema allows';

function checkAnyOf(look: Look): boolean {
  if (look.schema['anyOf'] === undefined) return true;
  return countFitting(look.schema['anyOf'], look) > 0 || wrong(look, NO_SHAPE);
}

function checkOneOf(look: Look): boolean {
  if (look.schema['oneOf'] === undefined) return true;
  const count = countFitting(look.schema['oneOf'], look);
  if (count === 1) return true;
  return wrong(look, count === 0 ? NO_SHAPE : `must fit exactly one shape, and fits ${count}`);
}

function countFitting(schemas: JsonValue, look: Look): number {
  const quiet = silently(look.check);
  let count = 0;
  for (const schema of schemasIn(schemas)) {
    const own: Seen | undefined = look.seen === undefined ? undefined : new Set();
    if (!look.check.fits(schema, look, quiet, own)) continue;
    count++;
    addTo(look.seen, own);
  }
  return count;
}

function checkCondition(look: Look): boolean {
  const { schema, seen, check } = look;
  if (schema['if'] === undefined) return true;
  const own: Seen | undefined = seen === undefined ? undefined : new Set();
  if (!check.fits(schema['if'], look, silently(check), own)) return isInPlace(schema['else'], look);
  addTo(seen, own);
  return isInPlace(schema['then'], look);
}

function checkContents(look: Look): boolean {
  const { value } = look;
  if (typeof value === 'string') return checkText(look, value);
  if (typeof value === 'number') return checkNumber(look, value);
  if (Array.isArray(value)) return checkArray(look, value as readonly JsonValue[]);
  return isJsonObject(value) ? checkObject(look, value) : true;
}

const CHECKS: readonly ((look: Look) => boolean)[] = [
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
