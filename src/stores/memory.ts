/**
 * A store in memory, for tests, simulations and runs that are never resumed. Keeps JSON text like any
 * other store, so that a caller cannot change what is stored.
 */
import { jsonFrom, type JsonObject, type JsonValue } from '../errors/support/safe-json.ts';
import type { DueQuery, DueRun } from '../machine/ports/shared-work-port.ts';
import { LazyMap } from '../machine/state/lazy-collections.ts';
import type {
  Checkpoint,
  Claim,
  ClaimRequest,
  ClaimState,
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
} from '../machine/ports/store-port.ts';
import { dueMsOf } from './due-time.ts';
import { MemorySharedWork } from './memory-shared-work.ts';
import { commitEvents, commitText } from './commit-text.ts';
import { claimLost, idWasUsed, logLostItsEnd, runNotFound } from './store-failure.ts';
import {
  checkTaken,
  conflict,
  firstOfRepeated,
  grantClaim,
  isStopped,
  jsonText,
  placeCommit,
  refuseHeld,
  seenClaim,
  statusText,
  type StopNote,
  removedRun,
} from './store-rules.ts';

export interface MemoryStoreOptions {
  /** Milliseconds since the epoch; leases are measured with it. */
  readonly now: () => number;
}

interface Row {
  readonly seq: number;
  readonly text: string;
  readonly head: LogHead;
}

interface Run {
  readonly start: Pick<RunRecord, 'run' | 'workflow' | 'file' | 'startedAt'>;
  readonly input: string;
  readonly rows: Row[];
  readonly plan: string;
  statusRow: string;
  stop: StopNote | null;
  head: LogHead;
  epoch: number;
  held: ClaimState | null;
  checkpoint: { readonly head: LogHead; readonly text: string } | null;
  readonly messages: LazyMap<number, string>;
  sent: number;
  taken: number;
}

/**
 * Opens a store that lasts as long as the process.
 * @example
 * ```ts
 * import { openErrand } from 'errand';
 * import { openMemoryStore } from 'errand/stores';
 *
 * const store = openMemoryStore({ now: Date.now });
 * const errand = await openErrand({ store });
 * console.log((await errand.list()).length); // 0
 * await errand.close();
 * ```
 */
export function openMemoryStore(options: MemoryStoreOptions): RunStore {
  return new MemoryStore(options.now);
}

class MemoryStore extends MemorySharedWork implements RunStore {
  readonly #runs = new Map<string, Run>();
  readonly #tombstones = new Map<string, Tombstone>();
  readonly #breakers = new Map<string, string>();
  /** By run: since when it can continue; ended runs are not here. */
  readonly #due = new Map<string, number>();
  #commits = 0;

