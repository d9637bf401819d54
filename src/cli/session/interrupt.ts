/**
 * Interrupts a leg on a signal, or when its output can no longer be read. The run is stopped cleanly and
 * stays resumable, and none of its processes is left running.
 */
import type { RunHandle } from '../../engine/backend.ts';
import type { ErrandError } from '../../errors/thrown/errand-error.ts';
import {
  codeOfSignal,
  noteEnd,
  noteLeftRunning,
  onCrash,
  STOP_SIGNALS,
} from '../guard/command-end.ts';

export interface Interrupt {
  /** The crash that stopped the leg. */
  readonly crash: () => ErrandError | undefined;
  readonly now: () => void;
  /** Whether it has come. */
  readonly hasCome: () => boolean;
  /** Call it when the leg has ended. */
  readonly off: () => void;
}

/** The interrupt of the running leg. */
let present: Interrupt | undefined;

/** Ctrl-C leaves the run resumable; a second one ends the process at once. */
export function onInterrupt(handle: RunHandle): Interrupt {
  let isStopped = false;
  let crash: ErrandError | undefined;
  const letGo = (): void => {
    for (const signal of STOP_SIGNALS) process.off(signal, stop);
  };
  const stop = (signal: NodeJS.Signals): void => {
    letGo();
    // already stopped, by a signal or by a failed write
    if (isStopped) return;
    isStopped = true;
    process.exitCode = codeOfSignal(signal);
    noteLeftRunning();
    handle.stop();
  };
  const offCrash = onCrash({
    stop: (thrown) => {
      crash = thrown;
      stop('SIGINT');
    },
  });
  const interrupt: Interrupt = {
    crash: () => crash,
    now: () => stop('SIGINT'),
    hasCome: () => isStopped,
    off: () => {
      letGo();
      offCrash();
      if (present === interrupt) present = undefined;
    },
  };
  for (const signal of STOP_SIGNALS) process.on(signal, stop);
  present = interrupt;
  return interrupt;
}

/** Ends the command; a running leg is stopped first, however long that takes. */
export function leave(exitCode: number): void {
  if (present !== undefined) present.now();
  else if (process.listenerCount('SIGINT') > 0) process.emit('SIGINT', 'SIGINT');
  else process.exit(noteEnd(exitCode));
}
