/**
 * Work that processes share besides the logs: due runs, stops by people, the outbox and notes. Each
 * operation is one statement, and judged by the clock of the server.
 */
import { isKind } from '../../errors/thrown/errand-error.ts';
import { jsonFrom } from '../../errors/support/safe-json.ts';
import type {
  Delivery,
  DeliveryResult,
  DueQuery,
  DueRun,
  Endpoint,
  EndpointState,
  Note,
  Notes,
  SharedWork,
  TakeDeliveries,
} from '../../machine/ports/shared-work-port.ts';
import type { Claim, ClaimOwner } from '../../machine/ports/store-port.ts';
import { jsonText } from '../store-rules.ts';
import { integerAt, textAt, type Row } from '../typed-row.ts';
import type { Database } from './database.ts';
import { COLUMNS, NOW_MS, readRun } from './run-table.ts';

/** Evaluated once, so that an index can be used with it. */
const STORE_MS = `(SELECT ${NOW_MS})`;

/** A paused run with an unread message is due, whatever its time. */
export const DUE = `
  WITH candidates AS (
    SELECT key FROM @runs WHERE due_ms <= least($1::bigint, ${STORE_MS})
    UNION
    SELECT r.key FROM @runs r JOIN @messages m ON m.run = r.key WHERE r.status = 'paused'
  )
  SELECT ${COLUMNS} FROM @runs WHERE key IN (SELECT key FROM candidates)
    AND (owner IS NULL OR until_ms <= ${STORE_MS} OR owner = ANY($2::text[]))
    AND ($3::text[] IS NULL OR workflow = ANY($3))
    AND (stop_epoch IS NULL OR (stop_epoch <> epoch AND stop_seq <> next_seq))
  ORDER BY due_ms NULLS FIRST, key LIMIT $4`;

export const OWNERS = `
  SELECT DISTINCT owner FROM @runs
  WHERE due_ms <= least($1::bigint, ${STORE_MS}) AND owner IS NOT NULL AND until_ms > ${STORE_MS}`;

const TAKE = `
  WITH taken AS (
    SELECT run, seq, endpoint FROM @deliveries WHERE due_ms <= ${STORE_MS} AND endpoint = ANY($1)
    ORDER BY due_ms LIMIT $2 FOR UPDATE SKIP LOCKED
  )
  UPDATE @deliveries d SET due_ms = ${STORE_MS} + $3 FROM taken t, @runs r
  WHERE d.run = t.run AND d.seq = t.seq AND d.endpoint = t.endpoint AND r.key = d.run
  RETURNING d.endpoint, r.id, d.seq, d.type, d.tries`;

const STATES = `
  SELECT e.id, e.name, e.since_ms::float8 AS since_ms, e.seen_ms::float8 AS seen_ms,
    (SELECT count(*) FROM @deliveries d WHERE d.endpoint = e.id AND d.due_ms IS NOT NULL)::float8 AS waiting,
    (SELECT count(*) FROM @deliveries d WHERE d.endpoint = e.id AND d.due_ms IS NULL)::float8 AS failed,
    (SELECT problem FROM @deliveries d WHERE d.endpoint = e.id AND d.due_ms IS NULL
     ORDER BY run DESC, seq DESC LIMIT 1) AS problem
  FROM @endpoints e ORDER BY e.id`;

const AT = 'run = (SELECT key FROM @runs WHERE id = $1) AND seq = $2 AND endpoint = $3';

export class PostgresSharedWork implements SharedWork {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  async due({ workflows, nowMs, limit, isAlive, onDamage }: DueQuery): Promise<readonly DueRun[]> {
    const owners = await this.#db.query(OWNERS, [nowMs]);
    const dead = owners
      .map((row) => textAt(row, 'owner'))
      // written by this store
      .filter((text) => !isAlive(JSON.parse(text) as ClaimOwner));
    const names = workflows?.map((name) => JSON.stringify(name)) ?? null;
    const rows = await this.#db.query(DUE, [nowMs, dead, names, limit]);
    return rows.flatMap((row) => {
      try {
        return [{ ...readRun(row).summary, dueMs: integerOrNullAt(row, 'due_ms') ?? 0 }];
      } catch (thrown) {
        // a damaged run must not keep the others from continuing
        if (onDamage === undefined || !isKind(thrown, 'store.corrupt')) throw thrown;
        onDamage(thrown);
        return [];
      }
    });
  }

