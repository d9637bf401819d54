/**
 * A run that rests at a question may be answered at another terminal. Whoever is asked here is let go
 * then, and sees how the run ends; the export of its events is the other process's business.
 */
import { setTimeout as after } from 'node:timers/promises';
import { followRun } from '../drivers/follow.ts';
import { standingAt } from '../drivers/leg.ts';
import type { RunEvent } from '../machine/events.ts';
import type { ReadableStore } from '../machine/store-port.ts';
import type { EndedLeg } from './showing.ts';
import { statusOf } from './stored-run.ts';

const LOOK_MS = 500;

export interface RestingRun {
  readonly store: ReadableStore;
  readonly run: string;
  /** All that is known of it here. */
  readonly events: readonly RunEvent[];
}

/** Calls `taken` once the run has more events than are known here, unless it is stopped before. */
export async function whenContinued(
  { store, run, events }: RestingRun,
  taken: () => void,
  stop: AbortSignal,
): Promise<void> {
  const nextSeq = (events.at(-1)?.seq ?? 0) + 1;
  for (;;) {
    try {
      await after(LOOK_MS, undefined, { signal: stop });
      for await (const commit of store.read(run, nextSeq))
        if (commit.events.length > 0 && !stop.aborted) return taken();
    } catch {
      // it was stopped; or the store is away, which whoever answers is told
      return;
    }
  }
}

/** To the end of the leg that another process has begun. */
export async function untilRest(
  { store, run, events }: RestingRun,
  tell: (event: RunEvent) => void,
): Promise<EndedLeg> {
  const known = events.at(-1)?.seq ?? 0;
  const all = [...events];
  const isCarriedOn = async (): Promise<boolean> =>
    statusOf(await store.summary(run)) === 'running';
  for await (const batch of followRun({ store, run, isCarriedOn, wait: (ms) => after(ms) })) {
    const fresh = batch.filter(({ seq }) => seq > known);
    for (const event of fresh) {
      all.push(event);
      tell(event);
    }
  }
  return { run, result: standingAt(all.at(-1)), events: all };
}
