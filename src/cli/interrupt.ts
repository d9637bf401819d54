/**
 * What ends a leg before its time: a signal, or that nobody can read any more what it says. Either
 * way the run is stopped cleanly and stays resumable, and nothing that it started runs on.
 */
import type { RunHandle } from '../drivers/local.ts';

export interface Interrupt {
  readonly run: string;
  readonly now: () => void;
  /** The leg has come to rest. */
  readonly off: () => void;
}

export const INTERRUPTED = 130;
const TERMINATED = 143;

/** SIGHUP: the terminal was closed. */
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Of the leg that is under way. */
let present: Interrupt | undefined;

/** Ctrl-C leaves the run resumable; a second one ends at once. */
export function onInterrupt(handle: RunHandle): Interrupt {
  let isStopped = false;
  const letGo = (): void => {
    for (const signal of SIGNALS) process.off(signal, stop);
  };
  const stop = (signal: NodeJS.Signals): void => {
    letGo();
    // a signal was first, or another line that nobody could read
    if (isStopped) return;
    isStopped = true;
    process.exitCode = signal === 'SIGINT' ? INTERRUPTED : TERMINATED;
    handle.stop();
  };
  const interrupt: Interrupt = {
    run: handle.id,
    now: () => stop('SIGINT'),
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
  /** How the command ends, once that is known. */
  exitCode: number | undefined;
  /** The command is about to end by itself. */
  readonly off: () => void;
}

/**
 * Functions and extensions share our process, and can end it. What is not over has then not gone well,
 * whatever exit code they give.
 */
export function onEarlyEnd(tell: (line: string) => void): EarlyEnd {
  const end = (code: number): void => {
    if (early.exitCode === undefined) {
      process.exitCode = INTERRUPTED;
      if (present !== undefined) tell(cutOffText(present.run));
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
  return `▪ ${run} is not over: something in this process ended it, a function or an extension. Resume with: errand resume ${run}`;
}

/** Ends the command; what is under way is stopped first, however long that takes. */
export function leave(exitCode: number): void {
  if (present !== undefined) present.now();
  else if (process.listenerCount('SIGINT') > 0) process.emit('SIGINT', 'SIGINT');
  else process.exit(exitCode);
}