  async create(fresh: NewRun): Promise<{ readonly claim: Claim; readonly head: LogHead }> {
    this.checkOpen();
    const text = commitText({ run: fresh.id, seq: 1 }, fresh.events);
    const existing = this.#runs.get(fresh.id);
    if (existing !== undefined) return repeatedCreate(existing, fresh, text);
    const removed = this.#tombstones.get(fresh.id);
    if (removed !== undefined) throw idWasUsed(removed);
    const head = this.#nextHead(1, fresh.events.length);
    const { id, workflow, file, startedAt, owner } = fresh;
    this.#runs.set(id, {
      start: { run: id, workflow, file, startedAt },
      input: jsonText(fresh.input, `The input of run ${id}`),
      rows: [{ seq: 1, text, head }],
      plan: fresh.plan,
      statusRow: statusText(id, fresh.statusRow),
      stop: null,
      head,
      epoch: 1,
      held: { owner, epoch: 1, untilMs: this.now() + fresh.leaseMs },
      checkpoint: null,
      messages: new LazyMap(),
      sent: 0,
      taken: 0,
    });
    this.#noteDue(id, fresh);
    this.keepNotices(id, fresh.notices);
    return { claim: { run: id, epoch: 1 }, head };
  }

  async append(commit: Commit): Promise<LogHead> {
    const run = this.#run(commit.claim.run);
    const { seq, claim } = commit;
    const text = commitText({ run: claim.run, seq }, commit.events);
    if (placeCommit(commit, run) === 'past') return repeatedCommit(run, commit, text);
    const taken = checkTaken(commit, run);
    const statusRow = commit.statusRow && statusText(commit.claim.run, commit.statusRow);

    run.head = this.#nextHead(commit.seq, commit.events.length);
    run.rows.push({ seq: commit.seq, text, head: run.head });
    run.statusRow = statusRow ?? run.statusRow;
    this.#noteDue(commit.claim.run, commit);
    this.keepNotices(commit.claim.run, commit.notices);
    for (; run.taken < taken; run.taken++) run.messages.delete(run.taken + 1);
    return run.head;
  }

  async *read(id: string, fromSeq = 1): AsyncGenerator<StoredCommit> {
    const { rows } = this.#run(id);
    const end = rows.length;
    for (const row of rows.slice(firstRowFrom(rows, fromSeq), end)) {
      const events = commitEvents(row.text, { run: id, seq: row.seq });
      const skipped = Math.max(0, fromSeq - row.seq);
      yield { seq: row.seq + skipped, events: events.slice(skipped), head: row.head };
    }
  }

  async get(id: string): Promise<RunRecord> {
    const run = this.#run(id);
    const input = jsonFrom(run.input);
    return { ...this.#summaryOf(run), plan: run.plan, input, head: run.head };
  }

  async summary(id: string): Promise<RunSummary> {
    return this.#summaryOf(this.#run(id));
  }

  async list({ statuses, limit, before }: ListQuery = {}): Promise<readonly RunSummary[]> {
    this.checkOpen();
    const runs = [...this.#runs.values()];
    const end = before === undefined ? runs.length : runs.indexOf(this.#run(before));
    return runs
      .slice(0, end)
      .reverse()
      .map((run) => this.#summaryOf(run))
      .filter(({ status }) => statuses === undefined || statuses.includes(status))
      .slice(0, limit);
  }

  async claim(request: ClaimRequest): Promise<Claim> {
    const run = this.#run(request.run);
    run.held = grantClaim(request, run, this.now());
    run.epoch = run.held.epoch;
    return { run: request.run, epoch: run.epoch };
  }

  async heartbeat(claims: readonly Claim[], leaseMs: number): Promise<readonly Claim[]> {
    this.checkOpen();
    const untilMs = this.now() + leaseMs;
    return claims.filter((claim) => {
      const run = this.#runs.get(claim.run);
      if (run === undefined || run.held === null || run.epoch !== claim.epoch) return true;
      run.held = { ...run.held, untilMs };
      return false;
    });
  }

  async release(claim: Claim): Promise<void> {
    const run = this.#run(claim.run);
    if (run.epoch !== claim.epoch) return;
    run.epoch++;
    run.held = null;
  }

  async saveCheckpoint(claim: Claim, { head, state }: Checkpoint): Promise<void> {
    const run = this.#run(claim.run);
    if (run.epoch !== claim.epoch) throw claimLost(claim.run, claim.epoch);
    run.checkpoint = { head, text: jsonText(state, `A checkpoint of run ${claim.run}`) };
  }

  async loadCheckpoint(id: string): Promise<Checkpoint | null> {
    const { checkpoint, rows } = this.#run(id);
    if (checkpoint === null) return null;
    const { nextSeq } = checkpoint.head;
    const endSeq = rows.at(-1)?.head.nextSeq ?? 1;
    if (nextSeq > endSeq) throw logLostItsEnd(id, { nextSeq: endSeq, knownSeq: nextSeq });
    const row = rows[firstRowFrom(rows, checkpoint.head.nextSeq - 1)];
    const isConfirmed =
      row?.head.nextSeq === checkpoint.head.nextSeq && row.head.digest === checkpoint.head.digest;
    if (!isConfirmed) return null;
    return { head: row.head, state: jsonFrom(checkpoint.text) };
  }

  async dropCheckpoints(id?: string): Promise<void> {
    this.checkOpen();
    const runs = id === undefined ? this.#runs.values() : [this.#run(id)];
    for (const run of runs) run.checkpoint = null;
  }

  async remove({ run: id, by, at, isAlive }: RemoveRequest): Promise<RemovedRun> {
    const { held, start } = this.#run(id);
    refuseHeld(id, held, { isAlive, nowMs: this.now() });
    const tombstone = { run: id, workflow: start.workflow, removedAt: at, removedBy: by };
    this.#runs.delete(id);
    this.#due.delete(id);
    const unsent = this.removeDeliveries(id);
    this.#tombstones.set(id, tombstone);
    return removedRun(tombstone, unsent);
  }

  async tombstone(id: string): Promise<Tombstone | null> {
    this.checkOpen();
    return this.#tombstones.get(id) ?? null;
  }

  async compact(): Promise<void> {
    this.checkOpen();
  }

  async send(id: string, message: object): Promise<number> {
    const run = this.#run(id);
    run.messages.set(run.sent + 1, jsonText(message, `A message to run ${id}`));
    return ++run.sent;
  }

  async messages(id: string): Promise<readonly StoredMessage[]> {
    return [...this.#run(id).messages].map(([number, text]) => ({
      number,
      message: JSON.parse(text) as JsonObject,
    }));
  }

  async runsWithMessages(): Promise<readonly string[]> {
    this.checkOpen();
    return [...this.#runs].filter(([, run]) => run.messages.size > 0).map(([id]) => id);
  }

  async breakers(): Promise<ReadonlyMap<string, JsonValue>> {
    this.checkOpen();
    return new Map([...this.#breakers].map(([key, text]) => [key, jsonFrom(text)]));
  }

  async changeBreaker(key: string, change: (state: JsonValue) => JsonValue): Promise<JsonValue> {
    this.checkOpen();
    const state = change(jsonFrom(this.#breakers.get(key) ?? 'null'));
    if (state === null) this.#breakers.delete(key);
    else this.#breakers.set(key, jsonText(state, `The state of breaker ${key}`));
    return state;
  }

  async due({ workflows, nowMs, limit, isAlive }: DueQuery): Promise<readonly DueRun[]> {
    this.checkOpen();
    const storeMs = this.now();
    const isHeld = ({ held }: Run): boolean =>
      held !== null && held.untilMs > storeMs && isAlive(held.owner);
    return [...this.#dueMs()]
      .map(([id, dueMs]) => ({ run: this.#run(id), dueMs }))
      .filter(
        ({ run, dueMs }) =>
          dueMs <= Math.min(nowMs, storeMs) &&
          (workflows?.includes(run.start.workflow) ?? true) &&
          !isHeld(run) &&
          !isStopped(run.stop, { epoch: run.epoch, nextSeq: run.head.nextSeq }),
      )
      .toSorted((a, b) => a.dueMs - b.dueMs)
      .slice(0, limit)
      .map(({ run, dueMs }) => ({ ...this.#summaryOf(run), dueMs }));
  }

  async noteStop(claim: Claim): Promise<void> {
    const run = this.#run(claim.run);
    if (run.epoch === claim.epoch) run.stop = { epoch: run.epoch, nextSeq: run.head.nextSeq };
  }

  #noteDue(id: string, { statusRow }: Pick<Commit, 'statusRow'>): void {
    if (statusRow === undefined) return;
    const dueMs = dueMsOf(statusRow);
    if (dueMs !== null) this.#due.set(id, dueMs);
    else if (statusRow.status === 'paused') this.#due.set(id, Infinity);
    else this.#due.delete(id);
  }

  /** A paused run with an unread message is due at once. */
  *#dueMs(): Iterable<readonly [string, number]> {
    for (const [id, dueMs] of this.#due) {
      const hasMessage = (this.#runs.get(id)?.messages.size ?? 0) > 0;
      yield [id, hasMessage ? 0 : dueMs];
    }
  }

  #run(id: string): Run {
    this.checkOpen();
    const run = this.#runs.get(id);
    if (run === undefined) throw runNotFound(id, this.#tombstones.get(id));
    return run;
  }

  #summaryOf(run: Run): RunSummary {
    // written by this file, from a status row
    const statusRow = JSON.parse(run.statusRow) as RunSummary;
    return { ...run.start, ...statusRow, claim: seenClaim(run.held, this.now()) };
  }

  /** No log here is ever rewritten, so the number of a commit identifies it. */
  #nextHead(seq: number, count: number): LogHead {
    return { nextSeq: seq + count, digest: `memory-${++this.#commits}` };
  }
}

function repeatedCreate(
  run: Run,
  fresh: NewRun,
  text: string,
): { readonly claim: Claim; readonly head: LogHead } {
  const { head } = firstOfRepeated(fresh, run, { first: run.rows[0], text });
  return { claim: { run: fresh.id, epoch: 1 }, head };
}

function repeatedCommit(run: Run, commit: Commit, text: string): LogHead {
  const row = run.rows[firstRowFrom(run.rows, commit.seq)];
  if (row?.seq !== commit.seq || row.text !== text) throw conflict(commit);
  return row.head;
}

/** Index of the first row that ends after `seq`. */
function firstRowFrom(rows: readonly Row[], seq: number): number {
  let low = 0;
  let high = rows.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const row = rows[middle];
    if (row !== undefined && row.head.nextSeq <= seq) low = middle + 1;
    else high = middle;
  }
  return low;
}
