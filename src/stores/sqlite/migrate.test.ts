import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { migrate } from './migrate.ts';
import { MIGRATIONS, type Migration } from './sqlite-schema.ts';
import { openSqliteStore } from './sqlite.ts';
import { newRun, readAll, rejects } from '../conformance/scene.ts';

const directory = mkdtempSync(join(tmpdir(), 'errand-migrate-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

let path: string;
let places = 0;
beforeEach(() => {
  path = join(directory, `${++places}.db`);
});

const addNotes: Migration = (db) => {
  db.exec('CREATE TABLE notes (run INTEGER PRIMARY KEY, text TEXT NOT NULL) STRICT');
};
const addColumn: Migration = (db) => {
  db.exec(`ALTER TABLE notes ADD COLUMN at TEXT NOT NULL DEFAULT ''`);
};

async function withOneRun(): Promise<void> {
  const store = await openSqliteStore({ path, now: () => 0 });
  await store.create(newRun('r'));
  await store.close();
}

function using<T>(body: (db: DatabaseSync) => T): T {
  const db = new DatabaseSync(path);
  try {
    return body(db);
  } finally {
    db.close();
  }
}

describe('a store from before servers shared their work', () => {
  it('gets the times of the runs that are under way', async () => {
    const before = MIGRATIONS.slice(0, 4);
    const until = '1990-01-01T00:00:00.000Z';
    const rows = [
      { status: 'running', costUsdMicros: 0 },
      { status: 'completed', costUsdMicros: 0 },
      { status: 'paused', costUsdMicros: 0, waiting: { reason: 'time', until, all: [] } },
      { status: 'paused', costUsdMicros: 0, waiting: { reason: 'gate', all: [] } },
    ];
    using((db) => {
      migrate(db, before);
      const insert = db.prepare(
        'INSERT INTO statuses (run, status, plan, status_row, checksum) VALUES (?, ?, ?, ?, 0)',
      );
      for (const [index, row] of rows.entries())
        insert.run(index, row.status, '', JSON.stringify(row));
      migrate(db);
    });
    const times = using((db) => db.prepare('SELECT due_ms FROM statuses ORDER BY run').all());
    expect(times.map((row) => row['due_ms'])).toEqual([0, null, Date.parse(until), null]);
  });
});

describe('a store of an older version', () => {
  it('is migrated step by step, once, and keeps what it holds', async () => {
    await withOneRun();
    const steps = [...MIGRATIONS, addNotes, addColumn];
    for (let time = 0; time < 2; time++) {
      using((db) => migrate(db, steps));
      const columns = using((db) => db.prepare('PRAGMA table_info(notes)').all());
      expect(columns.map(({ name }) => name)).toEqual(['run', 'text', 'at']);
    }
    expect(using((db) => db.prepare('SELECT id FROM runs').get())).toMatchObject({ id: 'r' });
  });

  it('stays as it is when a step fails', async () => {
    await withOneRun();
    const fails: Migration = (db) => db.exec('SELECT nonsense');
    const steps = [...MIGRATIONS, addNotes, fails];
    expect(() => using((db) => migrate(db, steps))).toThrow();
    const store = await openSqliteStore({ path, now: () => 0 });
    expect(await readAll(store, 'r')).toHaveLength(1);
    await store.close();
  });
});

describe('a store that this Errand cannot use', () => {
  it('because it is newer is refused and left alone', async () => {
    await withOneRun();
    using((db) => migrate(db, [...MIGRATIONS, addNotes]));
    const before = readFileSync(path);
    const error = await rejects(
      openSqliteStore({ path, now: () => 0 }),
      'validation.contract_version',
    );
    expect(error.report.details).toEqual({
      version: MIGRATIONS.length + 1,
      known: MIGRATIONS.length,
    });
    expect(readFileSync(path).equals(before)).toBe(true);
  });

  it.each([1, 2, 3])(
    'is refused because version %i is older than the first release',
    async (version) => {
      await withOneRun();
      using((db) => db.exec(`PRAGMA user_version = ${version}`));
      const error = await rejects(
        openSqliteStore({ path, now: () => 0 }),
        'validation.contract_version',
      );
      expect(error).toMatchObject({ report: { action: { kind: 'change_input' } } });
    },
  );

  it('because its version is damaged is not called newer', async () => {
    await withOneRun();
    using((db) => db.exec(`PRAGMA user_version = ${MIGRATIONS.length + 1}`));
    await rejects(openSqliteStore({ path, now: () => 0 }), 'store.corrupt');
  });

  it.each([
    ['a table', 'DROP TABLE messages'],
    ['an index', 'DROP TABLE runs'],
    ['the trigger', 'DROP TRIGGER events_move_head'],
    ['a column', 'ALTER TABLE heads DROP COLUMN taken'],
  ])('because it lacks %s is refused', async (_, sql) => {
    await withOneRun();
    using((db) => db.exec(sql));
    await rejects(openSqliteStore({ path, now: () => 0 }), 'store.corrupt');
  });

  it('because it is the database of another program is refused and left alone', async () => {
    using((db) => db.exec('CREATE TABLE theirs (id INTEGER); INSERT INTO theirs VALUES (1)'));
    const before = readFileSync(path);
    await rejects(openSqliteStore({ path, now: () => 0 }), 'store.corrupt');
    expect(readFileSync(path).equals(before)).toBe(true);
  });
});

describe('a store to which someone added an index', () => {
  it('is used like any other', async () => {
    await withOneRun();
    using((db) => db.exec('CREATE INDEX mine ON events (run, seq)'));
    const store = await openSqliteStore({ path, now: () => 0 });
    expect(await readAll(store, 'r')).toHaveLength(1);
    await store.close();
  });
});
