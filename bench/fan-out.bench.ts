/**
 * A `for_each` over a list through `errand.start`: in SQLite beside the same rows written bare in
 * the same transactions, and in memory, which must not take longer than SQLite. With ten times the
 * members, each one costs the same.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Errand } from '../src/engine/errand-interface.ts';
import { builds, type Build } from './built-package.ts';
import { AT_ONCE, complete, fan } from './fan.ts';
import type { Bench, Measurement } from './measure.ts';
import {
  casesInRounds,
  spentOn,
  spreadText,
  summaryOf,
  type Case,
  type Rounds,
  type Spent,
} from './spent.ts';

type Durability = 'full' | 'normal';

const MEMBERS = 1000;
const LIMIT = 2.5;
const LONG = 10_000;
/** The most that a member of the long list may cost, relative to one of the short list. */
const FLAT = 1.5;

export const bench: Bench = {
  name: 'fan-out: a for_each through openErrand and errand.start',
  run: async () => {
    const directory = mkdtempSync(join(tmpdir(), 'errand-bench-'));
    try {
      const measured: Measurement[] = [];
      for (const build of await builds()) measured.push(...(await fanOut(directory, build)));
      return measured;
    } finally {
      rmSync(directory, { recursive: true, force: true });
    }
  },
};

/** A sync is no work of the processor, so the clock measures `full`. */
const MEASURED: Readonly<Record<Durability, keyof Spent>> = { normal: 'cpuMs', full: 'wallMs' };

async function fanOut(directory: string, build: Build): Promise<Measurement[]> {
  const functions = { double: (input: unknown) => input };
  const inMemory = await build.openErrand({ store: 'memory', functions });
  const file = fan(build);
  const memory = `W3: ${MEMBERS} members in memory${build.name}`;
  const long = `W3: a member of ${LONG} in memory${build.name}`;
  const cases: Case[] = [
    { name: memory, run: () => spentOn(1, () => complete(inMemory, file, MEMBERS)) },
    { name: long, run: () => spentOn(LONG, () => complete(inMemory, file, LONG)) },
  ];
  const opened: Errand[] = [inMemory];
  for (const durability of ['normal', 'full'] as const) {
    const path = join(directory, `${durability}${build.name}.db`);
    const store = await build.openSqliteStore({ path, now: Date.now, durability });
    const stored = await build.openErrand({ store, functions });
    opened.push(stored);
    await complete(stored, file, MEMBERS);
    const bare = sameRows(join(directory, `bare-${durability}${build.name}.db`), path, durability);
    cases.push(
      { name: `bare ${durability}`, run: () => spentOn(1, bare) },
      {
        name: inSqlite(durability, build),
        run: () => spentOn(1, () => complete(stored, file, MEMBERS)),
      },
    );
  }
  const rounds = await casesInRounds(20, cases);
  for (const errand of opened) await errand.close();
  const held = summaryOf(rounds, memory, 'cpuMs');
  const each = summaryOf(rounds, long, 'cpuMs');
  return [
    beside(rounds, 'normal', build),
    beside(rounds, 'full', build),
    {
      name: memory,
      ms: held.ms,
      limitMs: summaryOf(rounds, inSqlite('normal', build), 'cpuMs').ms,
      note: `not more than SQLite; ${spreadText(held)}`,
    },
    {
      name: long,
      ms: each.ms,
      limitMs: (held.ms / MEMBERS) * FLAT,
      note: `at most ${FLAT}× one of ${MEMBERS}; ${spreadText(each)}`,
    },
  ];
}

function inSqlite(durability: Durability, build: Build): string {
  return `W3: ${MEMBERS} members, ${AT_ONCE} at a time, SQLite ${durability}${build.name}`;
}

function beside(rounds: Rounds, durability: Durability, build: Build): Measurement {
  const name = inSqlite(durability, build);
  const by = MEASURED[durability];
  const limit = summaryOf(rounds, `bare ${durability}`, by);
  const own = summaryOf(rounds, name, by);
  const ratio = `${(own.ms / limit.ms).toFixed(2)}× the bare rows, at most ${LIMIT}×`;
  const what = by === 'cpuMs' ? 'of the processor' : 'by the clock';
  return {
    name,
    ms: own.ms,
    limitMs: limit.ms * LIMIT,
    note: `${ratio}; ${what}, ${spreadText(own)}`,
  };
}

/** Writes the rows of a file into a bare table, each in its own commit, as the run did. */
function sameRows(path: string, from: string, durability: Durability): () => void {
  const stored = new DatabaseSync(from, { readOnly: true });
  const texts = stored.prepare('SELECT events FROM events ORDER BY id').all();
  stored.close();
  const db = new DatabaseSync(path);
  db.exec(`
    PRAGMA journal_mode = WAL; PRAGMA synchronous = ${durability === 'full' ? 'FULL' : 'NORMAL'};
    CREATE TABLE events (id INTEGER PRIMARY KEY, events TEXT NOT NULL) STRICT;
  `);
  const insert = db.prepare('INSERT INTO events (events) VALUES (?)');
  return () => {
    // encoding the text is part of the work
    for (const { events } of texts) insert.run(JSON.stringify(JSON.parse(String(events))));
  };
}
