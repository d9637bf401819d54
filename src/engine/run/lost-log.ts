/**
 * Detects a log that has lost its end, or all of it: its write-ahead log was deleted, or it is a
 * copy without one, or an old backup. The store cannot know, but exported events prove it. A leg on
 * such a log would repeat finished work, so each start, claim and message is compared first, and
 * nothing is overwritten.
 */
import { ErrandError, isKind } from '../../errors/thrown/errand-error.ts';
import { readProperty, type JsonObject } from '../../errors/support/safe-json.ts';
import { toReport } from '../../errors/thrown/to-report.ts';
import type {
  NewRun,
  ReadableStore,
  RunStore,
  StoredCommit,
} from '../../machine/ports/store-port.ts';

/** An event that was in the log. */
export interface Witness {
  readonly seq: number;
  /** Left out where only its number is known. */
  readonly at?: string;
  readonly type?: string;
}

/** The latest event of a run that is known from outside its store. */
export type LogWitness = (run: string) => Witness | undefined;

/**
 * A store that refuses to create, claim or message a run whose log lost events that the witness has
 * seen.
 */
export function witnessed(store: RunStore, witness: LogWitness): RunStore {
  return {
    ...witnessedReading(store, witness),
    create: async (run) => {
      await refuseBegunBefore(store, run.id, witness);
      return store.create(run);
    },
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
    send: async (run, signal) => {
      // an answer that was accepted here would be lost when the log is put back
      await refuseLostLog(store, run, witness);
      return store.send(run, signal);
    },
    messages: (run) => store.messages(run),
    runsWithMessages: () => store.runsWithMessages(),
    breakers: () => store.breakers(),
    changeBreaker: (key, change) => store.changeBreaker(key, change),
    due: (query) => store.due(query),
    noteStop: (claim) => store.noteStop(claim),
    addEndpoint: (endpoint) => store.addEndpoint(endpoint),
    endpoints: () => store.endpoints(),
    takeDeliveries: (request) => store.takeDeliveries(request),
    settleDelivery: (delivery, result) => store.settleDelivery(delivery, result),
    notes: (topic) => store.notes(topic),
    setNote: (topic, key, change) => store.setNote(topic, key, change),
  };
}

/** For reading: a run that is gone is reported as lost rather than unknown. */
function witnessedReading(store: ReadableStore, witness: LogWitness): ReadableStore {
  const orGone = (run: string) => (thrown: unknown) => {
    throw goneOr(thrown, run, witness);
  };
  return {
    get: (run) => store.get(run).catch(orGone(run)),
    summary: (run) => store.summary(run).catch(orGone(run)),
    list: (query) => store.list(query),
    ...(store.writeMark === undefined ? {} : { writeMark: store.writeMark.bind(store) }),
    read: (run, fromSeq) => readOrGone(store, run, { fromSeq, witness }),
    close: () => store.close(),
  };
}

/** Rejects with `store.corrupt`, which names the first event that is missing or another one. */
export async function refuseLostLog(
  store: ReadableStore,
  run: string,
  witness: LogWitness,
): Promise<void> {
  // before the log is read: the process that executes the run stores an event and then exports it
  const seen = witness(run);
  if (seen === undefined) return;
  const { head } = await store.get(run).catch((thrown: unknown) => {
    throw goneOr(thrown, run, witness);
  });
  if (seen.seq >= head.nextSeq) throw lostEnd(run, { ...seen, nextSeq: head.nextSeq });
  if (seen.at !== undefined) refuseDiverged(run, seen, await eventAt(store, run, seen.seq));
}

/** Like `refuseLostLog`, for a copy of a run that is about to be stored. */
export function refuseOldCopy(
  { id, events }: Pick<NewRun, 'id' | 'events'>,
  witness: LogWitness,
): void {
  const seen = witness(id);
  if (seen === undefined) return;
  if (seen.seq > events.length) throw lostEnd(id, { ...seen, nextSeq: events.length + 1 });
  if (seen.at !== undefined) refuseDiverged(id, seen, events[seen.seq - 1]);
}

/** A run that was removed is left to the store, which never uses its id again. */
async function refuseBegunBefore(store: RunStore, run: string, witness: LogWitness): Promise<void> {
  if (witness(run) === undefined || (await store.tombstone(run)) !== null) return;
  await refuseLostLog(store, run, witness);
}

function refuseDiverged(run: string, seen: Witness, event: object | undefined): void {
  const isSame = readProperty(event, 'at') === seen.at && readProperty(event, 'type') === seen.type;
  if (!isSame) throw divergedLog(run, seen);
}

async function eventAt(
  store: ReadableStore,
  run: string,
  seq: number,
): Promise<JsonObject | undefined> {
  for await (const { events } of store.read(run, seq)) return events[0];
  return undefined;
}

async function* readOrGone(
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

/** The error, unless it calls a run unknown that the witness has seen. */
function goneOr(thrown: unknown, run: string, witness: LogWitness): unknown {
  if (!isKind(thrown, 'run.not_found')) return thrown;
  const isRemoved = toReport(thrown).details?.['removedAt'] !== undefined;
  const seen = isRemoved ? undefined : witness(run);
  return seen === undefined ? thrown : gone(run, seen, thrown);
}

function gone(run: string, { seq }: Witness, cause: unknown): ErrandError {
  return lost(
    {
      message: `Event 1 of run ${run} is missing: the store has no such run, but ${exported(run)} has events up to ${seq}`,
      details: { run, seq: 1, knownSeq: seq },
      detail: `Restore the store that has the run, or name it in ERRAND_STORE or ERRAND_HOME. To give the run up: errand delete ${run}`,
    },
    cause,
  );
}

function lostEnd(run: string, { seq, nextSeq }: Witness & { nextSeq: number }): ErrandError {
  return lost({
    message: `Event ${nextSeq} of run ${run} is missing: its log ends before it, but ${exported(run)} has events up to ${seq}`,
    details: { run, seq: nextSeq, knownSeq: seq },
    detail: `Restore the store with its write-ahead log, or a backup that has event ${seq}. To give the run up: errand delete ${run}`,
  });
}

function divergedLog(run: string, { seq }: Witness): ErrandError {
  return lost({
    message: `Event ${seq} of run ${run} differs from the one in ${exported(run)}: the log was lost, and the run was resumed without it`,
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
