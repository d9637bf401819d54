/**
 * Follows the events of a run that another process may execute: reads the store until the latest leg
 * is over.
 */
import type { RunEvent } from '../../machine/state/events.ts';
import type { ReadableStore } from '../../machine/ports/store-port.ts';
import { isRest, type FollowRequest } from '../backend.ts';
import { asEvent } from '../run/subscription.ts';

const POLL_MS = 200;

export interface FollowOptions extends FollowRequest {
  readonly store: Pick<ReadableStore, 'read'>;
  readonly run: string;
  /** Whether a live process executes the run. */
  readonly isExecuting: () => Promise<boolean>;
  readonly wait: (ms: number) => Promise<unknown>;
  /** Whether the caller has stopped following; read after each wait. */
  readonly isLeft?: () => boolean;
}

/** Every event once and in order, in batches, until the latest leg is over. */
export async function* followRun({
  store,
  run,
  fromSeq: firstSeq = 1,
  isExecuting,
  wait,
  throughPauses = false,
  isLeft = () => false,
}: FollowOptions): AsyncGenerator<readonly RunEvent[], void, undefined> {
  let last: RunEvent | undefined;
  for (let fromSeq = firstSeq; ;) {
    // checked before reading, so that the last events of a dying process are not missed
    const isGoing = await isExecuting();
    const fresh: RunEvent[] = [];
    for await (const commit of store.read(run, fromSeq)) fresh.push(...commit.events.map(asEvent));
    if (fresh.length > 0) yield fresh;
    fromSeq += fresh.length;
    last = fresh.at(-1) ?? last;
    const isWaitedOut = throughPauses && last?.type === 'run:paused';
    if (!isWaitedOut && (isRest(last) || !isGoing)) return;
    if (fresh.length === 0) await wait(POLL_MS);
    if (isLeft()) return;
  }
}
