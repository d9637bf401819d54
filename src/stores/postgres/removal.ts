/** Removes a run: all its rows, leaving a tombstone. */
import type { RemovedRun, RemoveRequest, Tombstone } from '../../machine/ports/store-port.ts';
import { removedRun } from '../store-rules.ts';
import { integerAt, textAt } from '../typed-row.ts';
import type { Query } from './database.ts';

const TABLES_BY_RUN = ['events', 'checkpoints', 'messages', 'deliveries'] as const;

/** Runs inside a transaction that has the row of the run. */
export async function removeRow(
  query: Query,
  { key, workflow }: { readonly key: number; readonly workflow: string },
  { run, by, at }: RemoveRequest,
): Promise<RemovedRun> {
  const [waiting] = await query(
    'SELECT count(due_ms)::float8 AS unsent FROM @deliveries WHERE run = $1',
    [key],
  );
  const unsent = waiting === undefined ? 0 : integerAt(waiting, 'unsent');
  for (const table of TABLES_BY_RUN) await query(`DELETE FROM @${table} WHERE run = $1`, [key]);
  await query('DELETE FROM @runs WHERE key = $1', [key]);
  await query(
    'INSERT INTO @tombstones (id, workflow, removed_at, removed_by) VALUES ($1, $2, $3, $4)',
    [run, JSON.stringify(workflow), at, by],
  );
  return removedRun({ run, workflow, removedAt: at, removedBy: by }, unsent);
}

/** No text of PostgreSQL holds a NUL, so the server refuses even to look for one. */
export function canBeId(run: string): boolean {
  return !/\0/.test(run);
}

export async function readTombstone(query: Query, run: string): Promise<Tombstone | null> {
  if (!canBeId(run)) return null;
  const [row] = await query('SELECT * FROM @tombstones WHERE id = $1', [run]);
  if (row === undefined) return null;
  return {
    run,
    // written by removeRow
    workflow: JSON.parse(textAt(row, 'workflow')) as string,
    removedAt: textAt(row, 'removed_at'),
    removedBy: textAt(row, 'removed_by'),
  };
}

/** Runs inside a transaction: no run may start with a plan that is just being removed. */
export async function removeUnusedPlans(query: Query): Promise<void> {
  await query('LOCK TABLE @plans IN SHARE ROW EXCLUSIVE MODE');
  await query(
    'DELETE FROM @plans p WHERE NOT EXISTS (SELECT 1 FROM @runs r WHERE r.plan = p.digest)',
  );
}
