/** Failures that a wrapper holds under a name of its own, and not as its cause. */
import { isArray, readProperty } from '../support/safe-json.ts';

/** Members of an AggregateError that are looked at. */
const MAX_MEMBERS = 20;

/** Each is the failure that was wrapped, the most exact first. */
export function heldFailures(link: unknown): readonly unknown[] {
  // an error part of a stream: `{type: 'error', error}`
  if (readProperty(link, 'type') === 'error' && readProperty(link, 'status') === undefined)
    return objects([readProperty(link, 'error')]);
  // of `Promise.allSettled`
  if (readProperty(link, 'status') === 'rejected') return objects([readProperty(link, 'reason')]);
  // what failed first says more than the clean-up that failed after it
  if (readProperty(link, 'name') === 'SuppressedError')
    return objects([readProperty(link, 'suppressed'), readProperty(link, 'error')]);
  return objects([readProperty(link, 'lastError'), readProperty(link, 'originalError')]);
}

/** The members of an AggregateError; none for anything else. */
export function aggregated(link: unknown): readonly unknown[] {
  if (readProperty(link, 'name') !== 'AggregateError') return [];
  const errors = readProperty(link, 'errors');
  const count = isArray(errors) ? Number(readProperty(errors, 'length')) : 0;
  return Array.from({ length: Math.min(count, MAX_MEMBERS) }, (_, at) => readProperty(errors, at));
}

function objects(values: readonly unknown[]): readonly unknown[] {
  return values.filter((value) => typeof value === 'object' && value !== null);
}
