/**
 * The durable store of one machine: a SQLite file in WAL mode that any number of processes may use
 * at once. Each part of the port has a file in `sqlite/`; this one puts them together.
 */
import type { JsonValue } from '../../errors/support/safe-json.ts';
import type {
  Delivery,
  DeliveryResult,
  DueQuery,
  DueRun,
  Endpoint,
  EndpointState,
  Note,
  Notes,
  TakeDeliveries,
} from '../../machine/ports/shared-work-port.ts';
import type {
  Checkpoint,
  Claim,
  ClaimRequest,
  Commit,
  ListQuery,
  LogHead,
  NewRun,
  RemoveRequest,
  RemovedRun,
  RunRecord,
  RunStore,
  RunSummary,
  StoredCommit,
  StoredMessage,
  Tombstone,
} from '../../machine/ports/store-port.ts';
import { claimLost, idWasUsed, logLostItsEnd } from '../store-failure.ts';
import { commitText } from '../commit-text.ts';
import { firstOfRepeated, jsonText, statusText } from '../store-rules.ts';
import { dropCheckpoints, readCheckpoint, saveCheckpoint } from './checkpoints.ts';
import {
  insertClaim,
  presentClaim,
  prolongClaim,
  releaseClaim,
  takeClaim,
  type RunRef,
} from './claims.ts';
import { Connection, type Durability } from './sqlite-connection.ts';
import { dueRuns, noteStop } from './shared-work/due-runs.ts';
import { CheckedRows, CountedRuns, KnownLists } from './checked-rows.ts';
import { EventLog } from './event-log.ts';
import { runsWithMessages, sendMessage, takeMessages, waitingMessages } from './inbox.ts';
import { readMeta, writeMeta } from './meta.ts';
import {
  addEndpoint,
  endpointStates,
  keepNotices,
  settleDelivery,
  takeDeliveries,
} from './shared-work/outbox.ts';
import { checkLog, readCommits, readLog } from './read-log.ts';
import { removeRun } from './removal.ts';
import {
  findRun,
  insertRun,
  listRuns,
  readStart,
  readSummary,
  runKey,
  type CheckedSummary,
  type SummaryReader,
} from './run-table.ts';
import { Standings } from './run-statuses.ts';
import { readNotes, writeNote } from './shared-work/shared-notes.ts';
import { readTombstone } from './tombstones.ts';
import { WriteQueue } from './write-queue.ts';

export interface SqliteStoreOptions {
  /** Path of the database file; its folder is made if it is missing. */
  readonly path: string;
  /** Milliseconds since the epoch, by the clock of the machine, which all its processes share. */
  readonly now: () => number;
  /** Default: `full`. */
  readonly durability?: Durability;
  /** How long a write waits for other processes that write. Default: 1000. */
  readonly patienceMs?: number;
  /** The file does not grow beyond it: `store.unavailable`, as when the disk is full. */
  readonly maxBytes?: number;
  /** Opens read-only: the folder need not be writable, but the file must exist. */
  readonly onlyReads?: boolean;
}

const PATIENCE_MS = 1000;

/**
 * Opens a store in a file. Rejects with `store.unavailable`, with `store.corrupt`, and for a file that a newer Errand wrote
 * with `validation.contract_version`.
 * @example
 * ```ts
 * import { openSqliteStore } from 'errand/stores';
 *
 * const store = await openSqliteStore({ path: 'runs/errand.db', now: Date.now });
 * console.log((await store.list()).length); // 0
 * await store.close();
 * ```
 */
export async function openSqliteStore(options: SqliteStoreOptions): Promise<RunStore> {
  const store = new SqliteStore(options);
  await store.open();
  return store;
}

class SqliteStore implements RunStore {
  readonly #now: () => number;
  readonly #patienceMs: number;
  readonly #db: Connection;
  readonly #log: EventLog;
  readonly #statuses: Standings;
  readonly #writes: WriteQueue;
  readonly #rows = new CheckedRows<CheckedSummary>();
  readonly #lists = new KnownLists<CheckedSummary>();
  readonly #counted = new CountedRuns();

  constructor(options: SqliteStoreOptions) {
    const { path, durability = 'full', patienceMs = PATIENCE_MS, maxBytes, onlyReads } = options;
    this.#now = options.now;
    this.#patienceMs = patienceMs;
    this.#db = new Connection({ path, durability, maxBytes, onlyReads }, () => this.#forget());
    this.#log = new EventLog(this.#db);
    this.#statuses = new Standings(this.#db);
    this.#writes = new WriteQueue(this.#db, patienceMs);
  }

  open(): Promise<void> {
    return this.#db.open();
  }

