/** Writes a file that was not there; never over an existing one, also not over one made a moment ago. */
import { writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { ErrandError } from '../errors/errand-error.ts';
import { readProperty } from '../errors/json.ts';
import { makeFolder, systemWords } from './make-folder.ts';

/** `instead` says what to do about a file that is there. */
export function writeNew(path: string, text: string, instead: string): void {
  try {
    makeFolder(dirname(path));
    writeFileSync(path, text, { flag: 'wx' });
  } catch (cause) {
    const code = readProperty(cause, 'code');
    const isThere = code === 'EEXIST' || code === 'EISDIR';
    throw new ErrandError(
      {
        kind: 'validation.input',
        message: isThere
          ? `${path} is there already, and nothing was written`
          : `${path} cannot be written: ${systemWords(cause)}`,
        action: {
          kind: 'change_input',
          detail: isThere ? instead : 'Choose a folder that can be written to, or make room.',
        },
      },
      { cause },
    );
  }
}
