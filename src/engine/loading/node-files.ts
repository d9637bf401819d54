/** The file system as loading wants it: UTF-8 text by a path that names one file one way. */
import { closeSync, constants, fstatSync, openSync, readSync, realpathSync } from 'node:fs';
import { dirname, isAbsolute, relative, resolve, sep } from 'node:path';
import { MAX_FILE_CHARS, type FileContent, type FilePort } from '../../workflow/yaml/file-port.ts';

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  EISDIR: 'it is a folder',
  EACCES: 'permission is denied',
  EPERM: 'permission is denied',
  ENOTDIR: 'a part of its path is not a folder',
  ELOOP: 'its path is a loop of links',
  ENAMETOOLONG: 'its name is too long',
};

const MAX_BYTES = 4 * MAX_FILE_CHARS;
const CHUNK_BYTES = 65_536;

/** Paths are relative to `base`, as people write them, so that no host path is shown. */
export function nodeFiles(base: string): FilePort {
  return {
    resolve: (from, to) =>
      pathFrom(base, resolve(from === '' ? base : dirname(resolve(base, from)), to)),
    read: (path) => readText(resolve(base, path), base),
  };
}

function pathFrom(base: string, absolute: string): string {
  const path = relative(base, absolute) || '.';
  // on another drive there is no way from here
  return isAbsolute(path) ? absolute : path.split(sep).join('/');
}

/** The path with all links resolved. */
function realPathFrom(base: string, absolute: string): string {
  return pathFrom(realpathSync(base), realpathSync(absolute));
}

/** A device or a pipe never ends, and one that is only opened may wait for ever. */
function readText(path: string, base: string): FileContent {
  let file: number | undefined;
  try {
    file = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
    const kind = fstatSync(file);
    if (kind.isDirectory()) return { ok: false, reason: 'it is a folder' };
    if (!kind.isFile()) return { ok: false, reason: 'it is not a regular file' };
    const bytes = readUpTo(file, MAX_BYTES + 1, kind.size);
    if (bytes.length > MAX_BYTES) return { ok: false, reason: 'it is too large' };
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return { ok: true, text, realPath: realPathFrom(base, path) };
  } catch (error) {
    return { ok: false, reason: unreadableReason(error) };
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

/** Some system files report that they are empty, and others grow while they are read. */
function readUpTo(file: number, maxBytes: number, expected: number): Uint8Array {
  const chunks: Buffer[] = [];
  let length = 0;
  while (length < maxBytes) {
    const size = Math.min(maxBytes - length, Math.max(expected - length + 1, CHUNK_BYTES));
    const chunk = Buffer.allocUnsafe(size);
    const read = readSync(file, chunk, 0, size, null);
    if (read === 0) break;
    chunks.push(chunk.subarray(0, read));
    length += read;
  }
  return chunks.length === 1 ? (chunks[0] ?? Buffer.alloc(0)) : Buffer.concat(chunks);
}

/** Why a file cannot be read, to follow a colon. */
export function unreadableReason(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (code === 'ERR_ENCODING_INVALID_ENCODED_DATA') return 'it is not UTF-8 text';
  return REASONS[code] ?? `system error ${code === '' ? 'unknown' : code}`;
}
