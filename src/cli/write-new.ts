/** Writes a file that was not there; never over an existing one, also not over one made a moment ago. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { ErrandError } from '../errors/errand-error.ts';
import { readProperty } from '../errors/json.ts';

/** `instead` says what to do about a file that is there. */
export function writeNew(path: string, text: string, instead: string): void {
  try {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text, { flag: 'wx' });
  } catch (cause) {
    const code = readProperty(cause, 'code');
    const isThere = code === 'EEXIST' || code === 'EISDIR';
    throw new ErrandError(
      {
        kind: 'validation.input',
        message: isThere
          ? `${path} is there already, and nothing was written`
          : `${path} cannot be written: the system says ${String(code)}`,
        action: {
          kind: 'change_input',
          detail: isThere ? instead : 'Choose a folder that can be written to.',
        },
      },
      { cause },
    );
  }
}
