/**
 * A partial result: the part that was found, and the reasons why the other parts are missing. The two are
 * stored and shown separately; an error is never an item of the result.
 */
import { isArray, readProperty } from '../../errors/support/safe-json.ts';

/** A registered symbol, so that a partial result is recognised whichever copy of the package made it. */
const PARTIAL: unique symbol = Symbol.for('errand.partial') as never;

export interface PartialResult<T = unknown> {
  readonly [PARTIAL]: true;
  /** Has the shape that the tool declares. */
  readonly value: T;
  /** One entry for each failure: the thrown value, `failure(…)`, or a report. */
  readonly errors: readonly unknown[];
}

/**
 * Returns a part of the work from a function or a tool: the call succeeds with the value, and each of
 * the errors becomes a typed report under `errors` of the node. Without errors it is the value alone.
 * @example
 * ```ts
 * import { failure, partial, tool } from 'errand';
 *
 * export const pages = tool({
 *   description: 'Fetches all pages',
 *   run: () => partial({ found: [1, 2, 3] }, [failure('page.gone', 'Page 4 is gone')]),
 * });
 * console.log(partial([1], [new Error('boom')]).errors.length); // 1
 * ```
 */
export function partial<T>(value: T, errors: Iterable<unknown>): PartialResult<T> {
  return Object.freeze({ [PARTIAL]: true as const, value, errors: Object.freeze([...errors]) });
}

export function isPartial(value: unknown): value is PartialResult {
  return readProperty(value, PARTIAL) === true && isArray(readProperty(value, 'errors'));
}
