/** Keywords for arrays. */
import type { JsonValue } from '../../errors/support/safe-json.ts';
import {
  all,
  canonical,
  inside,
  isCollecting,
  schemasIn,
  withoutFindings,
  wrong,
  type KeywordContext,
} from './keyword-context.ts';

type Items = readonly JsonValue[];

export function checkArray(context: KeywordContext, items: Items): boolean {
  let isGood = true;
  for (const isFine of CHECKS) {
    if (!isGood && !isCollecting(context.check)) return false;
    if (!isFine(context, items)) isGood = false;
  }
  return isGood;
}

function checkCount(context: KeywordContext, items: Items): boolean {
  const { minItems, maxItems } = context.schema;
  if (typeof maxItems === 'number' && items.length > maxItems)
    return wrong(context, `must have at most ${maxItems} items`);
  if (typeof minItems === 'number' && items.length < minItems)
    return wrong(context, `must have at least ${minItems} items`);
  return true;
}

/** A list of schemas applies to the first items, one each; a single schema applies to all that follow. */
function checkItems(context: KeywordContext, items: Items): boolean {
  const { check, seen, schema } = context;
  const { prefixItems, items: each, additionalItems } = schema;
  const first = schemasIn(prefixItems ?? (Array.isArray(each) ? each : undefined));
  const rest = Array.isArray(each) ? additionalItems : each;
  const end = rest === undefined ? Math.min(first.length, items.length) : items.length;
  let isGood = true;
  for (let index = 0; index < end; index++) {
    seen?.add(index);
    const own = index < first.length ? first[index] : rest;
    if (check.fits(own, inside(context, index, items[index] ?? null), check)) continue;
    isGood = false;
    if (!isCollecting(check)) return false;
  }
  return isGood;
}

function checkContains(context: KeywordContext, items: Items): boolean {
  const { contains, minContains, maxContains } = context.schema;
  if (contains === undefined) return true;
  const quiet = withoutFindings(context.check);
  let count = 0;
  for (const [index, item] of items.entries()) {
    if (!context.check.fits(contains, inside(context, index, item), quiet)) continue;
    context.seen?.add(index);
    count++;
  }
  if (minContains === undefined && count === 0)
    return wrong(context, 'must have an item that matches `contains`');
  if (typeof minContains === 'number' && count < minContains)
    return wrong(context, `must have at least ${minContains} items that match \`contains\``);
  if (typeof maxContains === 'number' && count > maxContains)
    return wrong(context, `must have at most ${maxContains} items that match \`contains\``);
  return true;
}

function checkUnevaluated(context: KeywordContext, items: Items): boolean {
  const { unevaluatedItems: rest } = context.schema;
  if (rest === undefined) return true;
  const left = [...items.entries()].filter(([index]) => context.seen?.has(index) !== true);
  return all(context, left, ([index, item]) => {
    context.seen?.add(index);
    return context.check.fits(rest, inside(context, index, item), context.check);
  });
}

/** Compares canonical texts in a set, because comparing all pairs would take quadratic time. */
function checkUnique(context: KeywordContext, items: Items): boolean {
  if (context.schema['uniqueItems'] !== true) return true;
  const texts = new Set(items.map((item) => canonical(item, context.check.meter)));
  return texts.size === items.length || wrong(context, 'must not have the same item twice');
}

const CHECKS = [checkCount, checkItems, checkContains, checkUnevaluated, checkUnique] as const;
