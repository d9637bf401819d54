/**
 * The tables of what processes share besides the logs: due runs, stops by people, the outbox,
 * notes.
 */
import type { DatabaseSync } from 'node:sqlite';
import type { RunStatusRow } from '../../../machine/ports/store-port.ts';
import { dueMsOf } from '../../due-time.ts';
import { integerAt, textAt } from '../../typed-row.ts';

const TABLES = `
  ALTER TABLE statuses ADD COLUMN due_ms INTEGER;

  CREATE INDEX statuses_due ON statuses (due_ms) WHERE due_ms IS NOT NULL;

  CREATE TABLE stops (
    run INTEGER PRIMARY KEY, epoch INTEGER NOT NULL, next_seq INTEGER NOT NULL, checksum INTEGER NOT NULL
  ) STRICT;

  CREATE TABLE endpoints (
    id TEXT PRIMARY KEY, name TEXT NOT NULL, since_ms INTEGER NOT NULL, seen_ms INTEGER NOT NULL,
    checksum INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE deliveries (
    endpoint TEXT NOT NULL, run INTEGER NOT NULL, seq INTEGER NOT NULL, type TEXT NOT NULL,
    tries INTEGER NOT NULL, due_ms INTEGER, problem TEXT, checksum INTEGER NOT NULL,
    PRIMARY KEY (run, seq, endpoint)
  ) STRICT, WITHOUT ROWID;

  CREATE INDEX deliveries_due ON deliveries (due_ms) WHERE due_ms IS NOT NULL;

  CREATE TABLE shared_notes (
    topic TEXT NOT NULL, key TEXT NOT NULL, value TEXT NOT NULL, version INTEGER NOT NULL,
    checksum INTEGER NOT NULL, PRIMARY KEY (topic, key)
  ) STRICT, WITHOUT ROWID;
`;

export function addSharedWork(db: DatabaseSync): void {
  db.exec(TABLES);
  const fill = db.prepare('UPDATE statuses SET due_ms = ? WHERE run = ?');
  const rows = db
    .prepare(
      `SELECT run, status_row FROM statuses WHERE status IN ('running', 'paused', 'interrupted')`,
    )
    .all();
  for (const row of rows) {
    const dueMs = dueIn(textAt(row, 'status_row'));
    if (dueMs !== null) fill.run(dueMs, integerAt(row, 'run'));
  }
}

function dueIn(text: string): number | null {
  try {
    return dueMsOf(JSON.parse(text) as RunStatusRow);
  } catch {
    // a damaged row is reported when it is read
    return null;
  }
}
