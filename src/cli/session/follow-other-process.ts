/**
 * Another process may answer a gate while a person is asked here. The question is then withdrawn and this
 * terminal follows the run to its end; the other process exports the events.
 */
import { setTimeout as after } from 'node:timers/promises';
import { resultAt } from '../../engine/backend.ts';
import type { Engine } from '../../engine/errand.ts';
import type { RunEvent } from '../../machine/state/events.ts';
import type { EndedLeg } from './session-view.ts';

const POLL_MS = 500;

export interface PausedRun {
  readonly engine: Engine;
  readonly run: string;
  /** All events that this process has read. */
  readonly events: readonly RunEvent[];
}

/** Calls `onContinued` once the run has new events, unless `stop` comes first. */
export async function whenContinued(
  { engine, run, events }: PausedRun,
  onContinued: () => void,
  stop: AbortSignal,
): Promise<void> {
  const nextSeq = (events.at(-1)?.seq ?? 0) + 1;
  for (;;) {
    try {
      await after(POLL_MS, undefined, { signal: stop });
      for await (const _event of engine.history(run, nextSeq))
        if (!stop.aborted) return onContinued();
    } catch {
      // stopped; or the store is unavailable, which the next answer reports
      return;
    }
  }
}

/** Follows the leg that another process began, to its end. */
export async function followToLegEnd(
  { engine, run, events }: PausedRun,
  onEvent: (event: RunEvent) => void,
): Promise<EndedLeg> {
  const all = [...events];
  for await (const batch of engine.follow(run, { fromSeq: (events.at(-1)?.seq ?? 0) + 1 })) {
    for (const event of batch) {
      all.push(event);
      onEvent(event);
    }
  }
  return { run, result: resultAt(all.at(-1)), events: all };
}
