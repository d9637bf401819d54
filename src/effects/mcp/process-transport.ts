/**
 * A server that is a process of ours: one JSON message a line, in a process group of its own, so that
 * what it starts ends with it. The package's own transport knows no groups and gives up a server
 * whose message is too long; here such a message is passed over and its request told.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import type { Readable } from 'node:stream';
import { boundOutput, type BoundedOutput } from '../bounded-output.ts';
import { endGroup, isGoneWithin } from '../process-group.ts';
import { readOut } from '../read-out.ts';
import { createLines } from './lines.ts';
import type { McpMessage, McpTransport } from './sdk.ts';
import { tooLongFor } from './too-long.ts';

const MAX_STDERR_BYTES = 4096;

/** A well-behaved server ends when nobody writes to it any more. */
const LEAVES_MS = 250;

/** For the last that it wrote to be read. */
const DRAIN_MS = 500;

export interface ServerCommand {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
}

export interface ProcessEnd {
  readonly exitCode: number | null;
  readonly signal: string | null;
}

/** Groups that a process which exits in a hurry has to take along. */
const LIVING = new Set<number>();

export class ProcessTransport implements McpTransport {
  onclose?: (() => void) | undefined;
  onerror?: ((error: Error) => void) | undefined;
  onmessage?: ((message: McpMessage) => void) | undefined;

  readonly #command: ServerCommand;
  readonly #stderr: BoundedOutput = boundOutput(MAX_STDERR_BYTES, 'tail');
  #child: ChildProcess | undefined;
  #pid: number | undefined;
  #end: ProcessEnd | undefined;
  #ending: Promise<void> | undefined;
  #delivered: Promise<void> = Promise.resolve();

  constructor(command: ServerCommand) {
    this.#command = command;
  }

  /** How it ended, once it did. */
  get end(): ProcessEnd | undefined {
    return this.#end;
  }

  /** The last that it wrote to stderr. */
  stderrTail(): string {
    return this.#stderr.text((text) => text).text.trim();
  }

  async start(): Promise<void> {
    const { command, args, env, cwd } = this.#command;
    const child = spawn(command, args, {
      cwd,
      env,
      detached: process.platform !== 'win32',
      shell: false,
      stdio: ['pipe', 'pipe', 'pipe'],
      windowsHide: true,
    });
    this.#child = child;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    child.once('spawn', resolve);
    // one that comes later is of signalling, which the group's own way covers
    child.on('error', reject);
    child.once('exit', (exitCode, signal) => {
      this.#end = { exitCode, signal };
      // what it started may hold its pipes open for good
      void readOut([child.stdout, child.stderr], DRAIN_MS).then(() => this.#over());
    });
    // after `exit`, when everything that it wrote has been read
    child.once('close', () => this.#over());
    // a server that is gone cannot be written to; that it is gone is told by `close`
    child.stdin.on('error', (error) => this.onerror?.(error));
    this.#listen(child.stdout);
    child.stderr.on('data', (chunk: Buffer) => this.#stderr.add(chunk));
    await promise;
    this.#pid = child.pid;
    if (this.#pid !== undefined) remember(this.#pid);
  }

  async send(message: McpMessage): Promise<void> {
    const stdin = this.#child?.stdin;
    if (stdin === undefined || stdin === null || !stdin.writable || this.#end !== undefined)
      throw new Error('The server is not running');
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    stdin.write(`${JSON.stringify(message)}\n`, (error) => {
      if (error === null || error === undefined) resolve();
      else void this.#exit().then(() => reject(error));
    });
    return promise;
  }

  /** A pipe breaks a moment before its process is known to be gone, and how it ended says more. */
  #exit(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    if (this.#end !== undefined) resolve();
    this.#child?.once('exit', () => resolve());
    setTimeout(resolve, DRAIN_MS).unref();
    return promise;
  }

  /** Settles when nobody of its group is left. */
  close(): Promise<void> {
    return (this.#ending ??= this.#leave());
  }

  async #leave(): Promise<void> {
    const pid = this.#pid;
    this.#child?.stdin?.end();
    if (pid !== undefined && !(await isGoneWithin(pid, LEAVES_MS))) await endGroup(pid);
    // what left the group on purpose may still hold a pipe; it is not waited for
    this.#child?.stdout?.destroy();
    this.#child?.stderr?.destroy();
    if (pid !== undefined) LIVING.delete(pid);
    this.#announce();
  }

  /** It ended by itself; what it started is ended too. */
  #over(): void {
    this.#announce();
    void this.close();
  }

  #announce(): void {
    const { onclose } = this;
    this.onclose = undefined;
    onclose?.();
  }

  #listen(stdout: Readable): void {
    const lines = createLines({
      line: (text) => this.#read(text),
      tooLong: (head, tail) => this.#passOver(head, tail),
    });
    stdout.on('data', (chunk: Buffer) => lines.add(chunk));
    stdout.on('error', (error) => this.onerror?.(error));
  }

  #read(text: string): void {
    let message: unknown;
    try {
      message = JSON.parse(text);
    } catch (thrown) {
      // a server that prints to stdout what belongs to stderr; the next line may be a message
      this.onerror?.(new Error('The server wrote a line that is not JSON', { cause: thrown }));
      return;
    }
    // what it holds is checked by the client
    this.#deliver(message as McpMessage);
  }

  /**
   * One at a time: the client looks at a notification a moment after it has it, and would have
   * forgotten the call by then if the answer came along in the same breath.
   */
  #deliver(message: McpMessage): void {
    this.#delivered = this.#delivered.then(() => this.onmessage?.(message)).catch(this.#complain);
  }

  readonly #complain = (thrown: unknown): void => {
    this.onerror?.(new Error('The client could not take a message', { cause: thrown }));
  };

  #passOver(head: string, tail: string): void {
    const answer = tooLongFor(head, tail);
    if (answer !== undefined) this.#deliver(answer);
    else this.onerror?.(new Error('The server wrote a message that is too long'));
  }
}

let isWatching = false;

/** The last net, for a process that ends without closing what it opened. */
function remember(pid: number): void {
  LIVING.add(pid);
  if (isWatching) return;
  isWatching = true;
  process.once('exit', () => {
    for (const leader of LIVING) killNow(leader);
  });
}

function killNow(leader: number): void {
  try {
    process.kill(process.platform === 'win32' ? leader : -leader, 'SIGKILL');
  } catch {
    // it was gone already
  }
}
