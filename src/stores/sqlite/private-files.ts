/**
 * Files of a run hold inputs, prompts and stacks, so they are private: folders 0700, files 0600, or
 * less by the umask. Files that an older version left open are closed when they are used again.
 */
import {
  chmodSync,
  closeSync,
  constants,
  existsSync,
  lstatSync,
  mkdirSync,
  openSync,
  statSync,
  writeFileSync,
  type Stats,
} from 'node:fs';
import { basename, dirname } from 'node:path';
import { readProperty } from '../../errors/support/safe-json.ts';

export const PRIVATE_FILE = 0o600;
export const PRIVATE_FOLDER = 0o700;

const OTHERS = 0o077;

/**
 * The folder that Errand makes; a folder with another name may be shared, as with `ERRAND_HOME=.`.
 */
const OWN_FOLDER = '.errand';

/** Throws what the system does. */
export function makePrivateFolders(path: string): void {
  makeFolder(path, PRIVATE_FOLDER);
  if (basename(path) === OWN_FOLDER) keepPrivate(path);
}

/**
 * Step by step, because Node's recursive way never ends where a system makes no folders. Returns
 * the first folder that was missing; undefined when none was. Throws as the system does.
 */
export function makeFolder(path: string, mode = 0o777): string | undefined {
  const missing: string[] = [];
  for (let folder = path; !existsSync(folder); folder = dirname(folder)) missing.unshift(folder);
  for (const folder of missing) makeOne(folder, mode);
  // it may be a file
  if (!statSync(path).isDirectory())
    throw Object.assign(new Error(path), { code: 'ENOTDIR', syscall: 'mkdir' });
  return missing[0];
}

function makeOne(folder: string, mode: number): void {
  try {
    mkdirSync(folder, { mode });
  } catch (thrown) {
    // another process was quicker
    if (readProperty(thrown, 'code') !== 'EEXIST') throw thrown;
  }
}

/**
 * Opens for writing unless it is a link: a repository may contain one that leads to another file of
 * the user.
 */
export const WRITE_NO_LINK =
  constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC | (constants.O_NOFOLLOW ?? 0);
const APPEND_NO_LINK =
  constants.O_WRONLY | constants.O_CREAT | constants.O_APPEND | (constants.O_NOFOLLOW ?? 0);

/** Throws what the system does. */
export function writePrivate(path: string, text: string): void {
  writeTo(openSync(path, WRITE_NO_LINK, PRIVATE_FILE), text);
}

/** Throws what the system does. */
export function appendPrivate(path: string, text: string): void {
  writeTo(openSync(path, APPEND_NO_LINK, PRIVATE_FILE), text);
}

function writeTo(file: number, text: string): void {
  try {
    writeFileSync(file, text);
  } finally {
    closeSync(file);
  }
}

export function isLink(path: string): boolean {
  return entryAt(path)?.isSymbolicLink() === true;
}

function entryAt(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch {
    // below a file, or in a closed folder: the reader or writer gets the same error, and reports it
    return undefined;
  }
}

/** Removes the rights of others. Does nothing where the file is missing, or is a link, a device or a pipe. */
export function keepPrivate(path: string): void {
  const present = entryAt(path);
  if (present === undefined || !(present.isFile() || present.isDirectory())) return;
  const { mode } = present;
  if ((mode & OTHERS) === 0) return;
  try {
    chmodSync(path, mode & 0o7700);
  } catch {
    // another user's file, or a file system without such rights: its owner decides who may read it
  }
}

/** Makes an empty file that no other process can have opened before the first write. */
export function makePrivateFile(path: string): void {
  try {
    closeSync(openSync(path, APPEND_NO_LINK, PRIVATE_FILE));
  } catch {
    // the writer meets the same error, and reports it
  }
}
