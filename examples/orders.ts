/**
 * The functions that `orders.yaml` can call. `errand` is the Errand that runs the workflow, installed
 * or not; zod is a dependency of this module.
 */
import { raise, tool } from 'errand';
import { z } from 'zod';

const ORDERS = new Map([
  ['A-1001', { total: 42, daysAgo: 3 }],
  ['A-1002', { total: 120, daysAgo: 40 }],
]);

/** Declares its schemas: input or output that does not fit is a typed failure. */
export const find_order = tool({
  description: 'Finds an order by its number.',
  input: z.object({ id: z.string().regex(/^A-\d+$/) }),
  output: z.object({ total: z.number(), daysAgo: z.int() }),
  raises: ['order.missing'],
  idempotent: true,
  retry: { max: 2, initialSeconds: 0.5 },
  timeoutMs: 5000,
  run: ({ id }) => {
    const order = ORDERS.get(id);
    if (order === undefined) raise('order.missing', `There is no order ${id}`, { id });
    return order;
  },
});

/** Declares nothing: it is a function, and its errors are `call.failed`. */
export function refundFor({ total, daysAgo }: { total: number; daysAgo: number }): object {
  return { amount: daysAgo <= 30 ? total : total / 2 };
}
