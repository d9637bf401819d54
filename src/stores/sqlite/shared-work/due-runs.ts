/**
 * Runs that can continue, found by the index of their times, and notes about runs that a person
 * stopped. Ended runs are not in the index.
 */
import { isKind } from '../../../errors/thrown/errand-error.ts';
import type { DueQuery, DueRun } from '../../../machine/ports/shared-work-port.ts';
import type { Claim, ClaimOwner } from '../../../machine/ports/store-port.ts';
import { rowChecksum } from '../../checksum.ts';
import { corrupt } from '../../store-failure.ts';
import { isStopped, type StopNote } from '../../store-rules.ts';
import { integerAt, textAt } from '../../typed-row.ts';
import { presentClaim, type RunRef } from '../claims.ts';
import type { Preparer } from '../meta.ts';
import { readSummary, type SummaryReader } from '../run-table.ts';

/** A paused run with an unread message is due, whatever its time. */
const CANDIDATES = `
  SELECT run, due_ms FROM statuses INDEXED BY statuses_due WHERE due_ms <= ?
  UNION ALL
  SELECT s.run, 0 FROM (SELECT DISTINCT run FROM messages) m
  JOIN statuses s ON s.run = m.run WHERE s.status = 'paused'`;

export const OWNERS = `
  SELECT DISTINCT c.owner FROM statuses s INDEXED BY statuses_due JOIN claims c ON c.run = s.run
  WHERE s.due_ms <= ? AND c.owner IS NOT NULL AND c.until_ms > ?`;

export const DUE = `
  SELECT d.run, min(d.due_ms) AS due_ms, r.id, h.epoch, h.next_seq
  FROM (${CANDIDATES}) d
  JOIN runs r ON r.key = d.run JOIN claims c ON c.run = d.run JOIN heads h ON h.run = d.run
  LEFT JOIN stops p ON p.run = d.run
  WHERE (c.owner IS NULL OR c.until_ms <= ? OR c.owner IN (SELECT value FROM json_each(?)))
    AND (? IS NULL OR r.workflow IN (SELECT value FROM json_each(?)))
    AND (p.run IS NULL OR (p.epoch <> h.epoch AND p.next_seq <> h.next_seq))
  GROUP BY d.run ORDER BY 2, 1 LIMIT ?`;

export function dueRuns(reader: SummaryReader, query: DueQuery): DueRun[] {
  const { db, nowMs: storeMs } = reader;
  const { workflows, nowMs, limit, onDamage } = query;
  const untilMs = Math.min(nowMs, storeMs);
  const names = workflows === undefined ? null : JSON.stringify(workflows);
  const dead = JSON.stringify(deadOwners(reader, query));
  return db
    .prepare(DUE)
    .all(untilMs, storeMs, dead, names, names, limit)
    .flatMap((row): DueRun[] => {
      const ref = { key: integerAt(row, 'run'), run: textAt(row, 'id') };
      try {
        const stop = readStop(db, ref);
        const present = { epoch: integerAt(row, 'epoch'), nextSeq: integerAt(row, 'next_seq') };
        if (isStopped(stop, present)) return [];
        return [{ ...readSummary(reader, ref), dueMs: integerAt(row, 'due_ms') }];
      } catch (thrown) {
        // a damaged run must not keep the others from continuing
        if (onDamage === undefined || !isKind(thrown, 'store.corrupt')) throw thrown;
        onDamage(thrown);
        return [];
      }
    });
}

/** Owners whose process is gone, as they are written in their claims. */
function deadOwners(
  { db, nowMs: storeMs }: SummaryReader,
  { nowMs, isAlive }: Pick<DueQuery, 'nowMs' | 'isAlive'>,
): readonly string[] {
  return db
    .prepare(OWNERS)
    .all(Math.min(nowMs, storeMs), storeMs)
    .map((row) => textAt(row, 'owner'))
    .filter((text) => {
      const owner = ownerIn(text);
      return owner !== null && !isAlive(owner);
    });
}

function ownerIn(text: string): ClaimOwner | null {
  try {
    return JSON.parse(text) as ClaimOwner;
  } catch {
    // a damaged claim: reading it says so
    return null;
  }
}

/** Does nothing when the claim is lost. */
export function noteStop(db: Preparer, ref: RunRef, { epoch }: Claim): void {
  if (presentClaim(db, ref).epoch !== epoch) return;
  const row = db.prepare('SELECT next_seq FROM heads WHERE run = ?').get(ref.key);
  if (row === undefined) return;
  const values = [ref.key, epoch, integerAt(row, 'next_seq')] as const;
  db.prepare(
    'INSERT OR REPLACE INTO stops (run, epoch, next_seq, checksum) VALUES (?, ?, ?, ?)',
  ).run(...values, rowChecksum(values));
}

function readStop(db: Preparer, { key, run }: RunRef): StopNote | null {
  const row = db.prepare('SELECT * FROM stops WHERE run = ?').get(key);
  if (row === undefined) return null;
  const [epoch, nextSeq] = [integerAt(row, 'epoch'), integerAt(row, 'next_seq')];
  if (integerAt(row, 'checksum') !== rowChecksum([key, epoch, nextSeq]))
    throw corrupt(`The row of run ${run} in stops is altered`, { run, table: 'stops' });
  return { epoch, nextSeq };
}
