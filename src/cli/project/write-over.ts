/** Writes a file over an existing one: a reader finds the old text or the new one, never a part. */
import { randomBytes } from 'node:crypto';
import {
  closeSync,
  fsyncSync,
  openSync,
  realpathSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { ErrandError } from '../../errors/thrown/errand-error.ts';
import { makeFolder, PRIVATE_FILE } from '../../stores/sqlite/private-files.ts';
import { systemWords } from './make-folder.ts';

/** Throws `validation.input` where it cannot be written. */
export function writeOver(path: string, text: string): void {
  try {
    makeFolder(dirname(path));
    replace(path, text);
  } catch (cause) {
    throw new ErrandError(
      {
        kind: 'validation.input',
        message: `Cannot write ${path}: ${systemWords(cause)}`,
        action: { kind: 'change_input', detail: 'Choose a writable folder, or free some space.' },
      },
      { cause },
    );
  }
}

function replace(path: string, text: string): void {
  const present = statSync(path, { throwIfNoEntry: false });
  // a device or a pipe cannot be replaced, and a link stays one
  const target = present === undefined ? path : realpathSync(path);
  const fresh =
    present?.isFile() === false
      ? target
      : join(dirname(target), `.${basename(target)}.${randomBytes(6).toString('hex')}.new`);
  try {
    const file = openSync(fresh, fresh === target ? 'w' : 'wx', present?.mode ?? PRIVATE_FILE);
    try {
      writeSync(file, text);
      if (fresh !== target) fsyncSync(file);
    } finally {
      closeSync(file);
    }
    if (fresh !== target) renameSync(fresh, target);
  } catch (thrown) {
    if (fresh !== target) rmSync(fresh, { force: true });
    throw thrown;
  }
}
