/** Filters for lists as a whole. */
import type { JsonValue } from '../../../errors/support/safe-json.ts';
import { readAttribute } from '../evaluate/attribute-access.ts';
import { entriesOf } from '../evaluate/methods.ts';
import { demand, missing, type Value } from '../evaluate/missing.ts';
import { concat, finite } from '../evaluate/operators.ts';
import { boundList, charge, fail } from '../evaluate/evaluation.ts';
import { wantText } from '../evaluate/text-functions.ts';
import { aType, charactersOf, isObject } from '../evaluate/values.ts';
import { itemsInput, type Filter, type FilterCall } from './filter.ts';

export const LIST_FILTERS: Readonly<Record<string, Filter>> = {
  list: { parameters: [], apply: itemsInput },
  first: { parameters: [], apply: (call) => orNothing(call, itemsInput(call).at(0)) },
  last: { parameters: [], apply: (call) => orNothing(call, itemsInput(call).at(-1)) },
  join: {
    parameters: ['d?', 'attribute?'],
    apply: (call) => {
      const [separator = '', attribute] = call.args;
      return concat(call.run, pick(call, attribute), wantText(call.run, separator, 'separator'));
    },
  },
  sum: { parameters: ['attribute?', 'start?'], apply: sum },
  reverse: { parameters: [], apply: reverse },
  items: {
    parameters: [],
    apply: ({ run, name, input }) =>
      isObject(input)
        ? entriesOf(run, input)
        : fail(run, `\`${name}\` works on an object, not on ${aType(input)}`),
  },
};

/** An empty list has no first, last, least or greatest item; a following `default` may supply one. */
export function orNothing({ run, name }: FilterCall, item: JsonValue | undefined): Value {
  if (item !== undefined) return item;
  return missing(run.at, () => `\`${name}\` has nothing to choose from: the list is empty`);
}

/** The items, or that attribute of each. */
function pick(call: FilterCall, attribute: JsonValue | undefined): readonly JsonValue[] {
  const items = itemsInput(call);
  if (attribute === undefined || attribute === null) return items;
  boundList(call.run, items.length);
  return items.map((item) => demand(call.run, readAttribute(call.run, item, attribute)));
}

function sum(call: FilterCall): JsonValue {
  const { run, args } = call;
  const numbers = [args[1] ?? 0, ...pick(call, args[0])];
  charge(run, numbers.length);
  let total = 0;
  for (const number of numbers) {
    if (typeof number !== 'number') return fail(run, `\`sum\` cannot add ${aType(number)}`);
    total += number;
  }
  return finite(run, total);
}

function reverse(call: FilterCall): JsonValue {
  if (typeof call.input === 'string')
    return charactersOf(call.run, call.input).toReversed().join('');
  const items = itemsInput(call);
  charge(call.run, items.length);
  return items.toReversed();
}
