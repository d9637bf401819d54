/**
 * A log that has lost its end, or all of it: a write-ahead log that was deleted, a copy without it, an
 * old backup. The store cannot know; what was exported does. A leg that began on such a log would do
 * again what was done, so each claim is compared first, and nothing is overwritten.
 */
import { ErrandError, isKind } from '../errors/errand-error.ts';
import type { JsonObject } from '../errors/json.ts';
import { toReport } from '../errors/to-report.ts';
import type { ReadableStore, RunStore, StoredCommit } from '../machine/store-port.ts';

/** An event that was in the log. */
export interface Witness {
  readonly seq: number;
  /** Left out where only its number is known. */
  readonly at?: string;
  readonly type?: string;
}

/** What is known of the log of a run from outside of its store: the latest event. */
export type LogWitness = (run: string) => Witness | undefined;

/** The store, which refuses to hand out a run whose log has lost what the witness has seen. */
export function witnessed(store: RunStore, witness: LogWitness): RunStore {
  return {
    ...witnessedReading(store, witness),
    create: (run) => store.create(run),
    append: (commit) => store.append(commit),
    claim: async (request) => {
      await refuseLostLog(store, request.run, witness);
      return store.claim(request);
    },
    heartbeat: (claims, leaseMs) => store.heartbeat(claims, leaseMs),
    release: (claim) => store.release(claim),
    saveCheckpoint: (claim, checkpoint) => store.saveCheckpoint(claim, checkpoint),
    loadCheckpoint: (run) => store.loadCheckpoint(run),
    dropCheckpoints: (run) => store.dropCheckpoints(run),
    remove: (request) => store.remove(request),
    tombstone: (run) => store.tombstone(run),
    compact: () => store.compact(),
    send: (run, signal) => store.send(run, signal),
    signals: (run) => store.signals(run),
    runsWithSignals: () => store.runsWithSignals(),
    breakers: () => store.breakers(),
    setBreaker: (key, state) => store.setBreaker(key, state),
  };
}

/** For those who only look: a run that is gone is not called one that never was. */
export function witnessedReading(store: ReadableStore, witness: LogWitness): ReadableStore {
  const orGone = (run: string) => (thrown: unknown) => {
    throw goneOr(thrown, run, witness);
  };
  return {
    get: (run) => store.get(run).catch(orGone(run)),
    summary: (run) => store.summary(run).catch(orGone(run)),
    list: (query) => store.list(query),
    read: (run, fromSeq) => readOrSay(store, run, { fromSeq, witness }),
    close: () => store.close(),
  };
}

/** Rejects with `store.corrupt`, which names the first event that is missing or another one. */
export async function refuseLostLog(
  store: ReadableStore,
  run: string,
  witness: LogWitness,
): Promise<void> {
  // before the log is looked at: whoever carries the run on stores an event and then exports it
  const seen = witness(run);
  if (seen === undefined) return;
  const { head } = await store.get(run).catch((thrown: unknown) => {
    throw goneOr(thrown, run, witness);
  });
  if (seen.seq >= head.nextSeq) throw lostEnd(run, { ...seen, nextSeq: head.nextSeq });
  if (seen.at === undefined) return;
  const event = await eventAt(store, run, seen.seq);
  if (event?.['at'] !== seen.at || event['type'] !== seen.type) throw otherStory(run, seen);
}

async function eventAt(
  store: ReadableStore,
  run: string,
  seq: number,
): Promise<JsonObject | undefined> {
  for await (const { events } of store.read(run, seq)) return events[0];
  return undefined;
}

async function* readOrSay(
  store: ReadableStore,
  run: string,
  { fromSeq, witness }: { readonly fromSeq: number | undefined; readonly witness: LogWitness },
): AsyncGenerator<StoredCommit> {
  try {
    yield* store.read(run, fromSeq);
  } catch (thrown) {
    throw goneOr(thrown, run, witness);
  }
}

/** What was thrown, unless it says of a run that was there that there is none. */
function goneOr(thrown: unknown, run: string, witness: LogWitness): unknown {
  if (!isKind(thrown, 'run.not_found')) return thrown;
  const isRemoved = toReport(thrown).details?.['removedAt'] !== undefined;
  const seen = isRemoved ? undefined : witness(run);
  return seen === undefined ? thrown : gone(run, seen, thrown);
}

function gone(run: string, { seq }: Witness, cause: unknown): ErrandError {
  return lost(
    {
      message: `Event 1 of run ${run} is missing: the store has nothing of the run, and ${exported(run)} has events up to ${seq}`,
      details: { run, seq: 1, knownSeq: seq },
      detail: `Bring back the store that has the run, or name it in ERRAND_STORE or ERRAND_HOME. To give the run up: errand delete ${run}`,
    },
    cause,
  );
}

function lostEnd(run: string, { seq, nextSeq }: Witness & { nextSeq: number }): ErrandError {
  return lost({
    message: `Event ${nextSeq} of run ${run} is missing: its log ends before it, and ${exported(run)} has events up to ${seq}`,
    details: { run, seq: nextSeq, knownSeq: seq },
    detail: `Bring back the store with its write-ahead log, or a backup that has event ${seq}. To give the run up: errand delete ${run}`,
  });
}

function otherStory(run: string, { seq }: Witness): ErrandError {
  return lost({
    message: `Event ${seq} of run ${run} is not the one that ${exported(run)} has: the log was lost, and the run was gone on with`,
    details: { run, seq, knownSeq: seq },
    detail: `Compare the file with errand watch ${run} --json to see what was done twice; then move it away, or give the run up: errand delete ${run}`,
  });
}

function exported(run: string): string {
  return `runs/${run}/events.jsonl`;
}

function lost(
  {
    message,
    details,
    detail,
  }: { readonly message: string; readonly details: JsonObject; readonly detail: string },
  cause?: unknown,
): ErrandError {
  return new ErrandError(
    { kind: 'store.corrupt', message, details, action: { kind: 'find_out', detail } },
    { cause },
  );
}
