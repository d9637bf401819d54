/**
 * Errand's error helper for Node: raise a failure with a kind of your own.
 *
 *     import { ErrandError, install } from './errand-error.mjs';
 *     install();
 *     throw new ErrandError('external.order.missing', `No order ${id}`, { id });
 *
 * `install` makes an ErrandError that nobody catches, or that is the cause or in the AggregateError of what
 * nobody catches, the failure of the script, after every `finally`. `raiseError` writes the failure and exits
 * with 1 at once; `writeError` writes it and returns.
 */
import { renameSync, writeFileSync } from 'node:fs';

export class ErrandError extends Error {
  /**
   * @param {string} kind dotted lowercase words of your own
   * @param {string} [message] for a person
   * @param {unknown} [details] anything that is JSON
   */
  constructor(kind, message = '', details) {
    if (!kind) throw new TypeError('a kind is needed');
    super(message || kind);
    this.name = 'ErrandError';
    this.kind = kind;
    this.details = details;
  }
}

/** @returns {void} */
export function install() {
  process.on('uncaughtExceptionMonitor', (error) => {
    const raised = raisedIn(error);
    if (raised) writeError(raised.kind, raised.message, raised.details);
  });
}

/**
 * @param {unknown} thrown
 * @returns {ErrandError | undefined}
 */
function raisedIn(thrown) {
  // a set is walked in the order of insertion, and visits what is added on the way
  const around = new Set([thrown]);
  for (const error of around) {
    if (error instanceof ErrandError) return error;
    if (error instanceof AggregateError) for (const each of error.errors) around.add(each);
    if (error instanceof Error) around.add(error.cause);
  }
  return undefined;
}

/**
 * @param {string} kind dotted lowercase words of your own
 * @param {string} [message] for a person
 * @param {unknown} [details] anything that is JSON
 * @returns {void}
 */
export function writeError(kind, message = '', details) {
  if (!kind) throw new TypeError('a kind is needed');
  const text = toJson({ kind, message: message || kind, details });
  const path = process.env.ERRAND_ERROR_OUT || process.env.CONDUCTOR_ERROR_OUT;
  if (!path) {
    // not run by Errand: say it where a person sees it
    process.stderr.write(`${text}\n`);
    return;
  }
  // whole or not at all: the script may be stopped at any moment
  writeFileSync(`${path}.part`, text);
  renameSync(`${path}.part`, path);
}

/**
 * @param {string} kind dotted lowercase words of your own
 * @param {string} [message] for a person
 * @param {unknown} [details] anything that is JSON
 * @returns {never}
 */
export function raiseError(kind, message, details) {
  writeError(kind, message, details);
  process.exit(1);
}

/** The try of the step, 0 for the first. */
export const attempt = () => Number(process.env.ERRAND_ATTEMPT || 0);

export const runId = () => process.env.ERRAND_RUN || undefined;

/** The same for every try of the same action: give it to the service you call. */
export const idempotencyKey = () => process.env.ERRAND_IDEMPOTENCY_KEY || undefined;

/** The W3C trace context of this try. */
export const traceParent = () => process.env.TRACEPARENT || undefined;

/** @param {{ kind: string, message: string, details: unknown }} envelope */
function toJson(envelope) {
  try {
    return JSON.stringify(envelope);
  } catch {
    // a circle, a depth or a number that JSON does not have
    return JSON.stringify({ ...envelope, details: { value: toText(envelope.details) } });
  }
}

/** @param {unknown} details */
function toText(details) {
  try {
    return String(details);
  } catch {
    // the kind is worth more than its details
    return 'details that cannot be written';
  }
}
