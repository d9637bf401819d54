/** Reads bytes of a file that SQLite does not expose. */
import { closeSync, openSync, readSync, statSync } from 'node:fs';

/** Reads this many bytes of a file; null when it has fewer, or does not exist. */
export function readAt(path: string, position: number, length: number): Buffer | null {
  if ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) < position + length) return null;
  const file = openIfThere(path);
  if (file === null) return null;
  try {
    const buffer = Buffer.alloc(length);
    return readSync(file, buffer, 0, length, position) === length ? buffer : null;
  } finally {
    closeSync(file);
  }
}

/** The last process to close a database may remove the files beside it at any moment. */
function openIfThere(path: string): number | null {
  try {
    return openSync(path, 'r');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw error;
  }
}
