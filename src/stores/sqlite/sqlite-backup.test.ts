/** A copy that SQLite makes of a store is a store; one of the database alone lacks its latest commits. */
import { mkdtempSync, rmSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { openSqliteStore } from './sqlite.ts';
import { claiming, commitAt, newRun, RIVAL, seqsOf } from '../conformance/scene.ts';

const folder = mkdtempSync(join(tmpdir(), 'errand-backup-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it('VACUUM INTO gives a whole store while a run is being written', async () => {
  const store = await openSqliteStore({ path: join(folder, 'errand.db'), now: () => 0 });
  const { claim } = await store.create(newRun('r'));
  for (const seq of [2, 3, 4]) await store.append(commitAt(claim, seq));
  const backup = join(folder, 'backup.db');
  const db = new DatabaseSync(join(folder, 'errand.db'));
  db.prepare('VACUUM INTO ?').run(backup);
  db.close();
  await store.append(commitAt(claim, 5));
  await store.close();

  const copy = await openSqliteStore({ path: backup, now: () => 60_000 });
  expect(await seqsOf(copy, 'r')).toEqual([1, 2, 3, 4]);
  const taken = await copy.claim(claiming('r', RIVAL));
  await copy.append(commitAt(taken, 5));
  await copy.close();
});
