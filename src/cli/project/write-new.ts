/** Writes a new file and never overwrites one, not even one that was created a moment ago. */
import { openSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { ErrandError } from '../../errors/thrown/errand-error.ts';
import { readProperty } from '../../errors/support/safe-json.ts';
import { makeFolder, PRIVATE_FILE } from '../../stores/sqlite/private-files.ts';
import { systemWords } from './make-folder.ts';

/** `instead` says what to do about an existing file. */
export function writeNew(path: string, text: string, instead: string): void {
  making(path, instead, () => writeFileSync(path, text, { flag: 'wx' }));
}

/** The descriptor of a file that only its owner may read. */
export function openNew(path: string, instead: string): number {
  return making(path, instead, () => openSync(path, 'wx', PRIVATE_FILE));
}

function making<T>(path: string, instead: string, make: () => T): T {
  try {
    makeFolder(dirname(path));
    return make();
  } catch (cause) {
    const code = readProperty(cause, 'code');
    const isThere = code === 'EEXIST' || code === 'EISDIR';
    throw new ErrandError(
      {
        kind: 'validation.input',
        message: isThere
          ? `${path} already exists; nothing was written`
          : `Cannot write ${path}: ${systemWords(cause)}`,
        action: {
          kind: 'change_input',
          detail: isThere ? instead : 'Choose a writable folder, or free some space.',
        },
      },
      { cause },
    );
  }
}
