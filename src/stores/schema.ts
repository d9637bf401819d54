/**
 * The tables of the SQLite store, as steps from one version of the schema to the next. A step that
 * was released is never changed; a new one is added below it.
 *
 * One commit writes two pages: the end of `events`, and the narrow row of the run in `heads`. The
 * commits of a run are linked backwards by `prev` from `heads.last_row`, and `heads` admits each
 * number once, so an index over (run, seq) would only add a page to every commit: with many runs at
 * work, one for each of them.
 */
import type { DatabaseSync } from 'node:sqlite';
import { writeMeta } from './sqlite/meta.ts';

/** Runs inside a transaction. */
export type Migration = (db: DatabaseSync) => void;

export const MIGRATIONS: readonly Migration[] = [createTables];

function createTables(db: DatabaseSync): void {
  db.exec(TABLES);
  writeMeta(db, 'runs', '0');
  writeMeta(db, 'breakers', '[]');
}

const TABLES = `
  CREATE TABLE meta (
    name TEXT PRIMARY KEY, value TEXT NOT NULL, checksum INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE runs (
    key INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, workflow TEXT NOT NULL, file TEXT,
    started_at TEXT NOT NULL, checksum INTEGER NOT NULL, input TEXT NOT NULL,
    input_checksum INTEGER NOT NULL
  ) STRICT;

  CREATE TABLE plans (digest TEXT PRIMARY KEY, plan TEXT NOT NULL) STRICT;

  CREATE TABLE standings (
    run INTEGER PRIMARY KEY, status TEXT NOT NULL, plan TEXT NOT NULL, standing TEXT NOT NULL,
    checksum INTEGER NOT NULL
  ) STRICT;

  CREATE TABLE heads (
    run INTEGER PRIMARY KEY, epoch INTEGER NOT NULL, next_seq INTEGER NOT NULL,
    last_row INTEGER NOT NULL, digest TEXT NOT NULL, sent INTEGER NOT NULL, taken INTEGER NOT NULL
  ) STRICT;

  CREATE TABLE claims (
    run INTEGER PRIMARY KEY, epoch INTEGER NOT NULL, owner TEXT, until_ms INTEGER NOT NULL,
    checksum INTEGER NOT NULL
  ) STRICT;

  CREATE TABLE events (
    id INTEGER PRIMARY KEY, prev INTEGER NOT NULL, run INTEGER NOT NULL, seq INTEGER NOT NULL,
    count INTEGER NOT NULL, checksum TEXT NOT NULL, events TEXT NOT NULL
  ) STRICT;

  CREATE TABLE checkpoints (
    run INTEGER PRIMARY KEY, next_seq INTEGER NOT NULL, digest TEXT NOT NULL,
    checksum INTEGER NOT NULL, state TEXT NOT NULL
  ) STRICT;

  CREATE TABLE signals (
    run INTEGER NOT NULL, number INTEGER NOT NULL, signal TEXT NOT NULL,
    checksum INTEGER NOT NULL, PRIMARY KEY (run, number)
  ) STRICT, WITHOUT ROWID;
`;
