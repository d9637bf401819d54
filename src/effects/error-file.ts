/**
 * The file through which a script raises: one private directory per try, a path in it where nothing
 * is yet, read once when everything has ended, removed in every case.
 */
import { constants } from 'node:fs';
import { chmod, mkdtemp, open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { JsonValue } from '../errors/json.ts';
import { readEnvelope, type EnvelopeReading } from '../errors/envelope.ts';
import { readJsonAsWritten } from '../workflow/exact-number.ts';
import { codeOf } from './system-code.ts';

/** What is raised is cut to the size of a report anyway; this only guards the reader. */
const MAX_FILE_BYTES = 4 * 1024 * 1024;

export type FileReading = EnvelopeReading | { readonly type: 'none' };

export interface ErrorFile {
  /** Private to the try. */
  readonly folder: string;
  /** In it; nothing is there before the script writes it. */
  readonly path: string;
  /** Never rejects. */
  read(): Promise<FileReading>;
  /** What could not be removed, if anything; never rejects. */
  remove(): Promise<{ readonly failed?: unknown }>;
}

/** Rejects when there is no place for it. The directory is for its owner only. */
export async function createErrorFile(parent: string): Promise<ErrorFile> {
  const folder = await mkdtemp(join(parent, 'errand-script-'));
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

/** A script may have taken away its owner's rights. */
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
  let bytes: Buffer | string;
  try {
    bytes = await readBytes(path);
  } catch (thrown) {
    const code = codeOf(thrown);
    // the path, or the whole directory, is not there
    if (code === 'ENOENT') return { type: 'none' };
    return { type: 'invalid', problem: `cannot be read (${code})` };
  }
  return typeof bytes === 'string' ? { type: 'invalid', problem: bytes } : parseErrorFile(bytes);
}

/** The content, or why it is not looked at. A pipe must not block and a link not lead elsewhere. */
async function readBytes(path: string): Promise<Buffer | string> {
  // the last two are missing on Windows, and count as nothing there
  const { O_RDONLY, O_NONBLOCK, O_NOFOLLOW } = constants;
  const handle = await open(path, O_RDONLY | O_NONBLOCK | O_NOFOLLOW);
  try {
    const stat = await handle.stat();
    if (!stat.isFile()) return 'is not a plain file';
    if (stat.size > MAX_FILE_BYTES) return `is larger than ${MAX_FILE_BYTES} bytes`;
    return await handle.readFile();
  } finally {
    await handle.close();
  }
}

export function parseErrorFile(bytes: Uint8Array): FileReading {
  const text = decode(bytes);
  if (text === undefined) return { type: 'invalid', problem: 'is not text in UTF-8' };
  if (text.trim() === '') return { type: 'none' };
  let value: JsonValue;
  try {
    value = readJsonAsWritten(text);
  } catch {
    return { type: 'invalid', problem: 'is not JSON' };
  }
  return readEnvelope(value);
}

/** By its byte order mark, which older PowerShells write, in UTF-16 too. Without one: UTF-8. */
function decode(bytes: Uint8Array): string | undefined {
  const [first, second] = bytes;
  const isLittle = first === 0xff && second === 0xfe;
  const isBig = first === 0xfe && second === 0xff;
  const encoding = isLittle ? 'utf-16le' : 'utf-8';
  try {
    return new TextDecoder(isBig ? 'utf-16be' : encoding, { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
