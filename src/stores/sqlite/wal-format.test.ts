/**
 * The formats that `wal-check.ts` reads by hand, as the SQLite of this Node writes them. A SQLite that
 * changes one of them fails here, and the check has to follow.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const FORMAT = 3_007_000;
const COMMITS = 3;
const directory = mkdtempSync(join(tmpdir(), 'errand-wal-format-'));
const path = join(directory, 'store.db');
let db: DatabaseSync;

beforeAll(() => {
  db = new DatabaseSync(path);
  db.exec('PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0; CREATE TABLE t (n INTEGER)');
  for (let commit = 1; commit < COMMITS; commit++) db.exec(`INSERT INTO t VALUES (${commit})`);
});

afterAll(() => {
  db.close();
  rmSync(directory, { recursive: true, force: true });
});

/** The index is in the byte order of the machine. */
function indexWords(): Uint32Array {
  return new Uint32Array(Uint8Array.from(readFileSync(`${path}-shm`).subarray(0, 96)).buffer);
}

describe(`in SQLite ${process.versions['sqlite'] ?? ''}`, () => {
  it('the write-ahead log has version 3007000, and frames of a header and a page', () => {
    const log = readFileSync(`${path}-wal`);
    expect(log.readUInt32BE(0) >>> 1).toBe(0x377f0682 >>> 1);
    expect(log.readUInt32BE(4)).toBe(FORMAT);
    const pageBytes = Number(db.prepare('PRAGMA page_size').get()?.['page_size']);
    expect(log.readUInt32BE(8)).toBe(pageBytes);
    const frameBytes = 24 + pageBytes;
    expect((log.length - 32) % frameBytes).toBe(0);
    const frames = Array.from({ length: (log.length - 32) / frameBytes }, (_, frame) =>
      log.subarray(32 + frame * frameBytes, 32 + (frame + 1) * frameBytes),
    );
    // a frame that ends a commit says how many pages the database then has
    expect(frames.filter((frame) => frame.readUInt32BE(4) !== 0)).toHaveLength(COMMITS);
    for (const frame of frames) expect(frame.subarray(8, 16)).toEqual(log.subarray(16, 24));
  });

  it('the index has version 3007000, twice the same header, the frames and the salts', () => {
    const log = readFileSync(`${path}-wal`);
    const words = indexWords();
    expect(words[0]).toBe(FORMAT);
    expect(words.subarray(0, 12)).toEqual(words.subarray(12, 24));
    expect(words[4]).toBe((log.length - 32) / (24 + log.readUInt32BE(8)));
    expect(readFileSync(`${path}-shm`).subarray(32, 40)).toEqual(log.subarray(16, 24));
  });
});
