/**
 * The tables of what processes share besides the logs, and the times of runs that are under way.
 */
import type { RunStatusRow } from '../../machine/ports/store-port.ts';
import { dueMsOf } from '../due-time.ts';
import { ENDPOINT_IDLE_MS } from '../store-rules.ts';
import { textAt } from '../typed-row.ts';
import type { Query } from './database.ts';
import { NOW_MS } from './run-table.ts';

const TABLES = `
  ALTER TABLE @runs ADD COLUMN due_ms bigint, ADD COLUMN stop_epoch integer, ADD COLUMN stop_seq integer;

  CREATE INDEX runs_due ON @runs (due_ms) WHERE due_ms IS NOT NULL;

  CREATE TABLE @endpoints (
    id text PRIMARY KEY, name text NOT NULL, since_ms bigint NOT NULL, seen_ms bigint NOT NULL
  );

  CREATE TABLE @deliveries (
    run integer NOT NULL REFERENCES @runs, seq integer NOT NULL, endpoint text NOT NULL,
    type text NOT NULL, tries integer NOT NULL, due_ms bigint, problem text,
    PRIMARY KEY (run, seq, endpoint)
  );

  CREATE INDEX deliveries_due ON @deliveries (due_ms) WHERE due_ms IS NOT NULL;

  CREATE TABLE @notes (
    topic text NOT NULL, key text NOT NULL, value text NOT NULL, version integer NOT NULL,
    PRIMARY KEY (topic, key)
  );
`;

/** Runs inside the transaction that changes the schema. */
export async function addSharedWork(query: Query): Promise<void> {
  await query(TABLES);
  const rows = await query(
    `SELECT id, status_row FROM @runs WHERE status IN ('running', 'paused', 'interrupted')`,
  );
  for (const row of rows) {
    // a damaged row is found by its checksum when it is read
    const dueMs = dueMsOf(JSON.parse(textAt(row, 'status_row')) as RunStatusRow);
    await query('UPDATE @runs SET due_ms = $2 WHERE id = $1', [textAt(row, 'id'), dueMs]);
  }
}

/** Inserts deliveries of the run in `source`, whose `key` it has; `first` is the number of the next parameter. */
export function keepNotices(source: string, first: number): string {
  return `INSERT INTO @deliveries (run, seq, endpoint, type, tries, due_ms)
    SELECT ${source}.key, n.seq, e.id, n.type, 0, ${NOW_MS} FROM ${source}, @endpoints e,
      unnest($${first}::integer[], $${first + 1}::text[]) AS n (seq, type)
    WHERE e.seen_ms > ${NOW_MS} - ${ENDPOINT_IDLE_MS}`;
}
