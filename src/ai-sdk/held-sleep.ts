/** A wait that keeps the process alive only while somebody waits for the work that it limits. */
import { readProperty } from '../errors/support/safe-json.ts';
import { MACHINE_CLOCK, timer, type ResilienceClock } from '../machine-clock.ts';

/** The longest that a timer can wait. */
const MAX_TIMER_MS = 2 ** 31 - 1;

export interface HeldSleep {
  /**
   * Resolves after the time, or sooner if that is very long; rejects when the signal is aborted.
   */
  readonly over: Promise<void>;
  /** Keeps the process alive. */
  readonly hold: () => void;
  readonly letGo: () => void;
}

export function heldSleep(clock: ResilienceClock, ms: number, signal: AbortSignal): HeldSleep {
  // a clock of the caller's holds no process that is known here
  if (clock !== MACHINE_CLOCK)
    return { over: clock.sleep(ms, signal), hold: ignore, letGo: ignore };
  let running: unknown;
  const over = timer(Math.min(ms, MAX_TIMER_MS), signal, (started) => (running = started));
  // only Node's timers hold a process
  const call = (name: 'ref' | 'unref'): void => {
    const method = readProperty(running, name);
    if (typeof method === 'function') Reflect.apply(method, running, []);
  };
  return { over, hold: () => call('ref'), letGo: () => call('unref') };
}

function ignore(): void {
  // nothing is held
}
