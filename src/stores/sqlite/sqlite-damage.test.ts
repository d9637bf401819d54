/**
 * Damage to a real file: reading returns what was written, or `store.corrupt` names what is damaged.
 * The SQLite of an old Node cannot detect some damage to its log, and `errand doctor` reports that.
 */
import fc from 'fast-check';
import {
  copyFileSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../errors/support/safe-json.ts';
import {
  everyEdit,
  openAt,
  SUFFIXES,
  verdict,
  writeClosed,
  writeKilled,
  type Verdict,
} from './cases/sqlite-damage.cases.ts';
import { commitAt, readAll, rejects } from '../conformance/scene.ts';
import { KNOWS_NOOP } from './wal-check.ts';
import { IS_FAST, rows, runs } from '../../../test/runs.ts';

const FLIPS = Number(process.env['ERRAND_FLIPS'] ?? runs(120));
/** A whole number, or the property would never end. */
const HALF = Math.ceil(FLIPS / 2);
const directory = mkdtempSync(join(tmpdir(), 'errand-damage-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

const closed = join(directory, 'closed.db');
const killed = join(directory, 'killed.db');
const work = join(directory, 'work.db');
let whole: JsonObject;
let wholeKilled: JsonObject;
beforeAll(async () => {
  whole = await writeClosed(closed);
  wholeKilled = await writeKilled(killed);
});

/** A fresh copy to damage; without those suffixes that are not wanted. */
function copy(from: string, suffixes: readonly string[]): void {
  for (const suffix of SUFFIXES) rmSync(`${work}${suffix}`, { force: true });
  for (const suffix of suffixes) copyFileSync(`${from}${suffix}`, `${work}${suffix}`);
}

function flip(path: string, at: number, mask: number): void {
  const bytes = readFileSync(path);
  bytes[at % bytes.length] = (bytes[at % bytes.length] ?? 0) ^ mask;
  writeFileSync(path, bytes);
}

function expectSafe(found: Verdict): void {
  expect(found, JSON.stringify(found)).not.toHaveProperty('seen');
}

const anyByte = fc.record({ at: fc.noBias(fc.nat()), mask: fc.integer({ min: 1, max: 255 }) });

describe('any byte that is changed', () => {
  it('in the file of a closed store is found, or does not matter', async () => {
    await fc.assert(
      fc.asyncProperty(anyByte, async ({ at, mask }) => {
        copy(closed, ['']);
        flip(work, at, mask);
        expectSafe(await verdict(work, whole));
      }),
      { numRuns: FLIPS },
    );
  });

  it.each(SUFFIXES.filter((suffix) => KNOWS_NOOP || suffix !== '-wal'))(
    'in what a killed process left is found, or does not matter: errand.db%s',
    async (suffix) => {
      await fc.assert(
        fc.asyncProperty(anyByte, async ({ at, mask }) => {
          copy(killed, SUFFIXES);
          flip(`${work}${suffix}`, at, mask);
          expectSafe(await verdict(work, wholeKilled));
        }),
        { numRuns: HALF },
      );
    },
    300_000,
  );

  it.skipIf(!KNOWS_NOOP)(
    'in the log is found without the index too, but for the last commit',
    async () => {
      const lastFrame = readFileSync(`${killed}-wal`).length - 4096 - 24;
      await fc.assert(
        fc.asyncProperty(anyByte, async ({ at, mask }) => {
          copy(killed, ['', '-wal']);
          flip(`${work}-wal`, at % lastFrame, mask);
          expect(await verdict(work, wholeKilled)).toMatchObject({ is: 'corrupt' });
        }),
        { numRuns: HALF },
      );
    },
    300_000,
  );

  it('cannot make a later commit lie', async () => {
    await fc.assert(
      fc.asyncProperty(anyByte, async ({ at, mask }) => {
        copy(closed, ['']);
        flip(work, at, mask);
        const outcome = await appendAndRead().catch((error: unknown) => error);
        if (Array.isArray(outcome)) expect(outcome).toEqual([1, 2, 4, 6, 8, 10, 12, 14, 15, 16]);
        else expect(outcome).toMatchObject({ kind: 'store.corrupt' });
      }),
      { numRuns: HALF },
    );
  });
});

async function appendAndRead(): Promise<number[]> {
  const store = await openAt(work);
  try {
    await store.append(commitAt({ run: 'run-a', epoch: 1 }, 16));
    return (await readAll(store, 'run-a')).map(({ seq }) => seq);
  } finally {
    await store.close();
  }
}

describe('a log that ends early', () => {
  it('because the power went loses the commit that was being written, and no more', async () => {
    const wal = readFileSync(`${killed}-wal`);
    copy(killed, ['', '-wal']);
    writeFileSync(`${work}-wal`, wal.subarray(0, wal.length - 100));
    const store = await openAt(work);
    expect((await store.list()).map(({ run }) => run)).toEqual(['run-c', 'run-b', 'run-a']);
    // the breaker was the last thing that was written
    expect(await store.breakers()).toEqual(new Map());
    await store.close();
  });

  it.skipIf(!KNOWS_NOOP)('while the machine ran on is damage', async () => {
    const wal = readFileSync(`${killed}-wal`);
    copy(killed, SUFFIXES);
    writeFileSync(`${work}-wal`, wal.subarray(0, wal.length - 100));
    await rejects(openAt(work), 'store.corrupt');
  });

  it('before the machine was started again is believed, when nothing was synced', async () => {
    copy(killed, SUFFIXES);
    flip(`${work}-wal`, 200_000, 1);
    utimesSync(`${work}-wal`, 1, 1);
    const store = await openAt(work);
    expect((await store.list()).length).toBeLessThan(4);
    await store.close();
  });

  it('with an empty database beside it is not taken for a new store', async () => {
    copy(killed, SUFFIXES);
    writeFileSync(work, '');
    await rejects(openAt(work), 'store.corrupt');
    expect(readFileSync(`${work}-wal`).length).toBeGreaterThan(0);
  });
});

describe('any row that is edited', () => {
  it('is found and named, or does not matter', async () => {
    const edits = everyEdit(closed);
    let found = 0;
    for (const { name, apply } of rows(edits)) {
      copy(closed, ['']);
      const db = new DatabaseSync(work);
      const isApplied = tryEdit(() => apply(db));
      db.close();
      const result = await verdict(work, whole);
      expect(result, name).not.toHaveProperty('seen');
      if (!isApplied || result.is !== 'corrupt') continue;
      found++;
      expect(Object.keys(result.where), name).toEqual(
        expect.arrayContaining([expect.stringMatching(/^(run|row|table)$/)]),
      );
    }
    expect(edits.length).toBeGreaterThan(400);
    expect(found).toBeGreaterThan(IS_FAST ? 8 : 300);
  });

  it.each([
    ['altered', `UPDATE events SET events = replace(events, 'node', 'nude') WHERE id = 4`, 6, 4],
    ['deleted', 'DELETE FROM events WHERE id = 4', 7, 4],
    ['cut off at the end', 'DELETE FROM events WHERE id = 9', 15, 9],
    ['given another number', 'UPDATE events SET seq = seq + 1 WHERE id = 4', 7, 4],
    ['given to another run', 'UPDATE events SET run = 2 WHERE id = 4', 7, 4],
    [
      'exchanged with another',
      `UPDATE events SET events = (SELECT events FROM events WHERE id = 5) WHERE id = 4`,
      6,
      4,
    ],
  ])('of the log names the event and the row: %s', async (_, sql, seq, row) => {
    copy(closed, ['']);
    const db = new DatabaseSync(work);
    db.exec(sql);
    db.close();
    const store = await openAt(work);
    const error = await rejects(readAll(store, 'run-a'), 'store.corrupt');
    expect(error.report.details).toMatchObject({ run: 'run-a', seq, row });
    expect((await readAll(store, 'run-b')).length).toBe(9);
    await store.close();
  });
});

/** Some edits are refused by the database itself. */
function tryEdit(edit: () => void): boolean {
  try {
    edit();
    return true;
  } catch (error) {
    if (error instanceof Error && 'errcode' in error) return false;
    throw error;
  }
}
