/** Failures that a wrapper holds under another name than `cause`. */
import { causeChain } from './cause-chain.ts';
import { isArray, readProperty } from '../support/safe-json.ts';

/** How many members of a list of failures are inspected. */
const MAX_MEMBERS = 20;

/** Names under which libraries keep the error that they wrap. */
const WRAPPED_AS = [
  'inner',
  'innerError',
  'innerException',
  'nested',
  'jse_cause',
  'error',
  'reason',
] as const;

const NONE: readonly unknown[] = [];

/** Each is the failure that was wrapped, the most exact first. */
export function heldFailures(link: unknown): readonly unknown[] {
  // an error part of a stream: `{type: 'error', error}`
  if (readProperty(link, 'type') === 'error' && readProperty(link, 'status') === undefined)
    return objects([readProperty(link, 'error')]);
  // of `Promise.allSettled`
  if (readProperty(link, 'status') === 'rejected') return objects([readProperty(link, 'reason')]);
  // the first failure says more than that of the clean-up after it
  if (readProperty(link, 'name') === 'SuppressedError')
    return objects([readProperty(link, 'suppressed'), readProperty(link, 'error')]);
  const last = objects([readProperty(link, 'lastError'), readProperty(link, 'originalError')]);
  if (last.length > 0) return last;
  let held = NONE;
  for (const name of WRAPPED_AS) {
    const inner = readProperty(link, name);
    if (inner !== undefined && isError(inner)) held = [...held, inner];
  }
  return held;
}

/** The members of an AggregateError, of an error with a list of errors, or of a list that is a cause. */
export function aggregated(link: unknown): readonly unknown[] {
  if (isArray(link)) return firstOf(link).filter(isError);
  const members = firstOf(readProperty(link, 'errors'));
  return readProperty(link, 'name') === 'AggregateError' ? members : members.filter(isError);
}

/** Enough for any failures that somebody reads. */
const MAX_WITHIN = 64;
const MAX_LINKS = 1000;

/** Every failure that was thrown together with others or is wrapped, however they hold each other. */
export function failuresWithin(thrown: unknown): readonly unknown[] {
  const found = new Set<unknown>();
  const waiting = [thrown];
  for (let next = waiting.shift(); next !== undefined; next = waiting.shift())
    for (const link of causeChain(next, MAX_LINKS))
      for (const inner of [...heldFailures(link), ...aggregated(link)]) {
        if (found.size >= MAX_WITHIN) return [...found];
        if (found.has(inner)) continue;
        found.add(inner);
        waiting.push(inner);
      }
  return [...found];
}

function firstOf(list: unknown): readonly unknown[] {
  const count = isArray(list) ? Number(readProperty(list, 'length')) : 0;
  if (count === 0) return NONE;
  return Array.from({ length: Math.min(count, MAX_MEMBERS) }, (_, at) => readProperty(list, at));
}

function objects(values: readonly unknown[]): readonly unknown[] {
  return values.every((value) => value === undefined)
    ? NONE
    : values.filter((value) => typeof value === 'object' && value !== null);
}

/** By its shape, because errors of other realms and copies count too; the body of a response is none. */
function isError(value: unknown): boolean {
  return (
    typeof readProperty(value, 'message') === 'string' &&
    typeof readProperty(value, 'stack') === 'string'
  );
}
