/** The file system as loading wants it: UTF-8 text by a path that names one file one way. */
import { readFileSync, statSync } from 'node:fs';
import { dirname, isAbsolute, relative, resolve, sep } from 'node:path';
import { MAX_FILE_CHARS, type FileContent, type FilePort } from '../workflow/load/port.ts';

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  EISDIR: 'it is a folder',
  EACCES: 'permission is denied',
  EPERM: 'permission is denied',
  ENOTDIR: 'a part of its path is not a folder',
  ELOOP: 'its path goes in a circle',
  ENAMETOOLONG: 'its name is too long',
};

/** Paths are given relative to `base`, as people write them, so that no host path is shown. */
export function nodeFiles(base: string): FilePort {
  return {
    resolve: (from, to) => {
      const absolute = resolve(from === '' ? base : dirname(resolve(base, from)), to);
      const path = relative(base, absolute) || '.';
      // on another drive there is no way from here
      return isAbsolute(path) ? absolute : path.split(sep).join('/');
    },
    read: (path) => readText(resolve(base, path)),
  };
}

function readText(path: string): FileContent {
  try {
    if (statSync(path).size > 4 * MAX_FILE_CHARS) return { ok: false, reason: 'it is too large' };
    const bytes = readFileSync(path);
    return { ok: true, text: new TextDecoder('utf-8', { fatal: true }).decode(bytes) };
  } catch (error) {
    return { ok: false, reason: reasonOf(error) };
  }
}

function reasonOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (code === 'ERR_ENCODING_INVALID_ENCODED_DATA') return 'it is not UTF-8 text';
  return REASONS[code] ?? `the system says ${code === '' ? 'no' : code}`;
}
