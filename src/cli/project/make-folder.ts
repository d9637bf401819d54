/** Creates folders, and says why one cannot be created. */
import { readProperty } from '../../errors/support/safe-json.ts';
import { makeFolder, PRIVATE_FOLDER } from '../../stores/sqlite/private-files.ts';

/** Only the owner may read it, like all files of a run. Throws the system's error. */
export function makePrivateFolder(path: string): string | undefined {
  return makeFolder(path, PRIVATE_FOLDER);
}

/** Describes a system error by its code. */
export function systemWords(thrown: unknown): string {
  const code = readProperty(thrown, 'code');
  const known = typeof code === 'string' ? WORDS[code] : undefined;
  return known ?? `system error ${String(code)}`;
}

/** The same for a file that is written where its folder has to exist. */
export function fileWords(thrown: unknown): string {
  return readProperty(thrown, 'code') === 'ENOENT'
    ? 'there is no such folder'
    : systemWords(thrown);
}

const WORDS: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  ELOOP: 'a link has that name',
  EPERM: 'permission denied',
  EROFS: 'the file system is read-only',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is used up',
  ENOTDIR: 'part of its path is a file',
  EISDIR: 'a folder has that name',
  ENOENT: 'no folder can be created there',
  ENAMETOOLONG: 'the name is too long',
};
