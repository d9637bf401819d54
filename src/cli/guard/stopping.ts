/**
 * Stops a server or worker on a signal: the first one asks, a second one ends the process at once.
 */
import { codeOfSignal, noteEnd, noteLeftRunning, STOP_SIGNALS } from './command-end.ts';

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
      // noted as the end, because a process that ends before its command would blame foreign code
      for (const signal of STOP_SIGNALS)
        process.once(signal, () => process.exit(noteEnd(codeOfSignal(signal))));
      // the work that it executes may ignore the stop
      noteLeftRunning();
      controller.abort();
      resolve();
    };
    for (const signal of STOP_SIGNALS) process.on(signal, this.#listener);
  }

  off(): void {
    for (const signal of STOP_SIGNALS) process.off(signal, this.#listener);
  }
}
