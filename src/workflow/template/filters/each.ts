/** Filters that keep or change the items of a list one by one. */
import type { JsonValue } from '../../../errors/support/safe-json.ts';
import { readAttribute } from '../evaluate/attribute-access.ts';
import { demand, isMissing, type Value } from '../evaluate/missing.ts';
import { boundList, fail } from '../evaluate/evaluation.ts';
import { isTruthy } from '../evaluate/values.ts';
import { itemsInput, type Filter, type FilterCall } from './filter.ts';

export const EACH_FILTERS: Readonly<Record<string, Filter>> = {
  select: chooser({ keeps: true, byAttribute: false }),
  reject: chooser({ keeps: false, byAttribute: false }),
  selectattr: chooser({ keeps: true, byAttribute: true }),
  rejectattr: chooser({ keeps: false, byAttribute: true }),
  map: {
    parameters: ['attribute?', 'default?'],
    each: { kind: 'filter', after: 0 },
    apply: map,
  },
};

function chooser({ keeps, byAttribute }: { keeps: boolean; byAttribute: boolean }): Filter {
  return {
    parameters: byAttribute ? ['attribute'] : [],
    each: { kind: 'test', after: byAttribute ? 1 : 0 },
    apply: (call) => {
      const { run, args } = call;
      const items = itemsInput(call);
      boundList(run, items.length);
      return items.filter((item) => {
        const subject = byAttribute ? readAttribute(run, item, args[0] ?? null) : item;
        return passes(call, subject) === keeps;
      });
    },
  };
}

/** Selects by the named test; without one, by truth. */
function passes({ run, each }: FilterCall, subject: Value): boolean {
  const answer = each === undefined ? subject : each(subject);
  return isTruthy(run, demand(run, answer));
}

function map(call: FilterCall): JsonValue {
  const { run, each, args } = call;
  const [attribute, fallback] = args;
  const items = itemsInput(call);
  boundList(run, items.length);
  return items.map((item) => {
    if (each !== undefined) return demand(run, each(item));
    const value = readAttribute(run, item, attribute ?? fail(run, '`attribute` must not be null'));
    return isMissing(value) && fallback !== undefined ? fallback : demand(run, value);
  });
}
