/**
 * Finds commits that the write-ahead log has lost. SQLite takes the first frame with a wrong
 * checksum for the end of the log. That is right after a power cut, when the last commit was never
 * acknowledged, and wrong after damage, when it silently forgets every commit from there on. Three
 * things distinguish the two, and are read before a connection that may write is opened: the header
 * of the log, which is synced before any frame; the index beside it, which counts the frames that
 * were committed and outlives a killed process; and commits behind the first bad frame.
 *
 * Unsynced writes may be lost in a power cut in any order, so after one the index counts for nothing,
 * and with durability `normal` neither do commits behind the end.
 *
 * The index is read as a file, which is safe only while this process has no connection to the
 * database: closing a file gives up all locks that the process has on it.
 *
 * Reads version 3007000 of both formats, as https://sqlite.org/walformat.html describes them for SQLite
 * 3.7.0 and later; `wal-format.test.ts` holds the SQLite of this Node to it.
 */
import { statSync } from 'node:fs';
import { uptime } from 'node:os';
import type { DatabaseSync } from 'node:sqlite';
import { corrupt } from '../store-failure.ts';
import { openDatabase } from './load-sqlite.ts';
import { readAt } from './read-at.ts';
import { integerAt } from '../typed-row.ts';
import { isReadOnly } from './sqlite-failure.ts';

const WAL_HEADER_BYTES = 32;
const FRAME_HEADER_BYTES = 24;
const INDEX_HEADER_BYTES = 48;
const WAL_MAGIC = 0x377f0682;

/** Another process may be writing what looks damaged; a moment later it is whole. */
const SECOND_LOOK_MS = 10;

interface WalHeader {
  /** The salts that mark the frames of this log. */
  readonly salts: Buffer;
  readonly frameBytes: number;
}

interface IndexHeader {
  readonly salts: Buffer;
  readonly committedFrames: number;
}

export interface WalCheckOptions {
  readonly isSynced: boolean;
  /** Milliseconds since the epoch; before it there was a power cut or a restart. */
  readonly bootedAtMs?: number;
}

/**
 * Throws `store.corrupt` when commits are missing from the log of the database at `path`. Returns the
 * connection that has read the log, if there was one: while it is open no other has to read it.
 */
export function checkWal(path: string, options: WalCheckOptions): DatabaseSync | null {
  const { isSynced, bootedAtMs = Date.now() - uptime() * 1000 } = options;
  const file = statSync(`${path}-wal`, { throwIfNoEntry: false });
  if (file === undefined || file.size < WAL_HEADER_BYTES) return null;
  // SQLite would begin anew and throw the log away
  if ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) === 0) throw damaged(0);
  const isOfThisBoot = file.mtimeMs >= bootedAtMs;
  const index = isOfThisBoot ? readIndexHeader(path) : null;
  insist(() => (readHeader(path) === 'damaged' ? 0 : null));

  const db = openDatabase(path, { readOnly: true });
  try {
    // the first read makes SQLite read through the log
    db.prepare('SELECT count(*) FROM sqlite_schema').get();
    insist(() => firstLostFrame(path, db, { index, mayFollow: !isSynced && !isOfThisBoot }));
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

/** Throws for the frame that is found damaged twice. */
function insist(check: () => number | null): void {
  if (check() === null) return;
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, SECOND_LOOK_MS);
  const frame = check();
  if (frame !== null) throw damaged(frame);
}

function damaged(frame: number): Error {
  return corrupt('The write-ahead log of the store is damaged', { file: 'wal', frame });
}

function firstLostFrame(
  path: string,
  db: DatabaseSync,
  { index, mayFollow }: { readonly index: IndexHeader | null; readonly mayFollow: boolean },
): number | null {
  const header = readHeader(path);
  if (header === 'damaged') return 0;
  const first = committedFrames(db);
  if (header === 'empty' || first === null) return null;
  const tail = readTail(path, header, first);
  // read again, to leave out commits that another process adds meanwhile
  const committed = committedFrames(db) ?? first;
  const expected = index?.salts.equals(header.salts) === true ? index.committedFrames : 0;
  const isFollowed = !mayFollow && commitsIn(tail.slice(committed - first), header) > 1;
  if (committed >= expected && !isFollowed) return null;
  const present = readHeader(path);
  // another process has restarted the log meanwhile, so it had read all of it
  const isSame = typeof present === 'object' && present.salts.equals(header.salts);
  return isSame ? committed + 1 : null;
}

