/**
 * Removes a run: every row with its key, and its plan if no other run has it. A damaged run can be
 * removed too, so only its key is read.
 */
import { isKind } from '../../errors/thrown/errand-error.ts';
import type { ClaimState, RemovedRun, RemoveRequest } from '../../machine/ports/store-port.ts';
import { runNotFound } from '../store-failure.ts';
import { integerAt, type Row } from '../typed-row.ts';
import { refuseHeld, removedRun } from '../store-rules.ts';
import { presentClaim, type RunRef } from './claims.ts';
import type { Preparer } from './meta.ts';
import { checkAllRuns } from './run-table.ts';
import { findStray } from './stray-runs.ts';
import { readTombstone, writeTombstone } from './tombstones.ts';

/**
 * Walks the chain of a log from its end: no index would find its rows. The run is bound in one
 * position, because Node 22 takes a numbered parameter for a name and binds nothing to it.
 */
const CHAIN = `
  WITH RECURSIVE chain (run, id, prev, seq) AS (
    SELECT e.run, e.id, e.prev, e.seq FROM heads h JOIN events e ON e.id = h.last_row
    WHERE h.run = ? AND e.run = h.run
    UNION ALL
    SELECT e.run, e.id, e.prev, e.seq FROM chain c JOIN events e ON e.id = c.prev
    WHERE e.run = c.run AND e.seq < c.seq
  )`;

const TABLES_BY_RUN = [
  'heads',
  'claims',
  'checkpoints',
  'messages',
  'stops',
  'deliveries',
] as const;

/** Runs inside a transaction. */
export function removeRun(
  db: Preparer,
  { run, by, at, isAlive }: RemoveRequest,
  nowMs: number,
): RemovedRun {
  const { key, workflow } = findToRemove(db, run);
  refuseHeld(run, heldClaim(db, { run, key }), { isAlive, nowMs });
  const waiting = db
    .prepare('SELECT count(due_ms) AS unsent FROM deliveries WHERE run = ?')
    .get(key);
  const unsent = waiting === undefined ? 0 : integerAt(waiting, 'unsent');
  removeEvents(db, key);
  removePlan(db, key);
  for (const table of TABLES_BY_RUN) db.prepare(`DELETE FROM ${table} WHERE run = ?`).run(key);
  db.prepare('DELETE FROM runs WHERE key = ?').run(key);
  const tombstone = { run, workflow, removedAt: at, removedBy: by };
  writeTombstone(db, tombstone);
  return removedRun(tombstone, unsent);
}

function findToRemove(
  db: Preparer,
  run: string,
): { readonly key: number; readonly workflow: string } {
  const row = db.prepare('SELECT key, workflow FROM runs WHERE id = ?').get(run);
  if (row !== undefined) return { key: integerAt(row, 'key'), workflow: nameIn(row) };
  const removed = readTombstone(db, run);
  if (removed !== null) throw runNotFound(run, removed);
  const stray = findStray(db, run);
  if (stray !== undefined) return stray;
  checkAllRuns(db, run);
  throw runNotFound(run);
}

/** It may be what is damaged. */
function nameIn(row: Row): string {
  return typeof row['workflow'] === 'string' ? row['workflow'] : '';
}

/** A claim that cannot be read allows no writer either. */
function heldClaim(db: Preparer, ref: RunRef): ClaimState | null {
  try {
    return presentClaim(db, ref).held;
  } catch (thrown) {
    if (!isKind(thrown, 'store.corrupt')) throw thrown;
    return null;
  }
}

function removeEvents(db: Preparer, key: number): void {
  const row = db.prepare(`${CHAIN} SELECT min(seq) AS first FROM chain`).get(key);
  // only a damaged log does not lead back to its first event; then every row is read
  if (row?.['first'] === 1)
    db.prepare(`${CHAIN} DELETE FROM events WHERE id IN (SELECT id FROM chain)`).run(key);
  else db.prepare('DELETE FROM events WHERE run = ?').run(key);
}

/** Runs of the same plan share it. */
function removePlan(db: Preparer, key: number): void {
  const row = db.prepare('SELECT plan FROM statuses WHERE run = ?').get(key);
  db.prepare('DELETE FROM statuses WHERE run = ?').run(key);
  if (typeof row?.['plan'] !== 'string') return;
  db.prepare(`
    DELETE FROM plans
    WHERE digest = ? AND NOT EXISTS (SELECT 1 FROM statuses s WHERE s.plan = plans.digest)
  `).run(row['plan']);
}
