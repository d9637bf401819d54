/** The scripts of support-desk.yaml. A script fails with a kind of its own, a message and details. */
import { raiseError } from '../helpers/errand-error.mjs';

/** @type {Readonly<Record<string, number>>} */
const TOTALS = { 'A-1001': 40, 'A-1002': 25 };
const [task, order = ''] = process.argv.slice(2);

if (task === 'look-up') {
  const total = TOTALS[order];
  if (total === undefined) raiseError('order.missing', `There is no order ${order}`, { order });
  console.log(JSON.stringify({ id: order, total }));
}

if (task === 'pay') {
  // the bank is busy the first time
  if (process.env.ERRAND_ATTEMPT === '0') raiseError('payment.busy', 'The bank asks to wait');
  console.log(JSON.stringify({ receipt: `R-${process.env.ERRAND_IDEMPOTENCY_KEY?.slice(-6)}` }));
}
