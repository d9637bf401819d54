/**
 * The files of a store: the database and SQLite's files beside it. Rights are removed only from a
 * store of Errand, because a slip in `ERRAND_STORE` may name any file.
 */
import { APPLICATION_ID } from './migrate.ts';
import { keepPrivate } from './private-files.ts';
import { readAt } from './read-at.ts';

/** https://sqlite.org/fileformat.html, "The Database Header" */
const MAGIC = 'SQLite format 3\0';
const APPLICATION_ID_AT = 68;

/** By its header. That of a new store may still be in the log beside it. */
export function isOurs(path: string): boolean {
  const header = readAt(path, 0, APPLICATION_ID_AT + 4);
  if (header === null || header.toString('latin1', 0, MAGIC.length) !== MAGIC) return false;
  return header.readUInt32BE(APPLICATION_ID_AT) === APPLICATION_ID;
}

export function keepFilesPrivate(path: string): void {
  for (const suffix of ['', '-wal', '-shm']) keepPrivate(`${path}${suffix}`);
}
