/**
 * The transport to a server process: one JSON message per line, in its own process group, so that its
 * children end with it. The package's transport has no groups and drops a server whose message is too
 * long; here only the request of that message fails.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import type { Readable } from 'node:stream';
import { boundOutput, type BoundedOutput } from '../process/bounded-output.ts';
import { endGroup, isGoneWithin } from '../process/process-group.ts';
import { drainOutput } from '../process/drain-output.ts';
import { flawIn, withFlaw } from './inexact-result.ts';
import { createLines } from './split-lines.ts';
import type { McpMessage, McpTransport } from './mcp-client-sdk.ts';
import { tooLongFor } from './too-long.ts';

const MAX_STDERR_BYTES = 4096;

/** A well-behaved server exits when its stdin is closed. */
const LEAVES_MS = 250;

/** Time to read its last output. */
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

/** Groups to kill when this process exits without closing. */
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
  #settled: Promise<void> | undefined;
  #delivered: Promise<void> = Promise.resolve();

  constructor(command: ServerCommand) {
    this.#command = command;
  }

  /** Set once it has ended. */
  get end(): ProcessEnd | undefined {
    return this.#end;
  }

  /** The end of its stderr. `redact` sees it before it is cut: half of a secret is not recognised. */
  stderrTail(redact: (text: string) => string): string {
    return this.#stderr.text(redact).text.trim();
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
    // a later error comes from signalling, which `endGroup` covers
    child.on('error', reject);
    child.once('exit', (exitCode, signal) => {
      this.#end = { exitCode, signal };
      // its children may hold the pipes open forever
      void drainOutput([child.stdout, child.stderr], DRAIN_MS).then(() => this.#over());
    });
    // after `exit`, when all output has been read
    child.once('close', () => this.#over());
    // writing to a dead server fails; `close` reports its end
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

  /** A pipe breaks shortly before the exit is reported, and the exit says more. */
  #exit(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    if (this.#end !== undefined) resolve();
    this.#child?.once('exit', () => resolve());
    setTimeout(resolve, DRAIN_MS).unref();
    return promise;
  }

  /** Settles when no member of its group is left. */
  close(): Promise<void> {
    return (this.#settled ??= this.#leave());
  }

  async #leave(): Promise<void> {
    const pid = this.#pid;
    this.#child?.stdin?.end();
    if (pid !== undefined && !(await isGoneWithin(pid, LEAVES_MS))) await endGroup(pid);
    // a process that left the group may still hold a pipe; we do not wait for it
    this.#child?.stdout?.destroy();
    this.#child?.stderr?.destroy();
    if (pid !== undefined) LIVING.delete(pid);
    this.#announce();
  }

  /** It exited by itself; its children are ended too. */
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
      line: (text, isUtf8) => this.#read(text, isUtf8),
      tooLong: (head, tail) => this.#passOver(head, tail),
    });
    stdout.on('data', (chunk: Buffer) => lines.add(chunk));
    stdout.on('error', (error) => this.onerror?.(error));
  }

  #read(text: string, isUtf8: boolean): void {
    let message: unknown;
    try {
      message = JSON.parse(text);
    } catch (thrown) {
      // a server that logs to stdout; the next line may be a message
      this.onerror?.(new Error('The server wrote a line that is not JSON', { cause: thrown }));
      return;
    }
    // true enough: the client checks the content
    this.#deliver(withFlaw(message as McpMessage, flawIn(text, isUtf8)));
  }

  /**
   * One message per turn: the client handles a notification asynchronously, and would have dropped its
   * call if the response arrived in the same turn.
   */
  #deliver(message: McpMessage): void {
    this.#delivered = this.#delivered.then(() => this.onmessage?.(message)).catch(this.#complain);
  }

  readonly #complain = (thrown: unknown): void => {
    this.onerror?.(new Error('The client could not handle a message', { cause: thrown }));
  };

  #passOver(head: string, tail: string): void {
    const answer = tooLongFor(head, tail);
    if (answer !== undefined) this.#deliver(answer);
    else this.onerror?.(new Error('The server wrote a message that is too long'));
  }
}

let isWatching = false;

/** The last resort, for a process that exits without closing its servers. */
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
    // it had already ended
  }
}
