/**
 * Finds runs whose own row is gone while their log still exists, as after the row was deleted by
 * hand. Their ids are in their first events. Searched only when something is missing: it reads the
 * whole log.
 */
import { integerAt, textAt } from '../typed-row.ts';
import type { Preparer } from './meta.ts';

export interface StrayRun {
  readonly key: number;
  readonly run: string;
  readonly workflow: string;
}

const STRAYS = `
  SELECT run AS key, json_extract(events, '$[0].run') AS id,
    coalesce(json_extract(events, '$[0].workflow'), '') AS workflow
  FROM events
  WHERE seq = 1 AND json_valid(events) AND run NOT IN (SELECT key FROM runs)
    AND json_type(events, '$[0].run') = 'text'`;

export function strayRuns(db: Preparer): readonly StrayRun[] {
  return db
    .prepare(STRAYS)
    .all()
    .map((row) => ({
      key: integerAt(row, 'key'),
      run: textAt(row, 'id'),
      workflow: textAt(row, 'workflow'),
    }));
}

export function findStray(db: Preparer, run: string): StrayRun | undefined {
  return strayRuns(db).find((stray) => stray.run === run);
}