  async create(run: NewRun): Promise<{ readonly claim: Claim; readonly head: LogHead }> {
    const text = commitText({ run: run.id, seq: 1 }, run.events);
    const statusRow = statusText(run.id, run.statusRow);
    return this.#writes.add({ run: run.id }, () => {
      const existing = findRun(this.#db, run.id);
      if (existing !== null) return this.#repeatedCreate({ run: run.id, key: existing }, run, text);
      const removed = readTombstone(this.#db, run.id);
      if (removed !== null) throw idWasUsed(removed);
      const { key, seed } = insertRun(this.#db, run);
      this.#statuses.insert({ run: run.id, key }, statusRow, run);
      const untilMs = this.#now() + run.leaseMs;
      insertClaim(this.#db, key, { owner: run.owner, epoch: 1, untilMs });
      const ref = { run: run.id, key };
      keepNotices(this.#db, key, { notices: run.notices ?? [], nowMs: this.#now() });
      const head = this.#log.begin(ref, seed, { count: run.events.length, text });
      return { claim: { run: run.id, epoch: 1 }, head };
    });
  }

  append(commit: Commit): Promise<LogHead> {
    const { claim, seq, events, statusRow, messagesThrough, notices = [] } = commit;
    const { run } = claim;
    return this.#writes.addPrepared({ run, isOrdered: true }, () => {
      const text = commitText({ run, seq }, events);
      const change = statusRow && statusText(run, statusRow);
      const takesNone = messagesThrough === undefined;
      return {
        isOneStatement: () =>
          takesNone && notices.length === 0 && this.#statuses.isKept(run, change),
        body: () => {
          const { head, key, isRepeated } = this.#log.append(commit, text);
          if (isRepeated) return head;
          if (!takesNone) takeMessages(this.#db, { run, key }, commit);
          if (change !== undefined && !this.#statuses.isKept(run, change))
            this.#statuses.update({ run, key }, change);
          keepNotices(this.#db, key, { notices, nowMs: this.#now() });
          return head;
        },
      };
    });
  }

  read(run: string, fromSeq = 1): AsyncIterable<StoredCommit> {
    return readLog(this.#db, this.#log, { run, fromSeq });
  }

  async get(run: string): Promise<RunRecord> {
    return this.#read(run, () => {
      const ref = this.#ref(run);
      const { input } = readStart(this.#db, ref);
      const plan = this.#statuses.readPlan(ref);
      const summary = readSummary(this.#summaries(), ref);
      return { ...summary, plan, input, head: this.#log.head(run) };
    });
  }

  async summary(run: string): Promise<RunSummary> {
    return this.#read(run, () => readSummary(this.#summaries(), this.#ref(run)));
  }

  async list(query: ListQuery = {}): Promise<readonly RunSummary[]> {
    return this.#db.read(() => listRuns(this.#summaries(), query));
  }

  async writeMark(): Promise<string> {
    return this.#db.writeMark();
  }

  async claim(request: ClaimRequest): Promise<Claim> {
    const { run } = request;
    return this.#writes.add({ run }, () => {
      this.#forget(run);
      return takeClaim(this.#db, this.#ref(run), { request, nowMs: this.#now() });
    });
  }

  async heartbeat(claims: readonly Claim[], leaseMs: number): Promise<readonly Claim[]> {
    if (claims.length === 0) return [];
    return this.#writes.add({}, () => {
      const untilMs = this.#now() + leaseMs;
      return claims.filter(({ run, epoch }) => {
        const key = findRun(this.#db, run);
        return key === null || !prolongClaim(this.#db, { run, key }, { epoch, untilMs });
      });
    });
  }

  async release({ run, epoch }: Claim): Promise<void> {
    return this.#writes.add({ run }, () => {
      this.#forget(run);
      releaseClaim(this.#db, this.#ref(run), epoch);
    });
  }

  async saveCheckpoint({ run, epoch }: Claim, checkpoint: Checkpoint): Promise<void> {
    return this.#writes.add({ run, isOrdered: true }, () => {
      const ref = this.#ref(run);
      if (presentClaim(this.#db, ref).epoch !== epoch) throw claimLost(run, epoch);
      saveCheckpoint(this.#db, ref, checkpoint);
    });
  }

  async loadCheckpoint(run: string): Promise<Checkpoint | null> {
    const found = this.#read(run, () => {
      const checkpoint = readCheckpoint(this.#db, this.#ref(run));
      if (checkpoint === null) return null;
      const [{ nextSeq }, knownSeq] = [this.#log.head(run), checkpoint.head.nextSeq];
      if (knownSeq > nextSeq) throw logLostItsEnd(run, { nextSeq, knownSeq });
      return this.#log.confirms(run, checkpoint.head) ? checkpoint : null;
    });
    if (found !== null) await checkLog(this.#db, this.#log, { run, endSeq: found.head.nextSeq });
    return found;
  }

  async dropCheckpoints(run?: string): Promise<void> {
    return this.#writes.add({}, () => {
      dropCheckpoints(this.#db, run === undefined ? null : this.#ref(run));
    });
  }

  async remove(request: RemoveRequest): Promise<RemovedRun> {
    const { run } = request;
    return this.#writes.add({ run }, () => {
      this.#forget(run);
      return removeRun(this.#db, request, this.#now());
    });
  }

  async tombstone(run: string): Promise<Tombstone | null> {
    return this.#read(run, () => readTombstone(this.#db, run));
  }

  async compact(): Promise<void> {
    await this.#writes.drain();
    await this.#db.compact(this.#patienceMs);
  }

  async send(run: string, message: object): Promise<number> {
    const text = jsonText(message, `A message to run ${run}`);
    return this.#writes.add({ run }, () => sendMessage(this.#db, this.#ref(run), text));
  }

  async messages(run: string): Promise<readonly StoredMessage[]> {
    return this.#read(run, () => waitingMessages(this.#db, this.#ref(run)));
  }

  async runsWithMessages(): Promise<readonly string[]> {
    return this.#db.read(() => runsWithMessages(this.#db));
  }

  async breakers(): Promise<ReadonlyMap<string, JsonValue>> {
    return this.#db.read(() => this.#readBreakers());
  }

  async changeBreaker(key: string, change: (state: JsonValue) => JsonValue): Promise<JsonValue> {
    return this.#writes.add({}, () => {
      const breakers = this.#readBreakers();
      const state = change(breakers.get(key) ?? null);
      if (state === null) breakers.delete(key);
      else breakers.set(key, state);
      writeMeta(this.#db, 'breakers', jsonText([...breakers], 'The state of a breaker'));
      return state;
    });
  }

  async due(query: DueQuery): Promise<readonly DueRun[]> {
    return this.#db.read(() => dueRuns(this.#summaries(), query));
  }

  async noteStop(claim: Claim): Promise<void> {
    const { run } = claim;
    return this.#writes.add({ run }, () => noteStop(this.#db, this.#ref(run), claim));
  }

  async addEndpoint(endpoint: Endpoint): Promise<void> {
    return this.#writes.add({}, () => addEndpoint(this.#db, endpoint, this.#now()));
  }

  async endpoints(): Promise<readonly EndpointState[]> {
    return this.#db.read(() => endpointStates(this.#db));
  }

  async takeDeliveries(request: TakeDeliveries): Promise<readonly Delivery[]> {
    return this.#writes.add({}, () => takeDeliveries(this.#db, request, this.#now()));
  }

  async settleDelivery(
    { run, ...at }: Pick<Delivery, 'endpoint' | 'run' | 'seq'>,
    result: DeliveryResult,
  ): Promise<void> {
    return this.#writes.add({ run }, () => {
      const key = findRun(this.#db, run);
      if (key !== null) settleDelivery(this.#db, { ...at, key }, { result, nowMs: this.#now() });
    });
  }

  async notes(topic: string): Promise<Notes> {
    return this.#db.read(() => ({ nowMs: this.#now(), notes: readNotes(this.#db, topic) }));
  }

  async setNote(topic: string, key: string, change: Note): Promise<boolean> {
    return this.#writes.add({}, () => writeNote(this.#db, { topic, key }, change));
  }

  async close(): Promise<void> {
    await this.#writes.drain();
    this.#db.close();
  }

  #forget(run?: string): void {
    this.#log.forget(run);
    this.#statuses.forget(run);
    if (run !== undefined) return;
    this.#lists.forget();
    this.#counted.forget();
  }

  #read<T>(run: string, body: () => T): T {
    return this.#db.read(body, { run });
  }

  #summaries(): SummaryReader {
    const [db, rows, lists, counted] = [this.#db, this.#rows, this.#lists, this.#counted];
    return { db, rows, lists, counted, nowMs: this.#now() };
  }

  #ref(run: string): RunRef {
    return { run, key: runKey(this.#db, run) };
  }

  #repeatedCreate(
    ref: RunRef,
    run: NewRun,
    text: string,
  ): { readonly claim: Claim; readonly head: LogHead } {
    const present = presentClaim(this.#db, ref);
    const excerpt = this.#log.excerpt(ref.run, 1);
    const [stored] = readCommits(this.#db, { ...excerpt, links: excerpt.links.slice(0, 1) });
    const { commit } = firstOfRepeated(run, present, { first: stored, text });
    return { claim: { run: run.id, epoch: 1 }, head: commit.head };
  }

  #readBreakers(): Map<string, JsonValue> {
    // its checksum is right, so it is what changeBreaker wrote
    return new Map(JSON.parse(readMeta(this.#db, 'breakers')) as [string, JsonValue][]);
  }
}
