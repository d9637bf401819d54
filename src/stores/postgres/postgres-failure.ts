/**
 * Maps an error of PostgreSQL to a failure of the store, by its SQLSTATE and never by its text. An error
 * without one is a connection that could not be made or broke.
 */
import { ErrandError } from '../../errors/thrown/errand-error.ts';
import { readProperty, type JsonObject } from '../../errors/support/safe-json.ts';
import { corrupt, misused, unavailable, type OutageReason } from '../store-failure.ts';

/** States of https://www.postgresql.org/docs/current/errcodes-appendix.html, the whole before its class. */
const OUTAGES: ReadonlyMap<string, OutageReason> = new Map([
  ['08', 'disconnected'], // connection exception
  ['25006', 'read_only'], // read only transaction
  ['25P03', 'interrupted'], // idle in transaction for too long
  ['28', 'cannot_open'], // authorization
  ['3D', 'no_database'],
  ['40', 'busy'], // deadlock, serialization
  ['42501', 'cannot_open'], // insufficient privilege
  ['53100', 'full'],
  ['53200', 'no_memory'],
  ['53', 'busy'], // too many connections
  ['55', 'busy'], // a lock was not to be had in time
  ['57014', 'interrupted'], // the statement took too long
  ['57', 'disconnected'], // shutdown, or not ready yet
  ['58', 'io'],
  ['XX000', 'interrupted'],
]);

/**
 * Codes that our statements over sound tables cannot get: a missing table or column, damaged data.
 */
const DAMAGE: readonly string[] = ['XX', '42', '22', '23', '3F'];

export interface FailedAt extends JsonObject {
  readonly isConnected: boolean;
}

/** The typed failure, or the error itself when it does not come from the database. */
export function postgresFailure(error: unknown, { isConnected, ...where }: FailedAt): unknown {
  if (error instanceof ErrandError) return error;
  const state = readProperty(error, 'code');
  // Node's own codes are longer words, such as ECONNREFUSED
  if (typeof state !== 'string' || !/^[0-9A-Z]{5}$/.test(state) || !isState(error))
    return isOfConnection(error, isConnected)
      ? unavailable(
          'disconnected',
          { ...where, ...(typeof state === 'string' ? { code: state } : {}) },
          error,
        )
      : error;
  const details = { ...where, sqlstate: state };
  if (state === '22021')
    return misused('A text has a character that PostgreSQL cannot store', details);
  const reason = OUTAGES.get(state) ?? OUTAGES.get(state.slice(0, 2));
  if (reason !== undefined) return unavailable(reason, details, error);
  return DAMAGE.includes(state.slice(0, 2))
    ? corrupt('The tables of the store are damaged', details, error)
    : error;
}

/** Errors from the server have a severity. */
function isState(error: unknown): boolean {
  return typeof readProperty(error, 'severity') === 'string';
}

/**
 * A defect of ours, such as a TypeError, does not count. The `pg` package throws plain errors
 * without a code for connections.
 */
function isOfConnection(error: unknown, isConnected: boolean): boolean {
  if (!isConnected || typeof readProperty(error, 'code') === 'string') return true;
  return error instanceof Error && !(error instanceof TypeError) && !(error instanceof RangeError);
}
