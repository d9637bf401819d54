/**
 * Writes a run's events to its store, one commit per step. When the store fails, it is called three
 * times in all; then the run halts without writing a failure, or waits for the store, as the host
 * chooses. The run's own events record each outage that ends.
 */
import { isKind } from '../../errors/thrown/errand-error.ts';
import type { ErrorReport } from '../../errors/report/report.ts';
import { toReport } from '../../errors/thrown/to-report.ts';
import type { EventBody, RunEvent } from '../../machine/state/events.ts';
import type { RunState } from '../../machine/state/state.ts';
import { toStoredEvents } from '../../machine/decide/step.ts';
import type { Claim, Commit, RunStatusRow, RunStore } from '../../machine/ports/store-port.ts';
import { sleep, type EffectClock } from '../../effects/clock.ts';
import { corrupt, isOutageBy } from '../../stores/store-failure.ts';
import { noticesOf } from './notices.ts';
import { runStatusOf } from './run-status.ts';
import type { LegTelemetry } from './telemetry-port.ts';

export interface LogWriterOptions {
  readonly state: RunState;
  readonly claim: Claim;
  readonly store: RunStore;
  readonly clock: EffectClock;
  /** Decides what happens when the store fails three times. Called after each failed call. */
  readonly onOutage: () => 'halt' | 'wait';
  readonly telemetry?: Pick<LegTelemetry, 'committed'> | undefined;
}

/** The text of the last time: many commits of a process share one. */
let lastTime = { ms: Number.NaN, text: '' };

function isoTime(ms: number): string {
  if (lastTime.ms !== ms) lastTime = { ms, text: new Date(ms).toISOString() };
  return lastTime.text;
}

/** Waits between the calls of a commit that failed. */
const STORE_WAITS_MS = [2000, 4000];

export class LogWriter {
  readonly #options: LogWriterOptions;
  readonly #outages: ErrorReport[] = [];
  /** The status that this leg stored last, if any. */
  #status: RunStatusRow | undefined;
  readonly #noteOutage = (outage: ErrorReport): void => void this.#outages.push(outage);

  constructor(options: LogWriterOptions) {
    this.#options = options;
  }

  /** The events of a step that the state has taken already; fulfilled when they are stored. */
  async write(
    bodies: readonly EventBody[],
    nowMs: number,
    messagesThrough: number | undefined,
  ): Promise<readonly RunEvent[]> {
    const { state, claim, store, telemetry } = this.#options;
    const at = isoTime(nowMs);
    const first = state.seq - bodies.length + 1;
    const events = toStoredEvents(state, bodies, at);
    const statusRow = this.#changedStatus(at);
    const notices = noticesOf(events);
    const commit: Commit = { claim, seq: first, events, statusRow, messagesThrough, notices };
    const append = timedCommit(() => store.append(commit), telemetry?.committed);
    try {
      await append();
    } catch (thrown) {
      await this.#appendAgain(append, thrown, first);
    }
    return events;
  }

  async #appendAgain(
    append: () => Promise<unknown>,
    thrown: unknown,
    first: number,
  ): Promise<void> {
    try {
      await repeatedWrite(append, thrown, this.#options, this.#noteOutage);
    } catch (last) {
      throw goneOr(last, this.#options.claim.run, first);
    }
  }

  /** Repeats another write of the run during an outage, as often as a commit. */
  duringOutages<T>(write: () => Promise<T>): Promise<T> {
    return retryStoreOutage(write, this.#options, this.#noteOutage);
  }

  /** A step seldom changes more than the log. */
  #changedStatus(at: string): RunStatusRow | undefined {
    const row = runStatusOf(this.#options.state, at);
    const before = this.#status;
    this.#status = row;
    const isKept = row.status === 'running' && before?.status === 'running';
    return isKept && row.costUsdMicros === before.costUsdMicros ? undefined : row;
  }

  /** Takes the outages that have ended since the last call, as events. */
  takeOutages(): readonly Extract<EventBody, { type: 'error:suppressed' }>[] {
    if (this.#outages.length === 0) return [];
    return this.#outages.splice(0).map((error) => ({
      type: 'error:suppressed' as const,
      error,
      reason: 'the store came back',
    }));
  }
}

/** The same commit; says how long the store took, where somebody counts. */
export function timedCommit<T>(
  commit: () => Promise<T>,
  committed: LegTelemetry['committed'],
): () => Promise<T> {
  if (committed === undefined) return commit;
  return async () => {
    const startedMs = performance.now();
    const seconds = (): number => (performance.now() - startedMs) / 1000;
    try {
      const done = await commit();
      committed(seconds());
      return done;
    } catch (thrown) {
      committed(seconds(), toReport(thrown).kind);
      throw thrown;
    }
  };
}

/** A claimed run that nobody removed was in the store: another store has replaced that one. */
function goneOr(thrown: unknown, run: string, seq: number): unknown {
  if (!isKind(thrown, 'run.not_found')) return thrown;
  if (toReport(thrown).details?.['removedAt'] !== undefined) return thrown;
  return corrupt(
    `The store lost run ${run} while it was running: event ${seq} cannot be stored`,
    { run, seq },
    thrown,
    'Restore the store that has the run; it may have been replaced by an older copy.',
  );
}

/** Repeats a write or a read during an outage: three calls, or as many as it takes. */
export async function retryStoreOutage<T>(
  write: () => Promise<T>,
  options: Pick<LogWriterOptions, 'clock' | 'onOutage'>,
  onFailure: (outage: ErrorReport) => void = () => undefined,
): Promise<T> {
  try {
    return await write();
  } catch (thrown) {
    return repeatedWrite(write, thrown, options, onFailure);
  }
}

/** Repeats a write that failed once. */
async function repeatedWrite<T>(
  write: () => Promise<T>,
  first: unknown,
  { clock, onOutage }: Pick<LogWriterOptions, 'clock' | 'onOutage'>,
  onFailure: (outage: ErrorReport) => void,
): Promise<T> {
  let thrown = first;
  for (let attempt = 0; ; attempt++) {
    // a store that was closed here does not come back
    const isPassing = isKind(thrown, 'store.unavailable') && !isOutageBy(thrown, 'closed');
    const waitMs = waitAfter(attempt, onOutage());
    if (waitMs === undefined || !isPassing) throw thrown;
    if (attempt < STORE_WAITS_MS.length) onFailure(toReport(thrown));
    await sleep(clock, waitMs);
    try {
      return await write();
    } catch (again) {
      thrown = again;
    }
  }
}

function waitAfter(attempt: number, onOutage: 'halt' | 'wait'): number | undefined {
  return STORE_WAITS_MS[attempt] ?? (onOutage === 'wait' ? STORE_WAITS_MS.at(-1) : undefined);
}
