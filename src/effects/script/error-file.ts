/**
 * The file through which a script raises: a private directory per attempt with a path where no file exists
 * yet. It is read once after the script has ended, and always removed.
 */
import { constants } from 'node:fs';
import { chmod, mkdtemp, open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { JsonValue } from '../../errors/support/safe-json.ts';
import { readEnvelope, type EnvelopeReading } from '../../errors/thrown/raised-error.ts';
import { readJsonAsWritten } from '../../workflow/json-schema/exact-number.ts';
import { codeOf } from '../process/system-code.ts';

/** Only protects the reader: a report is cut to a smaller size anyway. */
const MAX_FILE_BYTES = 4 * 1024 * 1024;

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
  let bytes: Buffer | string;
  try {
    bytes = await readBytes(path);
  } catch (thrown) {
    const code = codeOf(thrown);
    // the file, or the whole directory, does not exist
    if (code === 'ENOENT') return { type: 'none' };
    return { type: 'invalid', problem: `cannot be read (${code})` };
  }
  return typeof bytes === 'string' ? { type: 'invalid', problem: bytes } : parseErrorFile(bytes);
}

/** The content, or why it is not read. A pipe must not block, and a link is not followed. */
async function readBytes(path: string): Promise<Buffer | string> {
  // the last two are undefined on Windows, which counts as 0
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

/** Decodes by the byte order mark, which older PowerShells write, also for UTF-16. Default: UTF-8. */
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
