/** Notes that any process may change, if it knows their latest version. */
import { jsonFrom } from '../../../errors/support/safe-json.ts';
import type { Note } from '../../../machine/ports/shared-work-port.ts';
import { rowChecksum } from '../../checksum.ts';
import { corrupt } from '../../store-failure.ts';
import { jsonText } from '../../store-rules.ts';
import { integerAt, textAt, type Row } from '../../typed-row.ts';
import type { Preparer } from '../meta.ts';

export function readNotes(db: Preparer, topic: string): ReadonlyMap<string, Note> {
  const rows = db.prepare('SELECT * FROM shared_notes WHERE topic = ? ORDER BY key').all(topic);
  return new Map(rows.map((row) => [textAt(row, 'key'), checkedNote(row, topic)]));
}

export function writeNote(
  db: Preparer,
  { topic, key }: { readonly topic: string; readonly key: string },
  { value, version }: Note,
): boolean {
  const row = db.prepare('SELECT * FROM shared_notes WHERE topic = ? AND key = ?').get(topic, key);
  const present = row === undefined ? 0 : checkedNote(row, topic).version;
  if (present !== version) return false;
  const values = [topic, key, jsonText(value, `The note ${key}`), version + 1] as const;
  db.prepare(
    'INSERT OR REPLACE INTO shared_notes (topic, key, value, version, checksum) VALUES (?, ?, ?, ?, ?)',
  ).run(...values, rowChecksum(values));
  return true;
}

function checkedNote(row: Row, topic: string): Note {
  const [key, text, version] = [
    textAt(row, 'key'),
    textAt(row, 'value'),
    integerAt(row, 'version'),
  ];
  if (integerAt(row, 'checksum') !== rowChecksum([topic, key, text, version]))
    throw corrupt(`The note ${key} is altered`, { table: 'shared_notes', key });
  return { value: jsonFrom(text), version };
}
