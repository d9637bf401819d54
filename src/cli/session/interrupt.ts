/**
 * Interrupts a leg on a signal, or when its output can no longer be read. The run is stopped cleanly and
 * stays resumable, and none of its processes is left running.
 */
import type { RunHandle } from '../../engine/backend.ts';

export interface Interrupt {
  readonly run: string;
  readonly now: () => void;
  /** Whether it has come. */
  readonly hasCome: () => boolean;
  /** Call it when the leg has ended. */
  readonly off: () => void;
}

export const INTERRUPTED = 130;
const TERMINATED = 143;

/** SIGHUP: the terminal was closed. */
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** The interrupt of the running leg. */
let present: Interrupt | undefined;

/** Ctrl-C leaves the run resumable; a second one ends the process at once. */
export function onInterrupt(handle: RunHandle): Interrupt {
  let isStopped = false;
  const letGo = (): void => {
    for (const signal of SIGNALS) process.off(signal, stop);
  };
  const stop = (signal: NodeJS.Signals): void => {
    letGo();
    // already stopped, by a signal or by a failed write
    if (isStopped) return;
    isStopped = true;
    process.exitCode = signal === 'SIGINT' ? INTERRUPTED : TERMINATED;
    handle.stop();
  };
  const interrupt: Interrupt = {
    run: handle.id,
    now: () => stop('SIGINT'),
    hasCome: () => isStopped,
    off: () => {
      letGo();
      if (present === interrupt) present = undefined;
    },
  };
  for (const signal of SIGNALS) process.on(signal, stop);
  present = interrupt;
  return interrupt;
}

export interface EarlyEnd {
  /** The exit code of the command, once it is known. */
  exitCode: number | undefined;
  /** Call it when the command is about to end by itself. */
  readonly off: () => void;
}

/**
 * Functions and extensions share our process and can end it. An unfinished run must then not exit with 0,
 * whatever code they exit with.
 */
export function onEarlyEnd(print: (line: string) => void): EarlyEnd {
  const end = (code: number): void => {
    if (early.exitCode === undefined) {
      process.exitCode = INTERRUPTED;
      if (present !== undefined) print(cutOffText(present.run));
    } else if (code === 0) process.exitCode = early.exitCode;
  };
  const early: EarlyEnd = {
    exitCode: undefined,
    off: () => void process.off('exit', end),
  };
  process.on('exit', end);
  return early;
}

function cutOffText(run: string): string {
  return `▪ ${run} was cut off: a function or an extension ended this process. Resume with: errand resume ${run}`;
}

/** Ends the command; a running leg is stopped first, however long that takes. */
export function leave(exitCode: number): void {
  if (present !== undefined) present.now();
  else if (process.listenerCount('SIGINT') > 0) process.emit('SIGINT', 'SIGINT');
  else process.exit(exitCode);
}
