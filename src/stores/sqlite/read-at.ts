/** A look into a file, for what SQLite does not tell. */
import { closeSync, openSync, readSync, statSync } from 'node:fs';

/** So many bytes of a file; null when it has fewer. */
export function readAt(path: string, position: number, length: number): Buffer | null {
  if ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) < position + length) return null;
  const file = openSync(path, 'r');
  try {
    const buffer = Buffer.alloc(length);
    return readSync(file, buffer, 0, length, position) === length ? buffer : null;
  } finally {
    closeSync(file);
  }
}
