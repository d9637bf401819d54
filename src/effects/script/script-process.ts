/**
 * Runs one process from start to end: collects its output within limits, and stops it with its whole group
 * at its time limit or on abort. Never rejects. When it settles, the process has ended and no listener or
 * pipe of ours is left.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import type { Readable } from 'node:stream';
import { boundOutput, type BoundedOutput } from '../process/bounded-output.ts';
import type { EffectClock } from '../clock.ts';
import { endGroup, isGoneWithin, termReach, type TermReach } from '../process/process-group.ts';
import { isStillHeld, drainOutput } from '../process/drain-output.ts';
import type { ScriptPipes } from './script-pipes.ts';

const MAX_STDOUT_BYTES = 10 * 1024 * 1024;
const MAX_STDERR_BYTES = 1024 * 1024;

/** Time for leftover processes to finish by themselves, such as a `tee` that gets the output. */
const LEFTOVER_MS = 1000;

/** Time for the last output of killed processes; only one that left the group can hold a pipe longer. */
const DRAIN_MS = 500;

export interface ProcessSpec {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd?: string;
  readonly pipes: ScriptPipes;
}

export interface ProcessControl {
  readonly signal: AbortSignal;
  readonly onStarted?: (pid: number) => void;
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
      /** The processes that our signal could end, where an abort ended it. */
      readonly reach: TermReach;
      /** False if a member of the group could not be ended. */
      readonly isGone: boolean;
      /** A leftover process still held stdout when reading stopped. */
      readonly isCutShort: boolean;
      readonly stdout: BoundedOutput;
      readonly stderr: BoundedOutput;
    };

export async function runProcess(spec: ProcessSpec, control: ProcessControl): Promise<ProcessEnd> {
  const started = await start(spec);
  if (!('pid' in started)) return { started: false, thrown: started.thrown };
  const { pid, stdout, stderr, exited, streams, answers, release } = started;
  const stop = whenStopped(control);
  control.onStarted?.(pid);
  try {
    const first = await Promise.race([exited, stop.promise]);
    const endedBy = typeof first === 'string' ? first : 'itself';
    const isLeft = endedBy === 'itself' && !(await isGoneInTime(pid, stop.promise));
    const wasHeld = isLeft && (await isStillHeld(answers));
    const reach = endedBy === 'abort' ? termReach(pid) : 'leader';
    // children of a script end with it, or a second attempt would run beside the first
    const isGone = endedBy === 'itself' && !isLeft ? true : await endGroup(pid);
    await drainOutput(streams, DRAIN_MS);
    const isCutShort = wasHeld || (endedBy === 'itself' && (await isStillHeld(answers)));
    const exit = isGone || endedBy === 'itself' ? await exited : { exitCode: null, signal: null };
    return { started: true, ...exit, endedBy, reach, isGone, isCutShort, stdout, stderr };
  } finally {
    stop.cancel();
    release();
  }
}

interface Exit {
  readonly exitCode: number | null;
  readonly signal: string | null;
}

interface Started {
  readonly pid: number;
  readonly stdout: BoundedOutput;
  readonly stderr: BoundedOutput;
  readonly exited: Promise<Exit>;
  readonly streams: readonly Readable[];
  /** The stream of stdout. */
  readonly answers: Readable | null;
  readonly release: () => void;
}

async function start(spec: ProcessSpec): Promise<Started | { readonly thrown: unknown }> {
  let child: ChildProcess;
  try {
    child = spawn(spec.command, spec.args, {
      ...(spec.cwd === undefined ? {} : { cwd: spec.cwd }),
      env: spec.env,
      detached: process.platform !== 'win32',
      shell: false,
      stdio: spec.pipes.stdio,
      windowsHide: true,
    });
  } catch (thrown) {
    // an argument or a variable that the system cannot pass on
    for (const stream of spec.pipes.attach(undefined)) stream?.destroy();
    return { thrown };
  }
  const started = Promise.withResolvers<{ readonly thrown: unknown } | undefined>();
  const exited = Promise.withResolvers<Exit>();
  child.once('spawn', () => started.resolve(undefined));
  // an error after the start comes from signalling, which `endGroup` covers
  child.on('error', (thrown) => started.resolve({ thrown }));
  child.once('exit', (exitCode, signal) => exited.resolve({ exitCode, signal }));

  const attached = spec.pipes.attach(child);
  const stdout = collect(attached[0], boundOutput(MAX_STDOUT_BYTES, 'head'));
  const stderr = collect(attached[1], boundOutput(MAX_STDERR_BYTES, 'tail'));
  const streams = attached.filter((stream) => stream !== null);
  const release = (): void => {
    for (const stream of streams) stream.destroy();
    child.unref();
  };
  const failed = await started.promise;
  if (failed !== undefined || child.pid === undefined) {
    release();
    return failed ?? { thrown: new Error('The process has no id') };
  }
  return {
    pid: child.pid,
    stdout,
    stderr,
    exited: exited.promise,
    streams,
    answers: attached[0],
    release,
  };
}

function collect(stream: Readable | null, output: BoundedOutput): BoundedOutput {
  stream?.on('data', (chunk: Buffer) => output.add(chunk));
  // a broken pipe ends the stream: earlier output is kept
  stream?.on('error', () => stream.destroy());
  return output;
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

/** Whether leftover processes end by themselves before we stop them. */
async function isGoneInTime(pid: number, stopped: Promise<unknown>): Promise<boolean> {
  return Promise.race([isGoneWithin(pid, LEFTOVER_MS), stopped.then(() => false)]);
}
