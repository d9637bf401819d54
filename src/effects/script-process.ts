/**
 * One real process from start to end: its output is collected within bounds, its input written, and
 * it is stopped with its whole group at its time limit or when it is no longer wanted. Never rejects;
 * when it settles the process has been collected and no listener or pipe of ours is left.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import type { Readable } from 'node:stream';
import { boundOutput, type BoundedOutput } from './bounded-output.ts';
import type { EffectClock } from './clock.ts';
import { endGroup, isGoneWithin } from './process-group.ts';

const MAX_STDOUT_BYTES = 10 * 1024 * 1024;
const MAX_STDERR_BYTES = 1024 * 1024;

/** For what the script left running to finish by itself, such as a `tee` behind its output. */
const LEFTOVER_MS = 1000;

/** For the last output of what was killed; only what left the group can hold a pipe longer. */
const DRAIN_MS = 500;

export interface ProcessSpec {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd?: string;
  readonly stdin?: string;
}

export interface ProcessControl {
  readonly signal: AbortSignal;
  readonly timeoutMs?: number;
  readonly clock: EffectClock;
}

export type ProcessEnd =
  | { readonly started: false; readonly thrown: unknown }
  | {
      readonly started: true;
      /** Null when a signal ended it. */
      readonly exitCode: number | null;
      readonly signal: string | null;
      readonly endedBy: 'itself' | 'timeout' | 'abort';
      /** False when a part of the group could not be ended. */
      readonly isGone: boolean;
      readonly stdout: BoundedOutput;
      readonly stderr: BoundedOutput;
    };

export async function runProcess(spec: ProcessSpec, control: ProcessControl): Promise<ProcessEnd> {
  const started = await start(spec);
  if (!('child' in started)) return { started: false, thrown: started.thrown };
  const { child, pid, stdout, stderr, exited, closed } = started;
  const stop = whenStopped(control);
  try {
    const first = await Promise.race([exited, stop.promise]);
    const endedBy = typeof first === 'string' ? first : 'itself';
    const isGone =
      endedBy === 'itself' ? await endLeftovers(pid, stop.promise) : await endGroup(pid);
    await waitAtMost(closed, DRAIN_MS);
    const exit = isGone || endedBy === 'itself' ? await exited : { exitCode: null, signal: null };
    return { started: true, ...exit, endedBy, isGone, stdout, stderr };
  } finally {
    stop.cancel();
    release(child);
  }
}

async function waitAtMost(promise: Promise<unknown>, ms: number): Promise<void> {
  const { promise: over, resolve } = Promise.withResolvers<undefined>();
  const timer = setTimeout(() => resolve(undefined), ms);
  await Promise.race([promise, over]);
  clearTimeout(timer);
}

interface Exit {
  readonly exitCode: number | null;
  readonly signal: string | null;
}

interface Started {
  readonly child: ChildProcess;
  readonly pid: number;
  readonly stdout: BoundedOutput;
  readonly stderr: BoundedOutput;
  readonly exited: Promise<Exit>;
  /** All pipes are at their end too. */
  readonly closed: Promise<unknown>;
}

async function start(spec: ProcessSpec): Promise<Started | { readonly thrown: unknown }> {
  let child: ChildProcess;
  try {
    child = spawn(spec.command, spec.args, {
      ...(spec.cwd === undefined ? {} : { cwd: spec.cwd }),
      env: spec.env,
      detached: process.platform !== 'win32',
      shell: false,
      stdio: [spec.stdin === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
      windowsHide: true,
    });
  } catch (thrown) {
    // an argument or a variable that no process can be given
    return { thrown };
  }
  const outcome = Promise.withResolvers<{ readonly thrown: unknown } | undefined>();
  const exited = Promise.withResolvers<Exit>();
  const closed = Promise.withResolvers<undefined>();
  child.once('spawn', () => outcome.resolve(undefined));
  // an error after the start is one of signalling, which the group's own way covers
  child.on('error', (thrown) => outcome.resolve({ thrown }));
  child.once('exit', (exitCode, signal) => exited.resolve({ exitCode, signal }));
  child.once('close', () => closed.resolve(undefined));

  const stdout = collect(child.stdout, boundOutput(MAX_STDOUT_BYTES, 'head'));
  const stderr = collect(child.stderr, boundOutput(MAX_STDERR_BYTES, 'tail'));
  feed(child, spec.stdin);
  const failed = await outcome.promise;
  if (failed !== undefined || child.pid === undefined) {
    release(child);
    return failed ?? { thrown: new Error('The process has no id') };
  }
  return { child, pid: child.pid, stdout, stderr, exited: exited.promise, closed: closed.promise };
}

function collect(stream: Readable | null, output: BoundedOutput): BoundedOutput {
  stream?.on('data', (chunk: Buffer) => output.add(chunk));
  // a pipe that breaks ends there: what came before is kept
  stream?.on('error', () => stream.destroy());
  return output;
}

/** A script need not read what it is given: it may close its end or exit at any time. */
function feed({ stdin }: ChildProcess, text: string | undefined): void {
  stdin?.on('error', () => stdin.destroy());
  if (text !== undefined) stdin?.end(text);
}

function release(child: ChildProcess): void {
  for (const stream of [child.stdin, child.stdout, child.stderr]) stream?.destroy();
  child.unref();
}

interface Stop {
  readonly promise: Promise<'timeout' | 'abort'>;
  readonly cancel: () => void;
}

function whenStopped({ signal, timeoutMs, clock }: ProcessControl): Stop {
  const { promise, resolve } = Promise.withResolvers<'timeout' | 'abort'>();
  const abort = (): void => resolve('abort');
  signal.addEventListener('abort', abort, { once: true });
  if (signal.aborted) abort();
  const stopTimer =
    timeoutMs === undefined ? undefined : clock.after(timeoutMs, () => resolve('timeout'));
  return {
    promise,
    cancel: () => {
      stopTimer?.();
      signal.removeEventListener('abort', abort);
    },
  };
}

/** What a script starts in its group ends with it, or a second try would run beside the first. */
async function endLeftovers(pid: number, stopped: Promise<unknown>): Promise<boolean> {
  const isGone = await Promise.race([isGoneWithin(pid, LEFTOVER_MS), stopped.then(() => false)]);
  return isGone || endGroup(pid);
}
