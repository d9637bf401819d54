/** `range(stop)` and `range(start, stop, step)`, as a list. */
import type { JsonValue } from '../../../errors/support/safe-json.ts';
import { boundList, fail, type Evaluation } from './evaluation.ts';
import { aType } from './values.ts';

export function rangeOf(run: Evaluation, args: readonly JsonValue[]): JsonValue {
  const numbers = args.map((arg) => wholeNumber(run, arg));
  const [first = 0, second, step = 1] = numbers;
  const [start, stop] = second === undefined ? [0, first] : [first, second];
  if (step === 0) fail(run, 'The step of `range` cannot be zero');
  const count = Math.max(0, Math.ceil((stop - start) / step));
  boundList(run, count);
  return Array.from({ length: count }, (_, index) => start + index * step);
}

function wholeNumber(run: Evaluation, value: JsonValue): number {
  if (typeof value === 'number' && Number.isInteger(value)) return value;
  return fail(run, `\`range\` needs whole numbers, not ${aType(value)}`);
}
