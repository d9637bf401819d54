/**
 * What a run leaves on the disk holds inputs, prompts and stacks, so it is for its owner alone: folders
 * 0700, files 0600, or less where the umask says so. What an older version left open is closed when it
 * is used again.
 */
import { chmodSync, closeSync, mkdirSync, openSync, statSync } from 'node:fs';
import { basename } from 'node:path';

export const PRIVATE_FILE = 0o600;
export const PRIVATE_FOLDER = 0o700;

const OTHERS = 0o077;

/** The folder that Errand makes; one with another name may be anybody's, as `ERRAND_HOME=.` is. */
const OWN_FOLDER = '.errand';

/** Throws what the system does. */
export function makePrivateFolders(path: string): void {
  mkdirSync(path, { recursive: true, mode: PRIVATE_FOLDER });
  if (basename(path) === OWN_FOLDER) keepPrivate(path);
}

/** Takes away what others may do with it. Nothing happens where it is not there. */
export function keepPrivate(path: string): void {
  const mode = statSync(path, { throwIfNoEntry: false })?.mode ?? 0;
  if ((mode & OTHERS) === 0) return;
  try {
    chmodSync(path, mode & 0o7700);
  } catch {
    // another user's, or a file system without such rights: whoever set it up has decided who may read it
  }
}

/** An empty file that nobody else can have opened before the first word is written to it. */
export function makePrivateFile(path: string): void {
  try {
    closeSync(openSync(path, 'a', PRIVATE_FILE));
  } catch {
    // whoever writes to it meets the same, and knows how to say it
  }
}
