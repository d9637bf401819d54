/**
 * Tracks which database files this process has open. Locks on files belong to the process: if any
 * part of it opens such a file on its own and closes it again, SQLite loses the locks that it relies
 * on, and other processes truncate what it has mapped into memory.
 */
export interface FileIdentity {
  readonly dev: number;
  readonly ino: number;
}

const OPEN = new Map<string, number>();

export function isOpenHere(file: FileIdentity): boolean {
  return OPEN.has(keyOf(file));
}

export function noteOpened(file: FileIdentity): void {
  OPEN.set(keyOf(file), (OPEN.get(keyOf(file)) ?? 0) + 1);
}

export function noteClosed(file: FileIdentity): void {
  const left = (OPEN.get(keyOf(file)) ?? 1) - 1;
  if (left === 0) OPEN.delete(keyOf(file));
  else OPEN.set(keyOf(file), left);
}

function keyOf({ dev, ino }: FileIdentity): string {
  return `${dev}:${ino}`;
}
