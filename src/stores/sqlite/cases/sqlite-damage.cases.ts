/** A store with something in every table, everything that can be read of it, and ways to damage it. */
import { copyFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { ErrandError, isKind } from '../../../errors/thrown/errand-error.ts';
import type { JsonObject } from '../../../errors/support/safe-json.ts';
import type { RunStore } from '../../../machine/ports/store-port.ts';
import { openSqliteStore } from '../sqlite.ts';
import { commitAt, newRun, readAll } from '../../conformance/scene.ts';

const RUNS = ['run-a', 'run-b', 'run-c'];

const NOW_MS = 1_000_000;

export function openAt(path: string): Promise<RunStore> {
  return openSqliteStore({ path, now: () => NOW_MS, durability: 'normal' });
}

/** Something of everything. */
async function fill(store: RunStore): Promise<void> {
  for (const id of RUNS) {
    const { claim } = await store.create(
      newRun(id, { input: { ticket: id }, plan: `{"of":"${id}"}` }),
    );
    for (let seq = 2; seq < 14; seq += 2) await store.append(commitAt(claim, seq, 2));
    const output = `${id} `.repeat(id === 'run-b' ? 1000 : 3);
    const head = await store.append({ claim, seq: 14, events: [{ seq: 14, output }] });
    await store.saveCheckpoint(claim, { head, state: { of: id, seq: 14 } });
    await store.send(id, { type: 'answer', value: id });
    await store.send(id, { type: 'cancel', by: id });
    const statusRow = { status: 'paused', costUsdMicros: 7 } as const;
    await store.append({ ...commitAt(claim, 15), statusRow, messagesThrough: 1 });
    if (id === 'run-c') await store.release(claim);
  }
  await store.changeBreaker('openai/gpt', () => ({ state: 'open', untilMs: 5 }));
}

/** A closed store: all of it is in one file. */
export async function writeClosed(path: string): Promise<JsonObject> {
  const store = await openAt(path);
  await fill(store);
  const whole = await dump(store);
  await store.close();
  return whole;
}

/** The files of a store as a killed process leaves them: most of it is in the write-ahead log. */
export async function writeKilled(path: string): Promise<JsonObject> {
  const store = await openAt(`${path}.alive`);
  await fill(store);
  const whole = await dump(store);
  for (const suffix of SUFFIXES) copyFileSync(`${path}.alive${suffix}`, `${path}${suffix}`);
  await store.close();
  return whole;
}

/** Paths of the database, its log and the index of the log. */
export const SUFFIXES = ['', '-wal', '-shm'];

/** Everything that can be read from a store. */
async function dump(store: RunStore): Promise<JsonObject> {
  const runs: Record<string, unknown> = {};
  for (const id of RUNS) {
    runs[id] = {
      record: await store.get(id),
      summary: await store.summary(id),
      commits: await readAll(store, id),
      tail: await readAll(store, id, 14),
      messages: await store.messages(id),
      // a checkpoint may be lost at any time
      checkpoint: (await store.loadCheckpoint(id)) ?? 'lost',
    };
  }
  const whole = {
    runs,
    list: await store.list(),
    paused: await store.list({ statuses: ['paused'] }),
    running: await store.list({ statuses: ['running'] }),
    breakers: [...(await store.breakers())],
    isUnknown: await isUnknown(store, 'run-x'),
  };
  return JSON.parse(JSON.stringify(whole)) as JsonObject;
}

async function isUnknown(store: RunStore, id: string): Promise<boolean> {
  const error = await store.summary(id).catch((reason: unknown) => reason);
  if (isKind(error, 'run.not_found')) return true;
  throw error;
}

/** The same, or `store.corrupt`; null when it is neither. */
export async function verdict(path: string, expected: JsonObject): Promise<Verdict> {
  const seen = await readBack(path).catch((reason: unknown) => reason);
  if (seen instanceof ErrandError && isKind(seen, 'store.corrupt')) {
    return { is: 'corrupt', where: seen.details ?? {} };
  }
  const isSame = JSON.stringify(withoutLost(seen)) === JSON.stringify(withoutLost(expected));
  return isSame ? { is: 'same' } : { is: 'wrong', seen };
}

export type Verdict =
  | { readonly is: 'same' }
  | { readonly is: 'corrupt'; readonly where: JsonObject }
  | { readonly is: 'wrong'; readonly seen: unknown };

async function readBack(path: string): Promise<JsonObject> {
  const store = await openAt(path);
  try {
    return await dump(store);
  } finally {
    await store.close();
  }
}

/** The parts that can be compared when checkpoints may be missing. */
function withoutLost(whole: unknown): unknown {
  return JSON.parse(
    JSON.stringify(whole, (key, value: unknown) => (key === 'checkpoint' ? undefined : value)) ??
      'null',
  );
}

export interface Edit {
  readonly name: string;
  readonly apply: (db: DatabaseSync) => void;
}

/** Every value altered, every row deleted, every two neighbours exchanged, in every table. */
export function everyEdit(path: string): Edit[] {
  const db = new DatabaseSync(path, { readOnly: true });
  const tables = db
    .prepare(`SELECT name FROM sqlite_schema WHERE type = 'table'`)
    .all()
    .map(({ name }) => String(name));
  const edits = tables.flatMap((table) => editsOf(db, table));
  db.close();
  return edits;
}

function editsOf(db: DatabaseSync, table: string): Edit[] {
  const columns = db.prepare(`PRAGMA table_info(${table})`).all();
  const names = columns.map(({ name }) => String(name));
  const keys = columns.filter(({ pk }) => pk !== 0).map(({ name }) => String(name));
  const where = keys.map((key) => `${key} = ?`).join(' AND ');
  const rows = db.prepare(`SELECT * FROM ${table} ORDER BY ${keys.join(', ')}`).all();
  const idOf = (row: Record<string, unknown>): (string | number)[] =>
    keys.map((key) => row[key] as string | number);

  const deletions = rows.map((row) => ({
    name: `delete ${table} ${idOf(row).join()}`,
    apply: (file: DatabaseSync) =>
      void file.prepare(`DELETE FROM ${table} WHERE ${where}`).run(...idOf(row)),
  }));
  const alterations = rows.flatMap((row) =>
    names.map((column) => ({
      name: `alter ${table} ${idOf(row).join()} ${column}`,
      apply: (file: DatabaseSync) =>
        void file
          .prepare(`UPDATE ${table} SET ${column} = ? WHERE ${where}`)
          .run(altered(row[column]), ...idOf(row)),
    })),
  );
  const exchanges = rows.slice(1).flatMap((row, index) => {
    const before = rows[index];
    const values = names.filter((name) => !keys.includes(name));
    if (before === undefined || values.length === 0) return [];
    const set = values.map((name) => `${name} = ?`).join(', ');
    const put = (file: DatabaseSync, from: typeof row, to: typeof row): void =>
      void file
        .prepare(`UPDATE OR REPLACE ${table} SET ${set} WHERE ${where}`)
        .run(...values.map((name) => from[name] ?? null), ...idOf(to));
    return [
      {
        name: `exchange ${table} ${idOf(row).join()}`,
        apply: (file: DatabaseSync) => {
          put(file, row, before);
          put(file, before, row);
        },
      },
    ];
  });
  return [...deletions, ...alterations, ...exchanges];
}

function altered(value: unknown): string | number {
  if (typeof value === 'number') return value + 1;
  const text = typeof value === 'string' ? value : '';
  return text.length > 4 ? `${text.slice(0, 2)}~${text.slice(3)}` : `${text}~`;
}
