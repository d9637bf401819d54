/** Named values of the store as a whole, each with its checksum. */
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { rowChecksum } from '../checksum.ts';
import { corrupt } from '../store-failure.ts';
import { integerAt, textAt } from '../typed-row.ts';

export type MetaName = 'breakers' | 'runs' | 'schema';

/** Anything that prepares a statement: a connection keeps it, a bare database does not. */
export interface Preparer {
  prepare(sql: string): StatementSync;
}

export function readMeta(db: Preparer | DatabaseSync, name: MetaName): string {
  const row = db.prepare('SELECT value, checksum FROM meta WHERE name = ?').get(name);
  if (row === undefined) throw damaged(name);
  const value = textAt(row, 'value');
  if (integerAt(row, 'checksum') !== rowChecksum([name, value])) throw damaged(name);
  return value;
}

export function writeMeta(db: Preparer | DatabaseSync, name: MetaName, value: string): void {
  db.prepare('INSERT OR REPLACE INTO meta (name, value, checksum) VALUES (?, ?, ?)').run(
    name,
    value,
    rowChecksum([name, value]),
  );
}

function damaged(name: MetaName): Error {
  return corrupt(`The row ${name} of the store is missing or altered`, {
    table: 'meta',
    row: name,
  });
}
