/** The events of a run that others may carry on: read from the store until its latest leg is over. */
import type { RunEvent } from '../machine/events.ts';
import type { ReadableStore } from '../machine/store-port.ts';
import { standingAt } from './leg.ts';
import { asEvent } from './subscription.ts';

const POLL_MS = 200;

export interface Following {
  readonly store: Pick<ReadableStore, 'read'>;
  readonly run: string;
  /** Whether a process that lives carries it on. */
  readonly isCarriedOn: () => Promise<boolean>;
  readonly wait: (ms: number) => Promise<unknown>;
  /** Whether a run that is paused is followed until someone resumes it. */
  readonly throughPauses?: boolean;
}

/** Every event once and in order, in batches, until the latest leg is over. */
export async function* followRun({
  store,
  run,
  isCarriedOn,
  wait,
  throughPauses = false,
}: Following): AsyncGenerator<readonly RunEvent[], void, undefined> {
  let last: RunEvent | undefined;
  for (let fromSeq = 1; ;) {
    // asked before reading, so that what a dying process wrote last is not missed
    const isGoing = await isCarriedOn();
    const fresh: RunEvent[] = [];
    for await (const commit of store.read(run, fromSeq)) fresh.push(...commit.events.map(asEvent));
    if (fresh.length > 0) yield fresh;
    fromSeq += fresh.length;
    last = fresh.at(-1) ?? last;
    const isWaitedOut = throughPauses && last?.type === 'run:paused';
    if (!isWaitedOut && (standingAt(last).status !== 'interrupted' || !isGoing)) return;
    if (fresh.length === 0) await wait(POLL_MS);
  }
}

/** The events from the latest start or resumption on. */
export function latestLeg(events: readonly RunEvent[]): readonly RunEvent[] {
  const begin = events.findLastIndex(
    ({ type }) => type === 'run:started' || type === 'run:resumed',
  );
  return events.slice(Math.max(0, begin));
}
