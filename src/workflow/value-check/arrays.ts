/** The keywords for lists. */
import type { JsonValue } from '../../errors/json.ts';
import {
  all,
  canonical,
  inside,
  isTelling,
  schemasIn,
  silently,
  wrong,
  type Look,
} from './look.ts';

type Items = readonly JsonValue[];

export function checkArray(look: Look, items: Items): boolean {
  let isGood = true;
  for (const isFine of CHECKS) {
    if (!isGood && !isTelling(look.check)) return false;
    if (!isFine(look, items)) isGood = false;
  }
  return isGood;
}

function checkCount(look: Look, items: Items): boolean {
  const { minItems, maxItems } = look.schema;
  if (typeof maxItems === 'number' && items.length > maxItems)
    return wrong(look, `must have at most ${maxItems} items`);
  if (typeof minItems === 'number' && items.length < minItems)
    return wrong(look, `must have at least ${minItems} items`);
  return true;
}

/** Lists of schemas are for the first items, one each; a schema is for all that follow. */
function checkItems(look: Look, items: Items): boolean {
  const { check, seen, schema } = look;
  const { prefixItems, items: each, additionalItems } = schema;
  const first = schemasIn(prefixItems ?? (Array.isArray(each) ? each : undefined));
  const rest = Array.isArray(each) ? additionalItems : each;
  const end = rest === undefined ? Math.min(first.length, items.length) : items.length;
  let isGood = true;
  for (let index = 0; index < end; index++) {
    seen?.add(index);
    const own = index < first.length ? first[index] : rest;
    if (check.fits(own, inside(look, index, items[index] ?? null), check)) continue;
    isGood = false;
    if (!isTelling(check)) return false;
  }
  return isGood;
}

function checkContains(look: Look, items: Items): boolean {
  const { contains, minContains, maxContains } = look.schema;
  if (contains === undefined) return true;
  const quiet = silently(look.check);
  let count = 0;
  for (const [index, item] of items.entries()) {
    if (!look.check.fits(contains, inside(look, index, item), quiet)) continue;
    look.seen?.add(index);
    count++;
  }
  if (minContains === undefined && count === 0)
    return wrong(look, 'must have an item that its schema asks for');
  if (typeof minContains === 'number' && count < minContains)
    return wrong(look, `must have at least ${minContains} items that its schema asks for`);
  if (typeof maxContains === 'number' && count > maxContains)
    return wrong(look, `must have at most ${maxContains} items that its schema asks for`);
  return true;
}

function checkUnevaluated(look: Look, items: Items): boolean {
  const { unevaluatedItems: rest } = look.schema;
  if (rest === undefined) return true;
  const left = [...items.entries()].filter(([index]) => look.seen?.has(index) !== true);
  return all(look, left, ([index, item]) => {
    look.seen?.add(index);
    return look.check.fits(rest, inside(look, index, item), look.check);
  });
}

/** By what they are as text, each once: comparing each with each takes the square of their number. */
function checkUnique(look: Look, items: Items): boolean {
  if (look.schema['uniqueItems'] !== true) return true;
  const texts = new Set(items.map((item) => canonical(item, look.check.meter)));
  return texts.size === items.length || wrong(look, 'must not have the same item twice');
}

const CHECKS = [checkCount, checkItems, checkContains, checkUnevaluated, checkUnique] as const;
