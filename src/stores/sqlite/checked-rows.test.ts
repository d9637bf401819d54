import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync, type SQLInputValue } from 'node:sqlite';
import { afterAll, expect, it } from 'vitest';
import type { Preparer } from './meta.ts';
import { CountedRuns } from './checked-rows.ts';

const directory = mkdtempSync(join(tmpdir(), 'errand-counted-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

/** A table of as many runs, and the lowest key above which rows were counted, each time. */
function tableOf(name: string, count: number) {
  const path = join(directory, name);
  const db = new DatabaseSync(path);
  db.exec('PRAGMA journal_mode = WAL; CREATE TABLE runs (key INTEGER PRIMARY KEY)');
  const add = (key: number): unknown => db.prepare('INSERT INTO runs VALUES (?)').run(key);
  for (let key = 1; key <= count; key++) add(key);
  const from: number[] = [];
  const watched: Preparer = {
    prepare: (sql) => {
      const statement = db.prepare(sql);
      if (!sql.includes('count(*)')) return statement;
      const get = statement.get.bind(statement);
      statement.get = (key) => {
        from.push(Number(key));
        // the statement has one value, and no names
        return get(key as SQLInputValue);
      };
      return statement;
    },
  };
  return { path, db, watched, add, from };
}

it('counts all rows once, and then those that were added', () => {
  const { watched, add, from } = tableOf('added.db', 5);
  const counted = new CountedRuns();
  expect(counted.present(watched, { created: 5, removed: 0 })).toBe(5);
  add(6);
  expect(counted.present(watched, { created: 6, removed: 0 })).toBe(6);
  expect(counted.present(watched, { created: 6, removed: 0 })).toBe(6);
  expect(from).toEqual([0, 5, 6]);
});

it('counts all of them after a write of another connection, a removal, and damage', () => {
  const { path, db, watched, add, from } = tableOf('others.db', 5);
  const counted = new CountedRuns();
  counted.present(watched, { created: 5, removed: 0 });
  const other = new DatabaseSync(path);
  other.exec('DELETE FROM runs WHERE key = 2');
  other.close();
  expect(counted.present(watched, { created: 5, removed: 0 })).toBe(4);
  expect(counted.present(watched, { created: 5, removed: 0 })).toBe(4);
  add(2);
  expect(counted.present(watched, { created: 5, removed: 0 })).toBe(5);
  db.exec('DELETE FROM runs WHERE key = 3');
  expect(counted.present(watched, { created: 5, removed: 1 })).toBe(4);
  expect(from).toEqual([0, 0, 0, 0, 0]);
});
