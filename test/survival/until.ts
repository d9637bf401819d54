/** Waits for the work of a process, without polling. */
import { existsSync, readFileSync, watch } from 'node:fs';
import { basename, dirname } from 'node:path';

/**
 * Fulfilled when the file contains a whole line: a shell makes the file before it writes into it.
 */
export async function untilLine(path: string): Promise<void> {
  const isThere = (): boolean => existsSync(path) && readFileSync(path, 'utf8').includes('\n');
  const { promise, resolve } = Promise.withResolvers<void>();
  const watcher = watch(dirname(path), (_, name) => {
    if (name === basename(path) && isThere()) resolve();
  });
  // it may have existed before anyone watched
  if (isThere()) resolve();
  await promise;
  watcher.close();
}