/** Null where SQLite cannot tell without changing anything. */
function committedFrames(db: DatabaseSync): number | null {
  if (!KNOWS_NOOP) return null;
  try {
    const row = db.prepare('PRAGMA wal_checkpoint(NOOP)').get();
    const frames = row === undefined ? -1 : integerAt(row, 'log');
    return frames < 0 ? null : frames;
  } catch (error) {
    // in a read-only folder it may not even read
    if (isReadOnly(error)) return null;
    throw error;
  }
}

/** SQLite 3.51 and later; an earlier one takes it for a request to write. */
export const KNOWS_NOOP = isAtLeast(process.versions['sqlite'] ?? '0', [3, 51]);

function isAtLeast(version: string, [major, minor]: readonly [number, number]): boolean {
  const [first = 0, second = 0] = version.split('.').map(Number);
  return first > major || (first === major && second >= minor);
}

function readHeader(path: string): WalHeader | 'empty' | 'damaged' {
  const header = readAt(`${path}-wal`, 0, WAL_HEADER_BYTES);
  if (header === null || header.every((byte) => byte === 0)) return 'empty';
  const magic = header.readUInt32BE(0);
  const isLittleEndian = magic === WAL_MAGIC;
  const isKnown = isLittleEndian || magic === WAL_MAGIC + 1;
  const [first, second] = checksum(header.subarray(0, 24), isLittleEndian);
  if (!isKnown || header.readUInt32BE(24) !== first || header.readUInt32BE(28) !== second) {
    return 'damaged';
  }
  const frameBytes = header.readUInt32BE(8) + FRAME_HEADER_BYTES;
  return { salts: header.subarray(16, 24), frameBytes };
}

function checksum(bytes: Buffer, isLittleEndian: boolean): readonly [number, number] {
  let first = 0;
  let second = 0;
  for (let at = 0; at < bytes.length; at += 8) {
    const one = isLittleEndian ? bytes.readUInt32LE(at) : bytes.readUInt32BE(at);
    const other = isLittleEndian ? bytes.readUInt32LE(at + 4) : bytes.readUInt32BE(at + 4);
    first = (first + one + second) >>> 0;
    second = (second + other + first) >>> 0;
  }
  return [first, second];
}

/** Null when there is no index, or one that was not written to its end. */
function readIndexHeader(path: string): IndexHeader | null {
  const index = readAt(`${path}-shm`, 0, 2 * INDEX_HEADER_BYTES);
  if (index === null) return null;
  const header = index.subarray(0, INDEX_HEADER_BYTES);
  if (!header.equals(index.subarray(INDEX_HEADER_BYTES, 2 * INDEX_HEADER_BYTES))) return null;
  // the index is in the byte order of the machine that wrote it, which is this one
  const [first, second] = checksum(header.subarray(0, 40), IS_LITTLE_ENDIAN);
  const stored = new Uint32Array(Uint8Array.from(header).buffer);
  if (stored[10] !== first || stored[11] !== second) return null;
  return { salts: header.subarray(32, 40), committedFrames: stored[4] ?? 0 };
}

const IS_LITTLE_ENDIAN = new Uint8Array(new Uint32Array([1]).buffer)[0] === 1;

/** The frames after the end of the log, as they are in the file. */
function readTail(path: string, { frameBytes }: WalHeader, first: number): Buffer[] {
  const from = WAL_HEADER_BYTES + first * frameBytes;
  const size = statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0;
  const count = Math.max(0, Math.floor((size - from) / frameBytes));
  const bytes = readAt(`${path}-wal`, from, count * frameBytes);
  if (bytes === null) return [];
  return Array.from({ length: count }, (_, frame) =>
    bytes.subarray(frame * frameBytes, (frame + 1) * frameBytes),
  );
}

/**
 * How many commits of the same log these frames hold. Behind its end there may be one, the commit
 * that is being written or was when the power went; not two, because the first is synced before the
 * second begins.
 */
function commitsIn(frames: readonly Buffer[], { salts }: WalHeader): number {
  const isCommit = (frame: Buffer): boolean =>
    frame.subarray(8, 16).equals(salts) && frame.readUInt32BE(4) !== 0;
  return frames.filter(isCommit).length;
}
