/**
 * Opens a database in a read-only folder. SQLite reads a database in WAL mode with an index file,
 * and makes one beside it if there is none. Where it cannot, there are two ways: all files exist,
 * or there is no log, so the database alone has everything.
 */
import { accessSync, constants, statSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { ErrandError } from '../../errors/thrown/errand-error.ts';
import { openDatabase } from './load-sqlite.ts';
import { checkWal } from './wal-check.ts';

/** The file and its folder: SQLite makes and removes other files in it. */
export function isWritablePlace(path: string): boolean {
  return isWritable(path) && isWritable(dirname(path));
}

export function isWritable(path: string): boolean {
  try {
    accessSync(path, constants.W_OK);
    return true;
  } catch {
    // SQLite would fail for the same reason
    return false;
  }
}

export function openToRead(path: string, timeout: number): DatabaseSync {
  const url = pathToFileURL(path);
  if (!hasLog(path)) url.searchParams.set('immutable', '1');
  else if (!isThere(`${path}-shm`)) throw indexMissing(path);
  else checkWal(path, { isSynced: true })?.close();
  return openDatabase(url, { readOnly: true, timeout, enableForeignKeyConstraints: false });
}

/**
 * Size and time of a database without a log when it was opened; if they change, it is opened anew.
 */
export function fingerprint(path: string): string {
  const { mtimeMs, size } = statSync(path);
  return `${mtimeMs} ${size} ${hasLog(path)}`;
}

function hasLog(path: string): boolean {
  return (statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0;
}

function isThere(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false }) !== undefined;
}

function indexMissing(path: string): ErrandError {
  const store = basename(path);
  return new ErrandError({
    kind: 'store.unavailable',
    message: `The store is read-only, and without ${store}-shm its latest commits in ${store}-wal cannot be read`,
    details: { reason: 'read_only', store, needs: `${store}-shm` },
    action: {
      kind: 'fix_setup',
      detail: `Copy ${store} and ${store}-wal to a folder that you can write to, and name it in ERRAND_HOME.`,
    },
  });
}
