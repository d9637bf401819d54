/** `value[start:stop:step]`. */
import type { JsonValue } from '../../../errors/support/safe-json.ts';
import { charge, fail, type Evaluation } from './evaluation.ts';
import { aType, charactersOf, hasPairs, isList } from './values.ts';

interface Indexes {
  readonly start: number | undefined;
  readonly stop: number | undefined;
  readonly stride: number;
}

/** As in Python: a negative index counts from the end, and indexes outside the range are ignored. */
export function slice(
  run: Evaluation,
  value: JsonValue,
  [start, stop, step]: readonly (JsonValue | undefined)[],
): JsonValue {
  if (typeof value !== 'string' && !isList(value))
    return fail(run, `Only text and lists can be sliced, not ${aType(value)}`);
  const stride = bound(run, step) ?? 1;
  if (stride === 0) fail(run, 'The step of a slice cannot be zero');
  const indexes = { start: bound(run, start), stop: bound(run, stop), stride };
  if (typeof value !== 'string') {
    const kept = sliceItems(value, indexes);
    charge(run, kept.length);
    return kept;
  }
  if (stride === 1 && !hasPairs(run, value)) return value.slice(indexes.start, indexes.stop);
  return sliceItems(charactersOf(run, value), indexes).join('');
}

function sliceItems<T>(items: readonly T[], { start, stop, stride }: Indexes): readonly T[] {
  if (stride === 1) return items.slice(start, stop);
  const [first, last] = stride > 0 ? [0, items.length] : [items.length - 1, -1];
  const from = clamp(start, items.length, stride, first);
  const to = clamp(stop, items.length, stride, last);
  const isOnStride = (_: T, index: number): boolean => index % Math.abs(stride) === 0;
  if (stride > 0) return items.slice(from, to).filter(isOnStride);
  return items
    .slice(to + 1, from + 1)
    .toReversed()
    .filter(isOnStride);
}

function clamp(
  index: number | undefined,
  length: number,
  stride: number,
  fallback: number,
): number {
  if (index === undefined) return fallback;
  const [least, most] = stride > 0 ? [0, length] : [-1, length - 1];
  return Math.min(most, Math.max(least, index < 0 ? index + length : index));
}

function bound(run: Evaluation, value: JsonValue | undefined): number | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value === 'number' && Number.isInteger(value)) return value;
  return fail(run, `A slice needs whole numbers, not ${aType(value)}`);
}
