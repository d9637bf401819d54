/**
 * Removing a run: every row that has its key, and the plan that only it had. A damaged run can be
 * removed too, or nobody could ever be rid of it, so nothing is asked of it but which one it is.
 */
import { isKind } from '../../errors/errand-error.ts';
import type { ClaimState, RemoveRequest, Tombstone } from '../../machine/store-port.ts';
import { runNotFound } from '../failure.ts';
import { integerAt, type Row } from '../row.ts';
import { refuseHeld } from '../rules.ts';
import { presentClaim, type RunRef } from './claims.ts';
import type { Preparer } from './meta.ts';
import { checkAllRuns } from './runs.ts';
import { findStray } from './stray-runs.ts';
import { readTombstone, writeTombstone } from './tombstones.ts';

/** Along the chain of a log from its end: there is no index that would find its rows. */
const CHAIN = `
  WITH RECURSIVE chain (id, prev, seq) AS (
    SELECT id, prev, seq FROM events
    WHERE run = ?1 AND id = (SELECT last_row FROM heads WHERE run = ?1)
    UNION ALL
    SELECT e.id, e.prev, e.seq FROM chain c JOIN events e ON e.id = c.prev
    WHERE e.run = ?1 AND e.seq < c.seq
  )`;

const TABLES_BY_RUN = ['heads', 'claims', 'checkpoints', 'signals'] as const;

/** Runs inside a transaction. */
export function removeRun(
  db: Preparer,
  { run, by, at, isAlive }: RemoveRequest,
  nowMs: number,
): Tombstone {
  const { key, workflow } = findToRemove(db, run);
  refuseHeld(run, heldClaim(db, { run, key }), { isAlive, nowMs });
  removeEvents(db, key);
  removePlan(db, key);
  for (const table of TABLES_BY_RUN) db.prepare(`DELETE FROM ${table} WHERE run = ?`).run(key);
  db.prepare('DELETE FROM runs WHERE key = ?').run(key);
  const tombstone = { run, workflow, removedAt: at, removedBy: by };
  writeTombstone(db, tombstone);
  return tombstone;
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

/** A claim that cannot be read lets nobody write either. */
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
  // only a damaged log does not lead back to its first event, and then each row has to be looked at
  if (row?.['first'] === 1)
    db.prepare(`${CHAIN} DELETE FROM events WHERE id IN (SELECT id FROM chain)`).run(key);
  else db.prepare('DELETE FROM events WHERE run = ?').run(key);
}

/** Runs of the same plan share it. */
function removePlan(db: Preparer, key: number): void {
  const row = db.prepare('SELECT plan FROM standings WHERE run = ?').get(key);
  db.prepare('DELETE FROM standings WHERE run = ?').run(key);
  if (typeof row?.['plan'] !== 'string') return;
  db.prepare(
    'DELETE FROM plans WHERE digest = ?1 AND NOT EXISTS (SELECT 1 FROM standings WHERE plan = ?1)',
  ).run(row['plan']);
}
