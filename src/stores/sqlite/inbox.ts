/**
 * Signals to a run. `heads` counts those sent and those taken, so a lost row is noticed. A signal
 * is taken by the commit that records it, in the same transaction: exactly once.
 */
import type { JsonObject } from '../../errors/json.ts';
import type { Commit, StoredSignal } from '../../machine/store-port.ts';
import { rowChecksum } from '../checksum.ts';
import { damagedInbox } from '../failure.ts';
import { checkTaken } from '../rules.ts';
import type { RunRef } from './claims.ts';
import type { Preparer } from './meta.ts';
import { integerAt, textAt, type Row } from '../row.ts';

export function sendSignal(db: Preparer, ref: RunRef, text: string): number {
  const number = readCounts(db, ref).sent + 1;
  db.prepare('INSERT INTO signals (run, number, signal, checksum) VALUES (?, ?, ?, ?)').run(
    ref.key,
    number,
    text,
    rowChecksum([ref.key, number, text]),
  );
  db.prepare('UPDATE heads SET sent = ? WHERE run = ?').run(number, ref.key);
  return number;
}

export function waitingSignals(db: Preparer, ref: RunRef): StoredSignal[] {
  const { sent, taken } = readCounts(db, ref);
  const rows = db.prepare('SELECT * FROM signals WHERE run = ? ORDER BY number').all(ref.key);
  if (rows.length !== sent - taken)
    throw damagedInbox(ref.run, { sent, taken, present: rows.length });
  return rows.map((row, index) => toSignal(row, ref, taken + index + 1));
}

export function takeSignals(db: Preparer, ref: RunRef, commit: Commit): void {
  const through = checkTaken(commit, readCounts(db, ref));
  db.prepare('DELETE FROM signals WHERE run = ? AND number <= ?').run(ref.key, through);
  db.prepare('UPDATE heads SET taken = ? WHERE run = ?').run(through, ref.key);
}

export function runsWithSignals(db: Preparer): string[] {
  return db
    .prepare(
      `SELECT s.run, r.id FROM (SELECT DISTINCT run FROM signals) s
       LEFT JOIN runs r ON r.key = s.run ORDER BY s.run`,
    )
    .all()
    .map((row) => textAt(row, 'id'));
}

function readCounts(db: Preparer, ref: RunRef): { readonly sent: number; readonly taken: number } {
  const row = db.prepare('SELECT sent, taken FROM heads WHERE run = ?').get(ref.key);
  if (row === undefined) throw damagedInbox(ref.run);
  return { sent: integerAt(row, 'sent'), taken: integerAt(row, 'taken') };
}

function toSignal(row: Row, ref: RunRef, number: number): StoredSignal {
  const text = textAt(row, 'signal');
  const isRight =
    integerAt(row, 'number') === number &&
    integerAt(row, 'checksum') === rowChecksum([ref.key, number, text]);
  if (!isRight) throw damagedInbox(ref.run, { signal: number });
  // its checksum is right, so it is what sendSignal wrote
  return { number, signal: JSON.parse(text) as JsonObject };
}
