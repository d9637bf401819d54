/**
 * The three streams of a script. Node's pipes are sockets, and a socket cannot be opened by name, so
 * `echo failed > /dev/stderr` would fail in every script. Therefore stdin is a file and the outputs are
 * named pipes, all removed from the folder before the script starts. Without named pipes (Windows, no
 * `mkfifo`) the outputs are Node's own pipes. Starting `mkfifo` takes as long as starting a short script, so it
 * makes pipes for several scripts at once; those without a script yet are open and have no name.
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

/** Pipes for so many scripts are made ahead. */
export const SCRIPTS_AHEAD = 7;
const OUTPUTS = 2;

const spare: Pipe[] = [];
let making: Promise<boolean> | undefined;
let waiting = 0;

/** Rejects if they cannot be created. */
export async function openPipes(folder: string, stdin: string | undefined): Promise<ScriptPipes> {
  let input: number | 'ignore' = 'ignore';
  try {
    if (stdin !== undefined) input = await openInput(join(folder, 'stdin'), stdin);
    const outputs = await takePipes(folder);
    return {
      stdio: [input, outputs[0]?.write ?? 'pipe', outputs[1]?.write ?? 'pipe'],
      attach: (child) => {
        if (typeof input === 'number') closeSync(input);
        const [stdout, stderr] = outputs.map(readEnd);
        return [stdout ?? child?.stdout ?? null, stderr ?? child?.stderr ?? null];
      },
    };
  } catch (thrown) {
    if (typeof input === 'number') closeSync(input);
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

/** Two pipes that nobody else has; none where the system has no named pipes. */
async function takePipes(folder: string): Promise<readonly Pipe[]> {
  waiting++;
  try {
    while (spare.length < OUTPUTS) {
      making ??= makePipes(folder, OUTPUTS * (waiting + SCRIPTS_AHEAD)).finally(() => {
        making = undefined;
      });
      if (!(await making)) return [];
    }
    return spare.splice(-OUTPUTS);
  } finally {
    waiting--;
  }
}

/** Returns false where the system has none. */
async function makePipes(folder: string, count: number): Promise<boolean> {
  if (process.platform === 'win32') return false;
  const paths = Array.from({ length: count }, (_, index) => join(folder, `pipe-${index}`));
  try {
    await run('mkfifo', ['-m', '600', ...paths]);
  } catch {
    return false;
  }
  try {
    for (const path of paths) spare.push(openPipe(path));
    if (!hasRoom()) closeSpare();
  } catch (thrown) {
    closeSpare();
    if (spare.length < OUTPUTS) throw thrown;
  } finally {
    for (const path of paths) unlinkSync(path);
  }
  return true;
}

/**
 * Descriptors that prepared pipes leave for everything else: starting the script needs some as
 * well.
 */
const ROOM = 16;

function hasRoom(): boolean {
  const probes: number[] = [];
  try {
    while (probes.length < ROOM) probes.push(openSync('/dev/null', 'r'));
    return true;
  } catch {
    return false;
  } finally {
    for (const probe of probes) closeSync(probe);
  }
}

/** Keeps what one script needs. */
function closeSpare(): void {
  for (const { read, write } of spare.splice(OUTPUTS)) {
    closeSync(read);
    closeSync(write);
  }
}

interface Pipe {
  readonly read: number;
  readonly write: number;
}

/** Opens the reader first and without blocking, because opening a named pipe waits for its other end. */
function openPipe(path: string): Pipe {
  const read = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    return { read, write: openSync(path, constants.O_WRONLY) };
  } catch (thrown) {
    closeSync(read);
    throw thrown;
  }
}

/** Closes our copy of the write end, so that the stream ends with its last writer. */
function readEnd({ read, write }: Pipe): Readable {
  closeSync(write);
  return new Socket({ fd: read, readable: true, writable: false });
}
