/**
 * The file through which a script raises: a private directory per attempt with a path where no file exists
 * yet. It is read once after the script has ended, and always removed.
 */
import { constants } from 'node:fs';
import { chmod, mkdtemp, open, rm, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import type { JsonValue } from '../../errors/support/safe-json.ts';
import { readEnvelope, type EnvelopeReading } from '../../errors/thrown/raised-error.ts';
import { readJsonAsWritten } from '../../workflow/json-schema/exact-number.ts';
import { codeOf } from '../process/system-code.ts';
import { scanEnvelope } from './scan-envelope.ts';
import { folderPrefix } from './temp-folders.ts';

/** The part of a file that is read. A report is cut to a smaller size anyway. */
const MAX_FILE_BYTES = 16 * 1024 * 1024;

export type FileReading = EnvelopeReading | { readonly type: 'none' };

export interface ErrorFile {
  /** Private to the attempt. */
  readonly folder: string;
  /** The path inside it; no file exists until the script writes it. */
  readonly path: string;
  /** Never rejects. */
  read(): Promise<FileReading>;
  /** Removes the folder and returns the error if that failed; never rejects. */
  remove(): Promise<{ readonly failed?: unknown }>;
}

/** Rejects if the directory cannot be created. Only its owner can access it. */
export async function createErrorFile(parent: string): Promise<ErrorFile> {
  const folder = await mkdtemp(join(parent, await folderPrefix()));
  const path = join(folder, 'error.json');
  return {
    folder,
    path,
    read: () => readFile(path),
    remove: async () => {
      try {
        await rm(folder, { recursive: true, force: true });
        return {};
      } catch {
        return removeForced(folder);
      }
    },
  };
}

/** A script may have removed its owner's permissions. */
async function removeForced(folder: string): Promise<{ readonly failed?: unknown }> {
  try {
    await chmod(folder, 0o700);
    await rm(folder, { recursive: true, force: true });
    return {};
  } catch (failed) {
    return { failed };
  }
}

async function readFile(path: string): Promise<FileReading> {
  try {
    return await readBytes(path);
  } catch (thrown) {
    const code = codeOf(thrown);
    // the file, or the whole directory, does not exist
    if (code === 'ENOENT') return { type: 'none' };
    return { type: 'invalid', problem: `cannot be read (${code})` };
  }
}

/** A pipe must not block, and a link is not followed. */
async function readBytes(path: string): Promise<FileReading> {
  // the last two are undefined on Windows, which counts as 0
  const { O_RDONLY, O_NONBLOCK, O_NOFOLLOW } = constants;
  const handle = await open(path, O_RDONLY | O_NONBLOCK | O_NOFOLLOW);
  try {
    const stat = await handle.stat();
    if (!stat.isFile()) return { type: 'invalid', problem: 'is not a plain file' };
    const isWhole = stat.size <= MAX_FILE_BYTES;
    return parseErrorFile(await readStart(handle, Math.min(stat.size, MAX_FILE_BYTES)), isWhole);
  } finally {
    await handle.close();
  }
}

async function readStart(handle: FileHandle, sizeBytes: number): Promise<Uint8Array> {
  const bytes = Buffer.alloc(sizeBytes);
  let length = 0;
  while (length < sizeBytes) {
    const { bytesRead } = await handle.read(bytes, length, sizeBytes - length, length);
    if (bytesRead === 0) break;
    length += bytesRead;
  }
  return bytes.subarray(0, length);
}

/** The envelope in the content of the file, or in its beginning. */
export function parseErrorFile(bytes: Uint8Array, isWhole = true): FileReading {
  const text = decode(bytes, isWhole);
  if (text === undefined) return { type: 'invalid', problem: 'is not text in UTF-8' };
  if (text.trim() === '') return { type: 'none' };
  const { envelope, repeated } = scanEnvelope(text) ?? { envelope: 'not an object' };
  const value = isWhole ? parseText(text, envelope) : envelope;
  if (value === undefined) return { type: 'invalid', problem: 'is not JSON' };
  // a parser would take the last one, which may belong to the details
  if (repeated !== undefined)
    return { type: 'invalid', problem: `has the key "${repeated}" twice` };
  return readEnvelope(value);
}

function parseText(text: string, scanned: JsonValue): JsonValue | undefined {
  try {
    return readJsonAsWritten(text);
  } catch (thrown) {
    // too deep for the parser; the kind and the message are not
    return thrown instanceof RangeError ? scanned : undefined;
  }
}

/** Decodes by the byte order mark, which older PowerShells write, also for UTF-16. Default: UTF-8. */
function decode(bytes: Uint8Array, isWhole: boolean): string | undefined {
  const [first, second] = bytes;
  const isLittle = first === 0xff && second === 0xfe;
  const isBig = first === 0xfe && second === 0xff;
  const encoding = isLittle ? 'utf-16le' : 'utf-8';
  try {
    const decoder = new TextDecoder(isBig ? 'utf-16be' : encoding, { fatal: true });
    // of a part, the last character may be incomplete
    return decoder.decode(bytes, { stream: !isWhole });
  } catch {
    return undefined;
  }
}
