/**
 * Messages to a run. `heads` counts those sent and those taken, so a lost row is noticed. A message
 * is taken by the commit that records it, in the same transaction: exactly once.
 */
import type { JsonObject } from '../../errors/support/safe-json.ts';
import type { Commit, StoredMessage } from '../../machine/ports/store-port.ts';
import { rowChecksum } from '../checksum.ts';
import { damagedInbox } from '../store-failure.ts';
import { checkTaken } from '../store-rules.ts';
import type { RunRef } from './claims.ts';
import type { Preparer } from './meta.ts';
import { integerAt, textAt, type Row } from '../typed-row.ts';

export function sendMessage(db: Preparer, ref: RunRef, text: string): number {
  const number = readCounts(db, ref).sent + 1;
  db.prepare('INSERT INTO messages (run, number, message, checksum) VALUES (?, ?, ?, ?)').run(
    ref.key,
    number,
    text,
    rowChecksum([ref.key, number, text]),
  );
  db.prepare('UPDATE heads SET sent = ? WHERE run = ?').run(number, ref.key);
  return number;
}

export function waitingMessages(db: Preparer, ref: RunRef): StoredMessage[] {
  const { sent, taken } = readCounts(db, ref);
  const rows = db.prepare('SELECT * FROM messages WHERE run = ? ORDER BY number').all(ref.key);
  if (rows.length !== sent - taken)
    throw damagedInbox(ref.run, { sent, taken, present: rows.length });
  return rows.map((row, index) => toMessage(row, ref, taken + index + 1));
}

export function takeMessages(db: Preparer, ref: RunRef, commit: Commit): void {
  const through = checkTaken(commit, readCounts(db, ref));
  db.prepare('DELETE FROM messages WHERE run = ? AND number <= ?').run(ref.key, through);
  db.prepare('UPDATE heads SET taken = ? WHERE run = ?').run(through, ref.key);
}

export function runsWithMessages(db: Preparer): string[] {
  return db
    .prepare(
      `SELECT s.run, r.id FROM (SELECT DISTINCT run FROM messages) s
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

function toMessage(row: Row, ref: RunRef, number: number): StoredMessage {
  const text = textAt(row, 'message');
  const isRight =
    integerAt(row, 'number') === number &&
    integerAt(row, 'checksum') === rowChecksum([ref.key, number, text]);
  if (!isRight) throw damagedInbox(ref.run, { message: number });
  // its checksum is right, so it is what sendMessage wrote
  return { number, message: JSON.parse(text) as JsonObject };
}
