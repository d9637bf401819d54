/**
 * A store whose log has lost its end, like one whose write-ahead log was deleted or that was restored
 * from an old copy: it is consistent in itself, and lacks what came after.
 */
import { resultAt } from '../../engine/backend.ts';
import type { RunStatusName, RunStore, StoredCommit } from '../../machine/ports/store-port.ts';
import type { RunEvent } from '../../machine/state/events.ts';
import { openMemoryStore } from '../../stores/memory.ts';
import type { Random } from './random.ts';

const NOBODY = { id: 'nobody', host: 'far', pid: 1, processStartedAt: '' };

/**
 * The log of the run up to a commit before the event that was seen; undefined where there is none.
 */
export async function withoutEnd(
  store: RunStore,
  run: string,
  { seenSeq, random, now }: { seenSeq: number; random: Random; now: () => number },
): Promise<RunStore | undefined> {
  const commits: StoredCommit[] = [];
  for await (const commit of store.read(run)) commits.push(commit);
  // the lost part includes the event that was seen
  const kept = commits.filter(({ head }) => head.nextSeq <= seenSeq);
  const count = kept.length === 0 ? 0 : 1 + random.int(kept.length);
  const [first, ...more] = kept.slice(0, count);
  if (first === undefined) return undefined;
  const { workflow, file, plan, input, startedAt, costUsdMicros } = await store.get(run);
  const lost = openMemoryStore({ now });
  const { claim } = await lost.create({
    id: run,
    workflow,
    file,
    plan,
    input,
    startedAt,
    events: first.events,
    statusRow: { status: statusAfter(more.at(-1) ?? first), costUsdMicros },
    owner: NOBODY,
    leaseMs: 1,
  });
  for (const { seq, events } of more) await lost.append({ claim, seq, events });
  await lost.release(claim);
  return lost;
}

/** As the log says that is left: what ended the run later is lost with the rest. */
function statusAfter({ events }: StoredCommit): RunStatusName {
  // the engine made it
  const { status } = resultAt(events.at(-1) as RunEvent | undefined);
  return status === 'interrupted' ? 'running' : status;
}
