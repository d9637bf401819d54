/** Tombstones of removed runs: their ids, so that their absence does not count as damage. */
import type { Tombstone } from '../../machine/ports/store-port.ts';
import { rowChecksum } from '../checksum.ts';
import { corrupt } from '../store-failure.ts';
import { integerAt, textAt } from '../typed-row.ts';
import type { Preparer } from './meta.ts';

export function readTombstone(db: Preparer, run: string): Tombstone | null {
  const row = db.prepare('SELECT * FROM tombstones WHERE id = ?').get(run);
  if (row === undefined) return null;
  const [workflow, removedAt] = [textAt(row, 'workflow'), textAt(row, 'removed_at')];
  const removedBy = textAt(row, 'removed_by');
  if (integerAt(row, 'checksum') !== rowChecksum([run, workflow, removedAt, removedBy]))
    throw corrupt(`The tombstone of run ${run} is altered`, { run, table: 'tombstones' });
  return { run, workflow, removedAt, removedBy };
}

export function writeTombstone(db: Preparer, tombstone: Tombstone): void {
  const { run, workflow, removedAt, removedBy } = tombstone;
  const values = [run, workflow, removedAt, removedBy] as const;
  db.prepare(
    `INSERT INTO tombstones (id, workflow, removed_at, removed_by, checksum)
     VALUES (?, ?, ?, ?, ?)`,
  ).run(...values, rowChecksum(values));
}

export function countTombstones(db: Preparer): number {
  const row = db.prepare('SELECT count(*) AS removed FROM tombstones').get();
  return row === undefined ? 0 : integerAt(row, 'removed');
}
