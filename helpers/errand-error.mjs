/**
 * Errand's error helper for Node: raise a failure with a kind of your own.
 *
 *     import { raiseError } from './errand-error.mjs';
 *     raiseError('external.order.missing', `No order ${id}`, { id });
 *
 * `raiseError` writes the failure and exits with 1; `writeError` writes it and returns.
 */
import { renameSync, writeFileSync } from 'node:fs';

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

/** @param {{ kind: string, message: string, details: unknown }} envelope */
function toJson(envelope) {
  try {
    return JSON.stringify(envelope);
  } catch {
    // a circle or a number that JSON does not have
    return JSON.stringify({ ...envelope, details: { value: String(envelope.details) } });
  }
}
