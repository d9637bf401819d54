/**
 * Passes the events of all runs to one listener, one after the other. A listener that is slow, fails
 * or hangs delays nothing; missed events are counted and reported.
 */
import { buildReport } from '../../errors/report/build.ts';
import { MACHINE_CLOCK } from '../../effects/clock.ts';
import type { ErrorReport } from '../../errors/report/report.ts';
import { ambientStamp } from '../../errors/thrown/stamp.ts';
import { toReport } from '../../errors/thrown/to-report.ts';
import type { RunEvent } from '../../machine/state/events.ts';

const MAX_WAITING = 10_000;

export class EventSink {
  readonly #name: string;
  readonly #listen: (event: RunEvent) => unknown;
  readonly #onWarning: (error: ErrorReport) => void;
  readonly #queue: RunEvent[] = [];
  #working: Promise<void> | undefined;
  #missed = 0;

  constructor(
    name: string,
    listen: (event: RunEvent) => unknown,
    onWarning: (error: ErrorReport) => void,
  ) {
    this.#name = name;
    this.#listen = listen;
    this.#onWarning = onWarning;
  }

  enqueue(event: RunEvent): void {
    if (this.#queue.length >= MAX_WAITING) {
      this.#missed++;
      return;
    }
    // a copy, which the listener may change
    this.#queue.push(structuredClone(event));
    this.#working ??= this.#work();
  }

  /** Waits until the queue is empty, at most for that time. */
  async close(timeoutMs: number): Promise<void> {
    const { promise: late, resolve } = Promise.withResolvers<void>();
    const stopTimer = MACHINE_CLOCK.after(timeoutMs, resolve);
    await Promise.race([this.#working, late]);
    stopTimer();
    const missed = this.#missed + this.#queue.splice(0).length;
    if (missed > 0) this.#warn(`missed ${missed} events, because it is too slow`);
  }

  async #work(): Promise<void> {
    // after the events of this turn, which belong together
    await Promise.resolve();
    let failures = 0;
    for (let event = this.#queue.shift(); event !== undefined; event = this.#queue.shift()) {
      try {
        await this.#listen(event);
        failures = 0;
      } catch (thrown) {
        // a listener that fails each time is reported once
        if (++failures === 1) this.#warn(`failed at ${event.type}`, thrown);
      }
    }
    this.#working = undefined;
  }

  #warn(what: string, thrown?: unknown): void {
    const report = buildReport(
      {
        kind: 'extension.lifecycle',
        message: `The sink of the extension ${this.#name} ${what}`,
        details: { extension: this.#name, phase: 'sink' },
        ...(thrown === undefined ? {} : { cause: toReport(thrown) }),
      },
      { stamp: ambientStamp() },
    );
    this.#onWarning(report);
  }
}
