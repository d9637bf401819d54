/**
 * Maps an error of SQLite to a failure of the store, by its result code and never by its text: the store cannot
 * be used now, or it cannot be trusted.
 */
import { ErrandError } from '../../errors/thrown/errand-error.ts';
import { readProperty, type JsonObject } from '../../errors/support/safe-json.ts';
import { corrupt, unavailable, type OutageReason } from '../store-failure.ts';

/**
 * Primary result codes of https://sqlite.org/rescode.html that pass by themselves, or that a person
 * can fix.
 */
const OUTAGES: ReadonlyMap<number, OutageReason> = new Map([
  [3, 'read_only'], // PERM
  [4, 'interrupted'], // ABORT
  [5, 'busy'], // BUSY
  [6, 'busy'], // LOCKED
  [7, 'no_memory'], // NOMEM
  [8, 'read_only'], // READONLY
  [9, 'interrupted'], // INTERRUPT
  [10, 'io'], // IOERR
  [13, 'full'], // FULL
  [14, 'cannot_open'], // CANTOPEN
  [15, 'busy'], // PROTOCOL: the race for the locks took too long
  [22, 'io'], // NOLFS
  [23, 'read_only'], // AUTH
]);

/**
 * Codes that fixed statements over a sound file cannot give: ERROR (a table or a column that is not
 * there), CORRUPT, SCHEMA, CONSTRAINT, MISMATCH, FORMAT. RANGE is a mistake of ours.
 */
const DAMAGE: ReadonlySet<number> = new Set([1, 11, 17, 19, 20, 24]);

const NOTADB = 26;
const NO_DATABASE = 'The file of the store is not a SQLite database';
const OTHER_FILE = 'Name the file of the store in ERRAND_STORE, or restore it from a backup.';

/** Extended codes that contradict their primary code: a read whose checksum or length is wrong. */
const DAMAGED_READS: ReadonlySet<number> = new Set([10 | (32 << 8), 10 | (33 << 8)]);

/** IOERR_SHMSIZE: the index beside the log cannot grow; only space is missing. */
const NO_ROOM = 10 | (19 << 8);

/** Thrown by Node for a column that no statement of ours ever wrote. */
const UNREADABLE: ReadonlySet<unknown> = new Set(['ERR_OUT_OF_RANGE', 'ERR_STRING_TOO_LONG']);

/** Errors of the file system around the database file; any other is `io`. */
const FILE_SYSTEM: ReadonlyMap<unknown, OutageReason> = new Map([
  ['EACCES', 'cannot_open'],
  ['EPERM', 'cannot_open'],
  ['ENOTDIR', 'cannot_open'],
  ['EEXIST', 'cannot_open'],
  ['EISDIR', 'cannot_open'],
  ['ELOOP', 'cannot_open'],
  ['ENAMETOOLONG', 'cannot_open'],
  ['EROFS', 'read_only'],
  ['ENOSPC', 'full'],
  ['EDQUOT', 'full'],
  ['ENOENT', 'file_missing'],
]);

/** The typed failure, or the error itself when it does not come from the database. */
export function sqliteFailure(error: unknown, where: JsonObject = {}): unknown {
  if (error instanceof ErrandError) return error;
  const code = readProperty(error, 'code');
  if (UNREADABLE.has(code)) return corrupt('A row of the store is damaged', where, error);
  if (code === 'ERR_INVALID_STATE') return unavailable('closed', where, error);

  const syscall = readProperty(error, 'syscall');
  if (typeof code === 'string' && typeof syscall === 'string') {
    // nothing is gone where no folder can be made
    const reason = syscall === 'mkdir' && code === 'ENOENT' ? 'cannot_open' : FILE_SYSTEM.get(code);
    return unavailable(reason ?? 'io', { ...where, code }, error);
  }

  const errcode = readProperty(error, 'errcode');
  if (typeof errcode !== 'number') return error;
  const details = { ...where, errcode };
  const primary = errcode & 0xff;
  if (primary === NOTADB) return corrupt(NO_DATABASE, details, error, OTHER_FILE);
  if (DAMAGE.has(primary) || DAMAGED_READS.has(errcode)) {
    return corrupt('The file of the store is damaged', details, error);
  }
  const reason = errcode === NO_ROOM ? 'full' : OUTAGES.get(primary);
  return reason === undefined ? error : unavailable(reason, details, error);
}

/** Whether another connection is in the way, which a short wait can resolve. */
export function isBusy(error: unknown): boolean {
  const errcode = readProperty(error, 'errcode');
  return typeof errcode === 'number' && OUTAGES.get(errcode & 0xff) === 'busy';
}

/** Whether SQLite treats the database as read-only; not whether its folder is. */
export function isReadOnly(error: unknown): boolean {
  return readProperty(error, 'errcode') === READONLY;
}

const READONLY = 8;
