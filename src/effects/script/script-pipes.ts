/**
 * The three streams of a script. Node's pipes are sockets, and a socket cannot be opened by name, so
 * `echo failed > /dev/stderr` would fail in every script. Therefore stdin is a file and the outputs are
 * named pipes, all removed from the folder before the script starts. Without named pipes (Windows, no
 * `mkfifo`) the outputs are Node's own pipes.
 */
import { execFile, type ChildProcess } from 'node:child_process';
import { closeSync, constants, openSync, unlinkSync } from 'node:fs';
import { unlink, writeFile } from 'node:fs/promises';
import { Socket } from 'node:net';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { readProperty } from '../../errors/support/safe-json.ts';

const run = promisify(execFile);

export interface ScriptPipes {
  /** For `spawn`. */
  readonly stdio: [stdin: number | 'ignore', stdout: number | 'pipe', stderr: number | 'pipe'];
  /** Call once after `spawn`, even if it failed: returns the ends to read. */
  attach(
    child: ChildProcess | undefined,
  ): readonly [stdout: Readable | null, stderr: Readable | null];
}

/** Rejects if they cannot be created. */
export async function openPipes(folder: string, stdin: string | undefined): Promise<ScriptPipes> {
  const opened: number[] = [];
  const keep = (descriptor: number): number => {
    opened.push(descriptor);
    return descriptor;
  };
  try {
    const input =
      stdin === undefined ? 'ignore' : keep(await openInput(join(folder, 'stdin'), stdin));
    const paths = [join(folder, 'stdout'), join(folder, 'stderr')] as const;
    const outputs = (await canMakePipes(paths)) ? paths.map((path) => openPipe(path, keep)) : [];
    return {
      stdio: [input, outputs[0]?.write ?? 'pipe', outputs[1]?.write ?? 'pipe'],
      attach: (child) => {
        if (typeof input === 'number') closeSync(input);
        const [stdout, stderr] = outputs.map(readEnd);
        return [stdout ?? child?.stdout ?? null, stderr ?? child?.stderr ?? null];
      },
    };
  } catch (thrown) {
    opened.forEach((descriptor) => closeSync(descriptor));
    throw new PipesError(thrown);
  }
}

/** Has the system's error code. */
class PipesError extends Error {
  readonly code: unknown;

  constructor(cause: unknown) {
    super('The pipes of a script could not be opened', { cause });
    this.code = readProperty(cause, 'code');
  }
}

/** A file: a script that does not read all of it causes no error. */
async function openInput(path: string, text: string): Promise<number> {
  await writeFile(path, text, { mode: 0o600, flag: 'wx' });
  const input = openSync(path, 'r');
  await unlink(path);
  return input;
}

async function canMakePipes(paths: readonly string[]): Promise<boolean> {
  if (process.platform === 'win32') return false;
  try {
    await run('mkfifo', ['-m', '600', ...paths]);
    return true;
  } catch {
    return false;
  }
}

interface Pipe {
  readonly read: number;
  readonly write: number;
}

/** Opens the reader first and without blocking, because opening a named pipe waits for its other end. */
function openPipe(path: string, keep: (descriptor: number) => number): Pipe {
  const read = keep(openSync(path, constants.O_RDONLY | constants.O_NONBLOCK));
  const write = keep(openSync(path, constants.O_WRONLY));
  unlinkSync(path);
  return { read, write };
}

/** Closes our copy of the write end, so that the stream ends with its last writer. */
function readEnd({ read, write }: Pipe): Readable {
  closeSync(write);
  return new Socket({ fd: read, readable: true, writable: false });
}
