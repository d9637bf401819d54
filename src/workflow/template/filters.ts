/** Every filter by its name. */
import { EACH_FILTERS } from './filters/each.ts';
import type { Filter } from './filters/filter.ts';
import { LIST_FILTERS } from './filters/list.ts';
import { NUMBER_FILTERS } from './filters/number.ts';
import { ORDER_FILTERS } from './filters/order.ts';
import { TEXT_FILTERS } from './filters/text.ts';
import { VALUE_FILTERS } from './filters/value.ts';

export const FILTERS: ReadonlyMap<string, Filter> = new Map(
  Object.entries({
    ...VALUE_FILTERS,
    ...TEXT_FILTERS,
    ...NUMBER_FILTERS,
    ...LIST_FILTERS,
    ...ORDER_FILTERS,
    ...EACH_FILTERS,
  }),
);
