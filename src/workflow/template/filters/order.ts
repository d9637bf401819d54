/** Filters that compare items with each other. Text is compared without case, as Jinja does. */
import type { JsonValue } from '../../../errors/support/safe-json.ts';
import { readAttribute } from '../evaluate/attribute-access.ts';
import { entriesOf } from '../evaluate/methods.ts';
import { demand, type Value } from '../evaluate/missing.ts';
import { boundList, chargeText, fail, type Evaluation } from '../evaluate/evaluation.ts';
import { toJson } from '../evaluate/to-text.ts';
import { aType, compare, isObject, isTruthy } from '../evaluate/values.ts';
import { itemsInput, type Filter, type FilterCall } from './filter.ts';
import { orNothing } from './list.ts';

interface Keyed {
  readonly item: JsonValue;
  readonly key: JsonValue;
}

interface KeyOptions {
  readonly attribute: JsonValue | undefined;
  readonly caseSensitive: JsonValue | undefined;
}

export const ORDER_FILTERS: Readonly<Record<string, Filter>> = {
  sort: {
    parameters: ['reverse?', 'case_sensitive?', 'attribute?'],
    apply: (call) => {
      const [reverse, caseSensitive, attribute] = call.args;
      const keyed = keyedItems(call, { attribute, caseSensitive });
      return sorted(call.run, keyed, reverse).map(({ item }) => item);
    },
  },
  min: { parameters: ['case_sensitive?', 'attribute?'], apply: (call) => extreme(call, -1) },
  max: { parameters: ['case_sensitive?', 'attribute?'], apply: (call) => extreme(call, 1) },
  unique: { parameters: ['case_sensitive?', 'attribute?'], apply: unique },
  dictsort: { parameters: ['case_sensitive?', 'by?', 'reverse?'], apply: dictsort },
};

function keyedItems(call: FilterCall, options: KeyOptions): readonly Keyed[] {
  const { run } = call;
  const items = itemsInput(call);
  boundList(run, items.length);
  return items.map((item) => ({ item, key: keyOf(run, item, options) }));
}

function keyOf(
  run: Evaluation,
  item: JsonValue,
  { attribute, caseSensitive }: KeyOptions,
): JsonValue {
  const isWhole = attribute === undefined || attribute === null;
  const key = isWhole ? item : demand(run, readAttribute(run, item, attribute));
  if (typeof key !== 'string' || isTruthy(run, caseSensitive ?? false)) return key;
  chargeText(run, key.length);
  return key.toLowerCase();
}

function sorted(
  run: Evaluation,
  keyed: readonly Keyed[],
  reverse: JsonValue = false,
): readonly Keyed[] {
  const direction = isTruthy(run, reverse) ? -1 : 1;
  return keyed.toSorted((a, b) => direction * compare(run, a.key, b.key));
}

function extreme(call: FilterCall, direction: 1 | -1): Value {
  const [caseSensitive, attribute] = call.args;
  const [first, ...rest] = keyedItems(call, { attribute, caseSensitive });
  if (first === undefined) return orNothing(call, undefined);
  const isBetter = (a: Keyed, b: Keyed): boolean => direction * compare(call.run, a.key, b.key) > 0;
  return rest.reduce((best, next) => (isBetter(next, best) ? next : best), first).item;
}

/** Keeps the first of equal items, in their original order. */
function unique(call: FilterCall): JsonValue {
  const [caseSensitive, attribute] = call.args;
  const seen = new Set<string>();
  const kept: JsonValue[] = [];
  for (const { item, key } of keyedItems(call, { attribute, caseSensitive })) {
    const isSimple = typeof key !== 'object' || key === null;
    const identity = isSimple
      ? JSON.stringify(key)
      : toJson(call.run, key, { hasSortedKeys: true });
    if (!seen.has(identity)) kept.push(item);
    seen.add(identity);
  }
  return kept;
}

function dictsort({ run, name, input, args }: FilterCall): JsonValue {
  const [caseSensitive, by = 'key', reverse] = args;
  if (!isObject(input)) return fail(run, `\`${name}\` works on an object, not on ${aType(input)}`);
  if (by !== 'key' && by !== 'value') fail(run, '`by` must be key or value');
  const options = { attribute: by === 'key' ? 0 : 1, caseSensitive };
  const keyed = entriesOf(run, input).map((item) => ({ item, key: keyOf(run, item, options) }));
  return sorted(run, keyed, reverse).map(({ item }) => item);
}
