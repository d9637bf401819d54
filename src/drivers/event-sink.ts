/**
 * Gives the events of all runs to one listener, one after the other and in its own time. A listener
 * that is slow, fails or hangs holds nothing up; what it misses is counted and told.
 */
import { buildReport } from '../errors/build.ts';
import { MACHINE_CLOCK } from '../effects/clock.ts';
import type { ErrorReport } from '../errors/report.ts';
import { ambientStamp } from '../errors/stamp.ts';
import { toReport } from '../errors/to-report.ts';
import type { RunEvent } from '../machine/events.ts';

const MAX_WAITING = 10_000;

export class EventSink {
  readonly #name: string;
  readonly #listen: (event: RunEvent) => unknown;
  readonly #onWarning: (error: ErrorReport) => void;
  readonly #waiting: RunEvent[] = [];
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

  tell(event: RunEvent): void {
    if (this.#waiting.length >= MAX_WAITING) {
      this.#missed++;
      return;
    }
    // its own copy: what a listener does to it is nobody's business
    this.#waiting.push(structuredClone(event));
    this.#working ??= this.#work();
  }

  /** Lets it finish what it was told, within that time. */
  async close(timeoutMs: number): Promise<void> {
    const { promise: late, resolve } = Promise.withResolvers<void>();
    const stopTimer = MACHINE_CLOCK.after(timeoutMs, resolve);
    await Promise.race([this.#working, late]);
    stopTimer();
    const missed = this.#missed + this.#waiting.splice(0).length;
    if (missed > 0) this.#warn(`has missed ${missed} events, because it is too slow`);
  }

  async #work(): Promise<void> {
    // after the events of this turn, which belong together
    await Promise.resolve();
    let failures = 0;
    for (let event = this.#waiting.shift(); event !== undefined; event = this.#waiting.shift()) {
      try {
        await this.#listen(event);
        failures = 0;
      } catch (thrown) {
        // one that fails each time is told of once
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
