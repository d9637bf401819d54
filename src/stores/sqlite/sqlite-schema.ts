/**
 * The tables of the SQLite store, as steps from one version of the schema to the next. A step that
 * was released is never changed; a new one is added below it.
 *
 * One commit is one statement and writes two pages: the end of `events`, and the narrow row of the
 * run in `heads`. The commits of a run are linked backwards by `prev` from `heads.last_row`. The
 * trigger accepts only the next commit of the claim's owner, so a number exists once; an index over
 * (run, seq) would only add a page, and with many active runs one for each of them.
 */
import type { DatabaseSync } from 'node:sqlite';
import { writeMeta } from './meta.ts';
import { addSharedWork } from './shared-work/shared-work-schema.ts';

/** Runs inside a transaction. */
export type Migration = (db: DatabaseSync) => void;

const notReleased: Migration = () => undefined;

/**
 * Versions 1 to 3 were never released. They used other checksums and other keys of effects, so they are
 * rejected rather than migrated.
 */
export const MIGRATIONS: readonly Migration[] = [
  notReleased,
  notReleased,
  notReleased,
  createTables,
  addSharedWork,
  shortenCommits,
  packPlans,
];

export const OLDEST_VERSION = 4;

/**
 * New commits have shorter texts, which an earlier Errand cannot read; existing ones stay as they
 * are.
 */
function shortenCommits(): void {
  // the version says it
}

/** Long new plans are packed, which an earlier Errand mistakes for damage. */
function packPlans(): void {
  // the version says it
}

function createTables(db: DatabaseSync): void {
  db.exec(TABLES);
  db.exec(TOMBSTONES);
  writeMeta(db, 'runs', '0');
  writeMeta(db, 'breakers', '[]');
}

/** Removed runs are not damage: together with the existing ones they are all that were created. */
const TOMBSTONES = `
  CREATE TABLE tombstones (
    id TEXT PRIMARY KEY, workflow TEXT NOT NULL, removed_at TEXT NOT NULL,
    removed_by TEXT NOT NULL, checksum INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
`;

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

  CREATE TABLE statuses (
    run INTEGER PRIMARY KEY, status TEXT NOT NULL, plan TEXT NOT NULL, status_row TEXT NOT NULL,
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
    id INTEGER PRIMARY KEY, prev INTEGER NOT NULL, run INTEGER NOT NULL, epoch INTEGER NOT NULL,
    seq INTEGER NOT NULL, count INTEGER NOT NULL, checksum TEXT NOT NULL, events TEXT NOT NULL
  ) STRICT;

  CREATE TRIGGER events_move_head AFTER INSERT ON events BEGIN
    UPDATE heads SET next_seq = NEW.seq + NEW.count, last_row = NEW.id, digest = NEW.checksum
    WHERE run = NEW.run AND epoch = NEW.epoch AND next_seq = NEW.seq AND last_row = NEW.prev;
    SELECT RAISE(ABORT, 'not the next commit of the claim') WHERE changes() = 0;
  END;

  CREATE TABLE checkpoints (
    run INTEGER PRIMARY KEY, next_seq INTEGER NOT NULL, digest TEXT NOT NULL,
    checksum INTEGER NOT NULL, state TEXT NOT NULL
  ) STRICT;

  CREATE TABLE messages (
    run INTEGER NOT NULL, number INTEGER NOT NULL, message TEXT NOT NULL,
    checksum INTEGER NOT NULL, PRIMARY KEY (run, number)
  ) STRICT, WITHOUT ROWID;
`;
