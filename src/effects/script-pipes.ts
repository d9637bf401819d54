/**
 * The three streams of a script. Node's own pipes are sockets, and a socket cannot be opened by name:
 * `echo failed > /dev/stderr` would fail in every script. So stdin is a file and the outputs are
 * named pipes, all three gone from the folder before the script starts. Where named pipes cannot be
 * made (Windows, a system without `mkfifo`), the outputs are Node's own.
 */
import { execFile, type ChildProcess } from 'node:child_process';
import { closeSync, constants, openSync, unlinkSync } from 'node:fs';
import { unlink, writeFile } from 'node:fs/promises';
import { Socket } from 'node:net';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { readProperty } from '../errors/json.ts';

const run = promisify(execFile);

export interface ScriptPipes {
  /** For `spawn`. */
  readonly stdio: [stdin: number | 'ignore', stdout: number | 'pipe', stderr: number | 'pipe'];
  /** Once, after `spawn`, however that went: the ends that we read. */
  attach(
    child: ChildProcess | undefined,
  ): readonly [stdout: Readable | null, stderr: Readable | null];
}

/** Rejects when there is no room for them. */
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

/** With the code of what the system said. */
class PipesError extends Error {
  readonly code: unknown;

  constructor(cause: unknown) {
    super('The pipes of a script could not be opened', { cause });
    this.code = readProperty(cause, 'code');
  }
}

/** A script that does not read it, or not to the end, breaks nothing. */
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

/** The reader first and without waiting: a named pipe waits for its other end. */
function openPipe(path: string, keep: (descriptor: number) => number): Pipe {
  const read = keep(openSync(path, constants.O_RDONLY | constants.O_NONBLOCK));
  const write = keep(openSync(path, constants.O_WRONLY));
  unlinkSync(path);
  return { read, write };
}

/** Our copy of the other end goes, so that the end of the last writer is the end of the stream. */
function readEnd({ read, write }: Pipe): Readable {
  closeSync(write);
  return new Socket({ fd: read, readable: true, writable: false });
}
