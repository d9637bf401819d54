/**
 * The durable store of many machines: tables in a schema of a PostgreSQL database that any number
 * of processes may use at once. Durable as far as the server is (`synchronous_commit`). Leases are
 * set and judged by the clock of the server, because those of its clients may differ.
 */
import { jsonFrom, type JsonObject, type JsonValue } from '../../errors/support/safe-json.ts';
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
import { digestOf, rowChecksum } from '../checksum.ts';
import { commitText } from '../commit-text.ts';
import { isKind } from '../../errors/thrown/errand-error.ts';
import { claimLost, corrupt, damagedInbox, logLostItsEnd, runNotFound } from '../store-failure.ts';
import { createRun, type Created } from './create-run.ts';
import type { Database, Query } from './database.ts';
import { EventLog } from './event-log.ts';
import { PostgresSharedWork } from './shared-work.ts';
import { canBeId, readTombstone, removeRow, removeUnusedPlans } from './removal.ts';
import {
  claimOf,
  COLUMNS,
  findRow,
  findRun,
  inputOf,
  NOW_MS,
  readRun,
  workflowIn,
  type RunRow,
} from './run-table.ts';
import { grantClaim, jsonText, refuseHeld, statusText } from '../store-rules.ts';
import { integerAt, textAt } from '../typed-row.ts';
import { Turns, type Concern } from '../per-run-queue.ts';

const SEND = `
  WITH counted AS (UPDATE @runs SET sent = sent + 1 WHERE id = $1 RETURNING key, sent)
  INSERT INTO @messages (run, number, message, checksum)
  SELECT key, sent, $2, $3 FROM counted RETURNING number`;

const RELEASE = {
  name: 'errand_release',
  text: `UPDATE @runs SET epoch = epoch + 1, owner = NULL, until_ms = 0
    WHERE id = $1 AND epoch = $2 RETURNING key`,
};

const HEARTBEAT = {
  name: 'errand_heartbeat',
  text: `UPDATE @runs SET until_ms = ${NOW_MS} + $1 FROM unnest($2::text[], $3::integer[]) AS held (run, term)
    WHERE id = held.run AND epoch = held.term AND owner IS NOT NULL RETURNING id, epoch`,
};

export class PostgresStore extends PostgresSharedWork implements RunStore {
  readonly #db: Database;
  readonly #log: EventLog;
  readonly #turns = new Turns();

  constructor(db: Database) {
    super(db);
    this.#db = db;
    this.#log = new EventLog(db);
  }

