/** Replaces a file as a whole: a reader sees the old text or the new one, never a part. */
import { randomBytes } from 'node:crypto';
import { readFileSync, renameSync } from 'node:fs';
import { open, realpath, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

/** `check` is called with the present text at the last moment, and throws where it is not expected. */
export async function writeWhole(
  path: string,
  text: string,
  check: (present: string) => void,
): Promise<void> {
  // a link stays one, and what it leads to is replaced
  const target = await realpath(path);
  const { mode } = await stat(target);
  const fresh = join(dirname(target), `.${basename(target)}.${randomBytes(6).toString('hex')}.new`);
  try {
    const file = await open(fresh, 'wx', mode);
    try {
      await file.writeFile(text);
      await file.sync();
    } finally {
      await file.close();
    }
    // in one turn: of two saves over the same text, the later one finds the text of the earlier one
    check(readFileSync(target, 'utf8'));
    renameSync(fresh, target);
  } catch (thrown) {
    await rm(fresh, { force: true });
    throw thrown;
  }
}
