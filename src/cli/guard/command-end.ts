/**
 * The end of the running command, and who handles a crash before it. A command, a project and a leg each
 * register themselves while they last; the innermost handles it. Loads nothing, because `--help` needs none of it.
 */
import type { ErrandError } from '../../errors/thrown/errand-error.ts';

export interface CrashHandler {
  /** Ends the work in order; the process is still running. */
  readonly stop: (crash: ErrandError) => void;
  /** How long that may take before the process is ended anyway. */
  readonly longestMs?: number;
  /**
   * Prints at once that the process ends now, and returns the exit code. Default: that of the
   * enclosing handler.
   */
  readonly cutOff?: (crash: ErrandError) => number;
}

/** The exit code of a command whose run was stopped and can be resumed. */
export const INTERRUPTED = 130;
const TERMINATED = 143;

/** SIGHUP: the terminal was closed. SIGQUIT: Ctrl-\, which would leave scripts running. */
export const STOP_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'] as const;
const FROM_KEYBOARD: ReadonlySet<NodeJS.Signals> = new Set(['SIGINT', 'SIGQUIT']);

/** The exit code of a command that this signal stopped. */
export function codeOfSignal(signal: NodeJS.Signals): number {
  return FROM_KEYBOARD.has(signal) ? INTERRUPTED : TERMINATED;
}

const handlers: CrashHandler[] = [];
let exitCode: number | undefined;
let isOutputLost = false;
let hasCrashed = false;
let isLeftRunning = false;

/** Notes the printed result: no later event takes it back. */
export function noteEnd(code: number): number {
  exitCode = code;
  return code;
}

/** A result that nobody can read is no success, and nobody interrupted the run that it stops. */
export function noteLostOutput(): void {
  isOutputLost = true;
}

export function beginCommand(outermost: CrashHandler): void {
  handlers.splice(0, handlers.length, outermost);
  exitCode = undefined;
  isOutputLost = false;
  hasCrashed = false;
  isLeftRunning = false;
}

/** Stopped or abandoned work may ignore that and run for ever. */
export function noteLeftRunning(): void {
  isLeftRunning = true;
}

/** Whether unfinished work of the command may keep the process from ending. */
export function mayBeHeld(): boolean {
  return hasCrashed || isLeftRunning;
}

/** Returns the exit code of a command that has ended. */
export function endOfCommand(): number | undefined {
  return isOutputLost && (exitCode === 0 || exitCode === INTERRUPTED) ? 1 : exitCode;
}

/** Returns how to take it back. */
export function onCrash(handler: CrashHandler): () => void {
  handlers.push(handler);
  return () => {
    const at = handlers.indexOf(handler);
    if (at >= 0) handlers.splice(at, 1);
  };
}

/** Rejects with the crash when one comes before the work is done. */
export async function untilCrash<T>(
  work: () => Promise<T>,
  cutOff: (crash: ErrandError) => number,
): Promise<T> {
  const { promise: crashed, reject } = Promise.withResolvers<never>();
  const off = onCrash({ stop: reject, cutOff });
  try {
    return await Promise.race([work(), crashed]);
  } finally {
    off();
  }
}

/** Time for a leg to stop its effects, and for extensions to close. */
const LONGEST_END_MS = 15_000;

/** Stops what is running, unless the command has ended already. */
export function stopForCrash(crash: ErrandError): void {
  const handler = exitCode === undefined ? handlers.at(-1) : undefined;
  hasCrashed = true;
  // the handler that should stop the work may itself be broken
  setTimeout(() => process.exit(), handler?.longestMs ?? LONGEST_END_MS).unref();
  handler?.stop(crash);
}

export function cutOffByCrash(crash: ErrandError): number | undefined {
  return handlers.findLast(({ cutOff }) => cutOff !== undefined)?.cutOff?.(crash);
}
