/** Folders that are made step by step: where a system makes none, Node's recursive way never ends. */
import { existsSync, mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { readProperty } from '../errors/json.ts';
import { PRIVATE_FOLDER } from '../stores/private-files.ts';

/** For its owner alone, as all that a run leaves. Throws what the system does. */
export function makePrivateFolder(path: string): string | undefined {
  return makeFolder(path, PRIVATE_FOLDER);
}

/** Gives the first folder that was not there; undefined when all were. Throws what the system does. */
export function makeFolder(path: string, mode = 0o777): string | undefined {
  const missing: string[] = [];
  for (let folder = path; !existsSync(folder); folder = dirname(folder)) missing.unshift(folder);
  for (const folder of missing) makeOne(folder, mode);
  // what is there may be a file
  if (!statSync(path).isDirectory()) throw Object.assign(new Error(path), { code: 'ENOTDIR' });
  return missing[0];
}

/** What the system means by the code of what it threw. */
export function systemWords(thrown: unknown): string {
  const code = readProperty(thrown, 'code');
  const known = typeof code === 'string' ? WORDS[code] : undefined;
  return known ?? `the system says ${String(code)}`;
}

const WORDS: Readonly<Record<string, string>> = {
  EACCES: 'there is no permission',
  EPERM: 'there is no permission',
  EROFS: 'it is read-only there',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the quota of the disk is used up',
  ENOTDIR: 'a part of its path is a file',
  ENOENT: 'there can be no folder in that place',
  ENAMETOOLONG: 'the name is too long',
};

function makeOne(folder: string, mode: number): void {
  try {
    mkdirSync(folder, { mode });
  } catch (thrown) {
    // another process was quicker
    if (readProperty(thrown, 'code') !== 'EEXIST') throw thrown;
  }
}
