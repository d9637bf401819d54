/**
 * The tables of the PostgreSQL store, made by the first process that opens it, and their version.
 */
import { ErrandError } from '../../errors/thrown/errand-error.ts';
import type { Database, Query } from './database.ts';
import { addSharedWork } from './shared-work-schema.ts';

/**
 * Versions 1 and 2 were never released; they used other checksums and other keys of effects. Version 5 has
 * shorter texts of commits, and reads the longer ones.
 */
const VERSION = 5;
const OLDEST_VERSION = 3;

/** Two processes that open an empty database at once make one schema. */
const LOCK = 0x657272;

const TABLES = `
  CREATE TABLE @meta (name text PRIMARY KEY, value text NOT NULL);

  CREATE TABLE @plans (digest text PRIMARY KEY, plan text NOT NULL);

  CREATE TABLE @runs (
    key integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY, id text NOT NULL UNIQUE,
    workflow text NOT NULL, file text NOT NULL, started_at text NOT NULL, input text NOT NULL,
    checksum bigint NOT NULL,
    plan text NOT NULL, status text NOT NULL, status_row text NOT NULL, status_row_checksum bigint NOT NULL,
    epoch integer NOT NULL, owner text, until_ms bigint NOT NULL,
    next_seq integer NOT NULL, digest text NOT NULL, sent integer NOT NULL, taken integer NOT NULL
  );

  CREATE TABLE @events (
    run integer NOT NULL REFERENCES @runs, seq integer NOT NULL, count integer NOT NULL,
    digest text NOT NULL, events text NOT NULL, PRIMARY KEY (run, seq)
  );

  CREATE TABLE @checkpoints (
    run integer PRIMARY KEY REFERENCES @runs, next_seq integer NOT NULL, digest text NOT NULL,
    checksum bigint NOT NULL, state text NOT NULL
  );

  CREATE TABLE @messages (
    run integer NOT NULL REFERENCES @runs, number integer NOT NULL, message text NOT NULL,
    checksum bigint NOT NULL, PRIMARY KEY (run, number)
  );

  CREATE TABLE @breakers (key text PRIMARY KEY, state text NOT NULL);
`;

/** Tombstones, and an index of runs that are not over. */
const TOMBSTONES = `
  CREATE TABLE @tombstones (
    id text PRIMARY KEY, workflow text NOT NULL, removed_at text NOT NULL, removed_by text NOT NULL
  );

  CREATE INDEX runs_under_way ON @runs (key) WHERE status IN ('running', 'paused', 'interrupted');
`;

/** Throws `validation.contract_version` for a store of a newer Errand, or from before its first release. */
export async function migrate(database: Database): Promise<void> {
  const present = await versionOf(database, (text, values) => database.query(text, values));
  if (present === VERSION) return;
  await database.transaction(async (query) => {
    await query('SELECT pg_advisory_xact_lock($1)', [LOCK]);
    // another process may have been faster
    const version = await versionOf(database, query);
    if (version === VERSION) return;
    if (version === 0) {
      await query(`CREATE SCHEMA IF NOT EXISTS ${database.quotedSchema}`);
      await query(TABLES);
      await query(TOMBSTONES);
    }
    if (version < 4) await addSharedWork(query);
    await query(
      `INSERT INTO @meta (name, value) VALUES ($1, $2)
       ON CONFLICT (name) DO UPDATE SET value = excluded.value`,
      ['version', String(VERSION)],
    );
  });
}

/** 0 when there is none yet. */
async function versionOf({ schema }: Database, query: Query): Promise<number> {
  // not by to_regclass, which may cache the state from before the lock
  const found = await query(
    `SELECT 1 FROM pg_catalog.pg_tables WHERE schemaname = $1 AND tablename = 'meta'`,
    [schema],
  );
  if (found.length === 0) return 0;
  const [row] = await query('SELECT value FROM @meta WHERE name = $1', ['version']);
  const version = Number(row?.['value'] ?? Number.NaN);
  if (version >= OLDEST_VERSION && version <= VERSION) return version;
  const isOlder = version < OLDEST_VERSION;
  throw new ErrandError({
    kind: 'validation.contract_version',
    message: isOlder
      ? `The store has version ${version}, from before this Errand's first release`
      : `The store has version ${version}, and this Errand supports versions up to ${VERSION}`,
    details: { version, known: VERSION },
    ...(isOlder
      ? {
          action: {
            kind: 'change_input',
            detail: 'Use another schema or database, and start anew.',
          },
        }
      : {}),
  });
}
