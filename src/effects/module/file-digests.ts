/** Digests of a module's files, so that a later process sees which have changed. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { dirname, relative, sep } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { filesFrom } from './errand-hook.ts';

/** A record of more files would be longer than the rest of an event. Keeps the nearest files. */
const MOST_FILES = 50;
const DIGITS = 16;

/** By path. A process loads a file once, so it does not run what is on disk later. */
const known = new Map<string, string>();

/** By path from the module's folder. Installed packages are not among them. */
export function digestsOf(path: string): ReadonlyMap<string, string> {
  const digests = new Map<string, string>();
  for (const url of [...filesFrom(pathToFileURL(path).href)].slice(0, MOST_FILES)) {
    const file = fileURLToPath(url);
    const digest = digestOf(file);
    const name = relative(dirname(path), file).split(sep).join('/');
    if (digest !== undefined) digests.set(name, digest);
  }
  return digests;
}

function digestOf(file: string): string | undefined {
  const before = known.get(file);
  if (before !== undefined) return before;
  try {
    const digest = createHash('sha256').update(readFileSync(file)).digest('hex').slice(0, DIGITS);
    known.set(file, digest);
    return digest;
  } catch {
    // removed while it was loaded
    return undefined;
  }
}
