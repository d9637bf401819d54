/** Stops what serves until it is stopped: the first signal asks, a second one ends the process at once. */
import { INTERRUPTED, noteLeftRunning } from './command-end.ts';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'] as const;

export class Stopping {
  /** Aborted with the first signal. */
  readonly signal: AbortSignal;
  readonly asked: Promise<void>;
  readonly #listener: () => void;

  constructor() {
    const { promise, resolve } = Promise.withResolvers<void>();
    const controller = new AbortController();
    this.signal = controller.signal;
    this.asked = promise;
    this.#listener = () => {
      this.off();
      for (const signal of SIGNALS) process.once(signal, () => process.exit(INTERRUPTED));
      // what it executes may ignore that it is stopped
      noteLeftRunning();
      controller.abort();
      resolve();
    };
    for (const signal of SIGNALS) process.on(signal, this.#listener);
  }

  off(): void {
    for (const signal of SIGNALS) process.off(signal, this.#listener);
  }
}
