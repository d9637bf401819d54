import { mkdtempSync, rmSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { textAt } from '../../typed-row.ts';
import { openSqliteStore } from '../sqlite.ts';
import { DUE, OWNERS } from './due-runs.ts';

const directory = mkdtempSync(join(tmpdir(), 'errand-due-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

test.each([
  ['due runs', DUE],
  ['their owners', OWNERS],
])('%s are found by an index: ended runs are never read', async (_, sql) => {
  const path = join(directory, 'plan.db');
  await (await openSqliteStore({ path, now: Date.now })).close();
  const db = new DatabaseSync(path);
  const steps = db
    .prepare(`EXPLAIN QUERY PLAN ${sql}`)
    .all()
    .map((row) => textAt(row, 'detail'));
  db.close();
  expect(steps.some((step) => /USING (?:COVERING )?INDEX statuses_due/.test(step))).toBe(true);
  // what is scanned is what the index gave, and the messages that nobody has read
  const scans = steps.filter((step) => step.startsWith('SCAN'));
  expect(scans.filter((step) => !/SCAN (d|m|messages|json_each)\b/.test(step))).toEqual([]);
});
