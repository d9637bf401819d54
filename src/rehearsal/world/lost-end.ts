/**
 * A store whose log has lost its end, as after its write-ahead log was deleted or an old copy was
 * restored: it is consistent, but lacks the later events. Real stores write the status of a run
 * with its events, so it is lost with them.
 */
import { foldRun } from '../../engine/run/recover.ts';
import { runStatusOf } from '../../engine/run/run-status.ts';
import { asEvent } from '../../engine/run/subscription.ts';
import type {
  RunRecord,
  RunStatusRow,
  RunStore,
  StoredCommit,
} from '../../machine/ports/store-port.ts';
import { openMemoryStore } from '../../stores/memory.ts';
import type { Random } from './random.ts';

const NOBODY = { id: 'nobody', host: 'far', pid: 1, processStartedAt: '' };

/** The log of the run up to a commit before the witnessed event; undefined if there is none. */
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
  const left = kept.slice(0, count);
  const [first, ...more] = left;
  if (first === undefined) return undefined;
  const { workflow, file, plan, input, startedAt } = await store.get(run);
  const lost = openMemoryStore({ now });
  const { claim } = await lost.create({
    id: run,
    workflow,
    file,
    plan,
    input,
    startedAt,
    events: first.events,
    statusRow: statusAfter({ run, plan }, left),
    owner: NOBODY,
    leaseMs: 1,
  });
  for (const { seq, events } of more) await lost.append({ claim, seq, events });
  await lost.release(claim);
  return lost;
}

function statusAfter(
  record: Pick<RunRecord, 'run' | 'plan'>,
  commits: readonly StoredCommit[],
): RunStatusRow {
  const events = commits.flatMap((commit) => commit.events.map(asEvent));
  return runStatusOf(foldRun(record, events), events.at(-1)?.at ?? '');
}
