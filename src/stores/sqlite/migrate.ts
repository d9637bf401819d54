/**
 * Migrates the tables of a SQLite store to the version that this code knows, and refuses a file that
 * is newer, or whose tables are not Errand's. The version is stored twice, in the header of the file
 * and in a checked row, so that a damaged header does not look like a newer version.
 */
import type { DatabaseSync } from 'node:sqlite';
import { ErrandError } from '../../errors/thrown/errand-error.ts';
import { rowChecksum } from '../checksum.ts';
import { corrupt } from '../store-failure.ts';
import { MIGRATIONS, OLDEST_VERSION, type Migration } from './sqlite-schema.ts';
import { readMeta, writeMeta } from './meta.ts';
import { integerAt, textAt, textOrNullAt, type Row } from '../typed-row.ts';

/** "Erd1" in the header of the file, which identifies our databases. */
export const APPLICATION_ID = 0x45726431;

interface SchemaRecord {
  readonly version: number;
  /** Checksum of the definition of each table and index, by its name. */
  readonly objects: Readonly<Record<string, number>>;
}

/** Throws `validation.contract_version` for a newer store, `store.corrupt` for a foreign one. */
export function migrate(db: DatabaseSync, steps: readonly Migration[] = MIGRATIONS): void {
  if (checkedVersion(db, steps.length) === steps.length) return;
  db.exec('BEGIN IMMEDIATE');
  try {
    // another process may have been faster
    const version = checkedVersion(db, steps.length);
    for (const step of steps.slice(version)) step(db);
    if (version === 0) db.exec(`PRAGMA application_id = ${APPLICATION_ID}`);
    if (version < steps.length) recordSchema(db, steps.length);
    db.exec('COMMIT');
  } catch (error) {
    if (db.isTransaction) db.exec('ROLLBACK');
    throw error;
  }
}

function recordSchema(db: DatabaseSync, version: number): void {
  db.exec(`PRAGMA user_version = ${version}`);
  const record: SchemaRecord = { version, objects: presentObjects(db) };
  writeMeta(db, 'schema', JSON.stringify(record));
}

/** The version of the store, 0 for a file without tables, after checking that it can be used. */
function checkedVersion(db: DatabaseSync, known: number): number {
  const application = pragma(db, 'application_id');
  const version = pragma(db, 'user_version');
  const objects = presentObjects(db);
  if (application === 0 && version === 0 && Object.keys(objects).length === 0) return 0;
  if (application !== APPLICATION_ID) {
    throw corrupt('The file is not a store of Errand', { applicationId: application });
  }

  if (version > 0 && version < OLDEST_VERSION) throw unknownVersion(version, known);
  const recorded = readSchemaRecord(db);
  if (recorded.version !== version) {
    throw corrupt('The version of the store is damaged', { version });
  }
  if (version > known) throw unknownVersion(version, known);
  checkObjects(recorded.objects, objects);
  return version;
}

function readSchemaRecord(db: DatabaseSync): SchemaRecord {
  const text = readMeta(db, 'schema');
  // its checksum is right, so it is what recordSchema wrote
  return JSON.parse(text) as SchemaRecord;
}

function checkObjects(recorded: SchemaRecord['objects'], present: SchemaRecord['objects']): void {
  for (const name of new Set([...Object.keys(recorded), ...Object.keys(present)])) {
    // additions by the user, such as an index, are harmless
    const isOurs = Object.hasOwn(recorded, name);
    if (isOurs && recorded[name] !== present[name]) {
      throw corrupt(`The definition of ${name} differs from the one that Errand created`, {
        table: name,
      });
    }
  }
}

function presentObjects(db: DatabaseSync): SchemaRecord['objects'] {
  const rows = db.prepare('SELECT type, name, tbl_name, sql FROM sqlite_schema').all();
  return Object.fromEntries(rows.map((row) => [textAt(row, 'name'), definitionChecksum(row)]));
}

function definitionChecksum(row: Row): number {
  return rowChecksum([textAt(row, 'type'), textAt(row, 'tbl_name'), textOrNullAt(row, 'sql')]);
}

function pragma(db: DatabaseSync, name: 'application_id' | 'user_version'): number {
  const row = db.prepare(`PRAGMA ${name}`).get();
  return row === undefined ? 0 : integerAt(row, name);
}

function unknownVersion(version: number, known: number): Error {
  const isOlder = version < OLDEST_VERSION;
  return new ErrandError({
    kind: 'validation.contract_version',
    message: isOlder
      ? `The store has version ${version}, which is older than Errand's first release`
      : `The store has version ${version}, and this Errand supports versions up to ${known}`,
    details: { version, known },
    ...(isOlder
      ? {
          action: {
            kind: 'change_input',
            detail: 'Move the file of the store away; Errand then creates a new one.',
          },
        }
      : {}),
  });
}
