/**
 * Figures that this process keeps across legs: the runs that it has paused, and the ages of open
 * questions.
 */
import type { RunEvent } from '../../machine/state/events.ts';
import { ATTRIBUTE } from '../names.ts';
import type { RecordMetric } from './instruments.ts';

/** Above this the oldest are forgotten; another process may have them by now. */
const MAX_KNOWN = 10_000;

export class ProcessGauges {
  /** The reason of each run that this process paused and has not resumed. */
  readonly #waiting = new Map<string, string>();
  /** The time at which each open question was asked, by run and gate. */
  readonly #gates = new Map<string, number>();

  paused(run: string, reason: string, record: RecordMetric): void {
    keep(this.#waiting, run, reason);
    this.#recordReason(reason, record);
  }

  resumed(run: string, record: RecordMetric): void {
    const reason = this.#waiting.get(run);
    if (reason === undefined) return;
    this.#waiting.delete(run);
    this.#recordReason(reason, record);
  }

  gateOpened({ run, gate, at }: Extract<RunEvent, { type: 'gate:opened' }>): void {
    keep(this.#gates, `${run} ${gate}`, Date.parse(at));
  }

  /** Returns the time of opening; undefined if another process asked. */
  gateClosed({
    run,
    gate,
  }: Extract<RunEvent, { type: 'gate:answered' | 'gate:expired' }>): number | undefined {
    const key = `${run} ${gate}`;
    const openedMs = this.#gates.get(key);
    this.#gates.delete(key);
    return openedMs;
  }

  #recordReason(reason: string, record: RecordMetric): void {
    let count = 0;
    for (const other of this.#waiting.values()) if (other === reason) count++;
    record('runWaiting', count, { [ATTRIBUTE.waitingReason]: reason });
  }
}

function keep<T>(map: Map<string, T>, key: string, value: T): void {
  map.delete(key);
  map.set(key, value);
  const [oldest] = map.keys();
  if (map.size > MAX_KNOWN && oldest !== undefined) map.delete(oldest);
}
