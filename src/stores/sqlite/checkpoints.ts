/** One checkpoint for each run at most. A damaged one counts as none: the log has everything. */
import { jsonFrom } from '../../errors/support/safe-json.ts';
import type { Checkpoint } from '../../machine/ports/store-port.ts';
import { rowChecksum } from '../checksum.ts';
import { jsonText } from '../store-rules.ts';
import type { RunRef } from './claims.ts';
import type { Preparer } from './meta.ts';
import type { Row } from '../typed-row.ts';

export function saveCheckpoint(db: Preparer, ref: RunRef, { head, state }: Checkpoint): void {
  const text = jsonText(state, `A checkpoint of run ${ref.run}`);
  const values = [ref.key, head.nextSeq, head.digest, text] as const;
  db.prepare(
    `INSERT OR REPLACE INTO checkpoints (run, next_seq, digest, state, checksum)
     VALUES (?, ?, ?, ?, ?)`,
  ).run(...values, rowChecksum(values));
}

/** Not yet compared with the log. */
export function readCheckpoint(db: Preparer, ref: RunRef): Checkpoint | null {
  const row = db.prepare('SELECT * FROM checkpoints WHERE run = ?').get(ref.key);
  if (row === undefined) return null;
  const { next_seq: nextSeq, digest, state, checksum } = row as Row;
  if (typeof nextSeq !== 'number' || typeof digest !== 'string' || typeof state !== 'string') {
    return null;
  }
  if (checksum !== rowChecksum([ref.key, nextSeq, digest, state])) return null;
  return { head: { nextSeq, digest }, state: jsonFrom(state) };
}

export function dropCheckpoints(db: Preparer, ref: RunRef | null): void {
  if (ref === null) db.prepare('DELETE FROM checkpoints').run();
  else db.prepare('DELETE FROM checkpoints WHERE run = ?').run(ref.key);
}