  async noteStop({ run, epoch }: Claim): Promise<void> {
    await this.#db.query(
      'UPDATE @runs SET stop_epoch = epoch, stop_seq = next_seq WHERE id = $1 AND epoch = $2',
      [run, epoch],
      { run },
    );
  }

  async addEndpoint({ id, name }: Endpoint): Promise<void> {
    await this.#db.query(
      `INSERT INTO @endpoints (id, name, since_ms, seen_ms) VALUES ($1, $2, ${NOW_MS}, ${NOW_MS})
       ON CONFLICT (id) DO UPDATE SET seen_ms = excluded.seen_ms`,
      [id, name],
    );
  }

  async endpoints(): Promise<readonly EndpointState[]> {
    const rows = await this.#db.query(STATES);
    return rows.map((row) => ({
      id: textAt(row, 'id'),
      name: textAt(row, 'name'),
      since: new Date(integerAt(row, 'since_ms')).toISOString(),
      seen: new Date(integerAt(row, 'seen_ms')).toISOString(),
      waiting: integerAt(row, 'waiting'),
      failed: integerAt(row, 'failed'),
      ...(row['problem'] === null ? {} : { problem: textAt(row, 'problem') }),
    }));
  }

  async takeDeliveries({
    endpoints,
    limit,
    leaseMs,
  }: TakeDeliveries): Promise<readonly Delivery[]> {
    const rows = await this.#db.query(TAKE, [endpoints, limit, leaseMs]);
    return rows.map((row) => ({
      endpoint: textAt(row, 'endpoint'),
      run: textAt(row, 'id'),
      seq: integerAt(row, 'seq'),
      type: textAt(row, 'type'),
      tries: integerAt(row, 'tries'),
    }));
  }

  async settleDelivery(
    { run, seq, endpoint }: Pick<Delivery, 'endpoint' | 'run' | 'seq'>,
    result: DeliveryResult,
  ): Promise<void> {
    const at = [run, seq, endpoint] as const;
    if (result.isDelivered) {
      await this.#db.query(`DELETE FROM @deliveries WHERE ${AT}`, at, { run });
      return;
    }
    await this.#db.query(
      `UPDATE @deliveries SET tries = tries + 1, problem = $4, due_ms = ${NOW_MS} + $5::bigint WHERE ${AT}`,
      // a text of PostgreSQL cannot hold a zero
      [...at, result.problem.replaceAll('\0', ''), result.againInMs],
      { run },
    );
  }

  async notes(topic: string): Promise<Notes> {
    const rows = await this.#db.query(
      `SELECT n.key, n.value, n.version, t.now_ms
       FROM (SELECT ${NOW_MS}::float8 AS now_ms) t LEFT JOIN @notes n ON n.topic = $1`,
      [topic],
    );
    const notes = rows.flatMap((row): [string, Note][] =>
      row['key'] === null ? [] : [[textAt(row, 'key'), noteIn(row)]],
    );
    const [first] = rows;
    return { nowMs: first === undefined ? 0 : integerAt(first, 'now_ms'), notes: new Map(notes) };
  }

  async setNote(topic: string, key: string, { value, version }: Note): Promise<boolean> {
    const text = jsonText(value, `The note ${key}`);
    const changed = await this.#db.query(
      version === 0
        ? `INSERT INTO @notes (topic, key, value, version) VALUES ($1, $2, $3, $4::integer + 1)
           ON CONFLICT DO NOTHING RETURNING version`
        : `UPDATE @notes SET value = $3, version = version + 1
           WHERE topic = $1 AND key = $2 AND version = $4 RETURNING version`,
      [topic, key, text, version],
    );
    return changed.length > 0;
  }
}

function noteIn(row: Row): Note {
  return {
    value: jsonFrom(textAt(row, 'value')),
    version: integerAt(row, 'version'),
  };
}

function integerOrNullAt(row: Row, column: string): number | null {
  return row[column] === null ? null : integerAt(row, column);
}
