/**
 * Writes a run's events to its store, in one commit a step. A store that cannot take them is asked
 * three times in all; then the run halts without writing a failure, or waits for the store, as its
 * host wants it. The run's own events tell of every failure that was lived through.
 */
import { isKind } from '../errors/errand-error.ts';
import type { ErrorReport } from '../errors/report.ts';
import { toReport } from '../errors/to-report.ts';
import type { EventBody, RunEvent } from '../machine/events.ts';
import type { RunState } from '../machine/state.ts';
import { stored } from '../machine/step.ts';
import type { Claim, RunStore } from '../machine/store-port.ts';
import { sleep, type EffectClock } from '../effects/clock.ts';
import { isOutageBy } from '../stores/failure.ts';
import { standingOf } from './standing.ts';

export interface LogWriterOptions {
  readonly state: RunState;
  readonly claim: Claim;
  readonly store: RunStore;
  readonly clock: EffectClock;
  /** What happens when the store is not back after three tries. Asked each time. */
  readonly onOutage: () => 'halt' | 'wait';
}

/** Waits between the tries of a commit that the store could not take. */
const STORE_WAITS_MS = [2000, 4000];

export class LogWriter {
  readonly #options: LogWriterOptions;
  readonly #outages: ErrorReport[] = [];

  constructor(options: LogWriterOptions) {
    this.#options = options;
  }

  /** The events of a step that the state has taken already; fulfilled when they are stored. */
  async write(
    bodies: readonly EventBody[],
    nowMs: number,
    signalsThrough: number | undefined,
  ): Promise<readonly RunEvent[]> {
    const { state, claim, store } = this.#options;
    const at = new Date(nowMs).toISOString();
    const first = state.seq - bodies.length + 1;
    const events = stored(state, bodies, at);
    const taken = signalsThrough === undefined ? {} : { signalsThrough };
    const standing = standingOf(state, at);
    await withPatience(
      () => store.append({ claim, seq: first, events, standing, ...taken }),
      this.#options,
      (outage) => this.#outages.push(outage),
    );
    return events;
  }

  /** The failures of the store that were got over since this was last asked. */
  takeOutages(): readonly Extract<EventBody, { type: 'error:suppressed' }>[] {
    return this.#outages.splice(0).map((error) => ({
      type: 'error:suppressed' as const,
      error,
      reason: 'the store came back',
    }));
  }
}

/** A write that the store may be asked for three times, or for as long as it takes. */
export async function withPatience<T>(
  write: () => Promise<T>,
  { clock, onOutage }: Pick<LogWriterOptions, 'clock' | 'onOutage'>,
  onFailure: (outage: ErrorReport) => void = () => undefined,
): Promise<T> {
  for (let attempt = 0; ; attempt++) {
    try {
      return await write();
    } catch (thrown) {
      // one that was closed here does not come back
      const isPassing = isKind(thrown, 'store.unavailable') && !isOutageBy(thrown, 'closed');
      const waitMs = waitAfter(attempt, onOutage());
      if (waitMs === undefined || !isPassing) throw thrown;
      if (attempt < STORE_WAITS_MS.length) onFailure(toReport(thrown));
      await sleep(clock, waitMs);
    }
  }
}

function waitAfter(attempt: number, onOutage: 'halt' | 'wait'): number | undefined {
  return STORE_WAITS_MS[attempt] ?? (onOutage === 'wait' ? STORE_WAITS_MS.at(-1) : undefined);
}
