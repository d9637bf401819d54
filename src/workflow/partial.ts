/**
 * A result that is only a part of what was asked for: what there is, and beside it why the rest is
 * not there. The two are stored and shown apart; an error is never an item of the result.
 */
import { isArray, readProperty } from '../errors/json.ts';

/** Registered, so that it is known whichever copy of the package made it. */
const PARTIAL: unique symbol = Symbol.for('errand.partial') as never;

export interface PartialResult<T = unknown> {
  readonly [PARTIAL]: true;
  /** Of the shape that the tool declares. */
  readonly value: T;
  /** One for each thing that failed: what was thrown, `raise(…)`, or a report. */
  readonly errors: readonly unknown[];
}

/**
 * `return partial(found, failures)` in a function or a tool. The call succeeds with `found`; each of
 * `failures` becomes a typed report under `errors` of the node. Without failures it is `found` alone.
 */
export function partial<T>(value: T, errors: Iterable<unknown>): PartialResult<T> {
  return Object.freeze({ [PARTIAL]: true as const, value, errors: Object.freeze([...errors]) });
}

export function isPartial(value: unknown): value is PartialResult {
  return readProperty(value, PARTIAL) === true && isArray(readProperty(value, 'errors'));
}