  async create(run: NewRun): Promise<Created> {
    const text = commitText({ run: run.id, seq: 1 }, run.events);
    const statusRow = statusText(run.id, run.statusRow);
    this.#db.checkOpen();
    return this.#turns.take([run.id], async () => {
      const { created, known } = await createRun(this.#db, run, { text, statusRow });
      if (known !== undefined) this.#log.remember(run.id, known);
      return created;
    });
  }

  async append(commit: Commit): Promise<LogHead> {
    const { claim, seq, events, statusRow: given } = commit;
    const text = commitText({ run: claim.run, seq }, events);
    const statusRow = given && statusText(claim.run, given);
    this.#db.checkOpen();
    return this.#turns.take([claim.run], () =>
      this.#log.append({ commit, text, statusRow }).catch((thrown: unknown) => {
        this.#log.forget(claim.run);
        throw thrown;
      }),
    );
  }

  async *read(run: string, fromSeq = 1): AsyncGenerator<StoredCommit> {
    yield* this.#log.read(run, fromSeq);
  }

  async get(run: string): Promise<RunRecord> {
    const row = await this.#run(run);
    const [found] = await this.#db.query('SELECT plan FROM @plans WHERE digest = $1', [row.plan]);
    const plan = found === undefined ? '' : textAt(found, 'plan');
    if (digestOf(plan) !== row.plan)
      throw corrupt(`The plan of run ${run} is missing or altered`, { run, table: 'plans' });
    return { ...row.summary, plan, input: inputOf(row), head: row.head };
  }

  async summary(run: string): Promise<RunSummary> {
    return (await this.#run(run)).summary;
  }

  async list(wanted: ListQuery = {}): Promise<readonly RunSummary[]> {
    const { statuses, limit, before, onDamage } = wanted;
    const end = before === undefined ? null : (await this.#run(before)).key;
    const rows = await this.#db.query(
      `SELECT ${COLUMNS} FROM @runs
       WHERE ($1::integer IS NULL OR key < $1) AND ($2::text[] IS NULL OR status = ANY($2))
       ORDER BY key DESC LIMIT $3`,
      [end, statuses ?? null, limit ?? null],
    );
    return rows.flatMap((row) => {
      try {
        return [readRun(row).summary];
      } catch (thrown) {
        if (onDamage === undefined || !isKind(thrown, 'store.corrupt')) throw thrown;
        onDamage(thrown);
        return [];
      }
    });
  }

  async claim(request: ClaimRequest): Promise<Claim> {
    const { run } = request;
    return this.#write([run], async (query) => {
      this.#log.forget(run);
      const { epoch, summary, nowMs } = await findRun(query, run, 'FOR UPDATE');
      const granted = grantClaim(request, { epoch, held: summary.claim }, nowMs);
      await query('UPDATE @runs SET epoch = $2, owner = $3, until_ms = $4 WHERE id = $1', [
        run,
        granted.epoch,
        JSON.stringify(granted.owner),
        granted.untilMs,
      ]);
      return { run, epoch: granted.epoch };
    });
  }

  async heartbeat(claims: readonly Claim[], leaseMs: number): Promise<readonly Claim[]> {
    const runs = claims.map(({ run }) => run);
    this.#db.checkOpen();
    return this.#turns.take(runs, async () => {
      const epochs = claims.map(({ epoch }) => epoch);
      const kept = await this.#db.query(HEARTBEAT, [leaseMs, runs, epochs]);
      return claims.filter(
        ({ run, epoch }) => !kept.some((row) => row['id'] === run && row['epoch'] === epoch),
      );
    });
  }

  async release({ run, epoch }: Claim): Promise<void> {
    this.#db.checkOpen();
    return this.#turns.take([run], async () => {
      this.#log.forget(run);
      const query = this.#db.forRun(run);
      const released = await query(RELEASE, [run, epoch]);
      // a lost claim needs no release; a missing or damaged run is reported
      if (released.length === 0) await findRun(query, run);
    });
  }

  async saveCheckpoint({ run, epoch }: Claim, { head, state }: Checkpoint): Promise<void> {
    const text = jsonText(state, `A checkpoint of run ${run}`);
    return this.#write([run], async (query) => {
      const present = await findRun(query, run, 'FOR UPDATE');
      if (present.epoch !== epoch) throw claimLost(run, epoch);
      await query(
        `INSERT INTO @checkpoints (run, next_seq, digest, checksum, state) VALUES ($1, $2, $3, $4, $5)
         ON CONFLICT (run) DO UPDATE SET next_seq = excluded.next_seq, digest = excluded.digest,
           checksum = excluded.checksum, state = excluded.state`,
        [present.key, head.nextSeq, head.digest, checkpointChecksum(head, text), text],
      );
    });
  }

  async loadCheckpoint(run: string): Promise<Checkpoint | null> {
    const present = await this.#run(run);
    const query = this.#db.forRun(run);
    const [row] = await query(
      `SELECT next_seq, digest, checksum::float8 AS checksum, state FROM @checkpoints WHERE run = $1`,
      [present.key],
    );
    if (row === undefined) return null;
    const head = { nextSeq: integerAt(row, 'next_seq'), digest: textAt(row, 'digest') };
    const text = textAt(row, 'state');
    // a damaged one counts as none: the log has everything
    if (integerAt(row, 'checksum') !== checkpointChecksum(head, text)) return null;
    const { nextSeq } = present.head;
    if (head.nextSeq > nextSeq) throw logLostItsEnd(run, { nextSeq, knownSeq: head.nextSeq });
    if (!(await this.#log.confirms(query, present, head))) return null;
    return { head, state: jsonFrom(text) };
  }

  async dropCheckpoints(run?: string): Promise<void> {
    return this.#write(run === undefined ? 'everything' : [run], async (query) => {
      if (run === undefined) await query('DELETE FROM @checkpoints');
      else
        await query('DELETE FROM @checkpoints WHERE run = $1', [(await findRun(query, run)).key]);
    });
  }

  async remove(request: RemoveRequest): Promise<RemovedRun> {
    const { run, isAlive } = request;
    return this.#write([run], async (query) => {
      this.#log.forget(run);
      const { key, workflow, epoch, row, nowMs } = await lockToRemove(query, run);
      refuseHeld(run, claimOf(row, epoch), { isAlive, nowMs });
      return removeRow(query, { key, workflow }, request);
    });
  }

  async tombstone(run: string): Promise<Tombstone | null> {
    return readTombstone(this.#db.forRun(run), run);
  }

  /** The server itself clears away what was deleted. */
  async compact(): Promise<void> {
    return this.#write('everything', removeUnusedPlans);
  }

  async send(run: string, message: object): Promise<number> {
    const text = jsonText(message, `A message to run ${run}`);
    if (!canBeId(run)) throw runNotFound(run);
    this.#db.checkOpen();
    return this.#turns.take([run], async () => {
      const query = this.#db.forRun(run);
      const [row] = await query(SEND, [run, text, rowChecksum([run, text])]);
      if (row === undefined) throw runNotFound(run, await readTombstone(query, run));
      return integerAt(row, 'number');
    });
  }

  async messages(run: string): Promise<readonly StoredMessage[]> {
    return this.#db.transaction(async (query) => {
      // the counts and the messages of one moment
      await query('SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY');
      const { key, sent, taken } = await findRun(query, run);
      const rows = await query(
        `SELECT number, message, checksum::float8 AS checksum FROM @messages WHERE run = $1
         ORDER BY number`,
        [key],
      );
      if (rows.length !== sent - taken) throw damagedInbox(run);
      return rows.map((row, index) => {
        const number = integerAt(row, 'number');
        const text = textAt(row, 'message');
        const isRight =
          number === taken + index + 1 && integerAt(row, 'checksum') === rowChecksum([run, text]);
        if (!isRight) throw damagedInbox(run);
        // its checksum is right, so it is what `send` wrote
        return { number, message: JSON.parse(text) as JsonObject };
      });
    });
  }

  async runsWithMessages(): Promise<readonly string[]> {
    const rows = await this.#db.query(
      'SELECT id FROM @runs WHERE key IN (SELECT run FROM @messages) ORDER BY key',
    );
    return rows.map((row) => textAt(row, 'id'));
  }

  async breakers(): Promise<ReadonlyMap<string, JsonValue>> {
    const rows = await this.#db.query('SELECT key, state FROM @breakers');
    return new Map(
      rows.map((row) => [
        // written by changeBreaker
        JSON.parse(textAt(row, 'key')) as string,
        jsonFrom(textAt(row, 'state')),
      ]),
    );
  }

  async changeBreaker(key: string, change: (state: JsonValue) => JsonValue): Promise<JsonValue> {
    const name = JSON.stringify(key);
    return this.#write([`breaker ${key}`], async (query) => {
      // locks the row, also one that was not there
      const [row = {}] = await query(
        `INSERT INTO @breakers AS present (key, state) VALUES ($1, 'null')
         ON CONFLICT (key) DO UPDATE SET state = present.state RETURNING present.state`,
        [name],
      );
      const state = change(jsonFrom(textAt(row, 'state')));
      if (state === null) await query('DELETE FROM @breakers WHERE key = $1', [name]);
      else
        await query('UPDATE @breakers SET state = $2 WHERE key = $1', [
          name,
          jsonText(state, 'The state of a breaker'),
        ]);
      return state;
    });
  }

  async close(): Promise<void> {
    await this.#turns.over();
    await this.#db.close();
  }

  async #write<T>(concern: Concern, body: (query: Query) => Promise<T>): Promise<T> {
    this.#db.checkOpen();
    return this.#turns.take(concern, () => this.#db.transaction(body));
  }

  #run(run: string): Promise<RunRow> {
    return findRun(this.#db.forRun(run), run);
  }
}

/**
 * Locks the row of a run that may be damaged: a check of the whole row would make it unremovable.
 */
async function lockToRemove(query: Query, run: string) {
  const row = await findRow(query, run, 'FOR UPDATE');
  return {
    row,
    key: integerAt(row, 'key'),
    epoch: integerAt(row, 'epoch'),
    nowMs: integerAt(row, 'now_ms'),
    workflow: workflowIn(row),
  };
}

function checkpointChecksum({ nextSeq, digest }: LogHead, text: string): number {
  return rowChecksum([nextSeq, digest, text]);
}
