/**
 * Finds commits that the write-ahead log has lost. SQLite takes the first frame with a wrong
 * checksum for the end of the log. That is right after a power cut, when the last commit was never
 * acknowledged, and wrong after damage, when it silently forgets every commit from there on. Three
 * things tell the two apart, and they are looked at before a connection that may write is opened:
 * the header of the log, which is synced before any frame; the index beside it, which says how many
 * frames were committed and outlives a killed process; and commits behind the first bad frame.
 *
 * What was not synced may be lost in a power cut in any order, so after one the index counts for
 * nothing, and with durability `normal` neither do commits behind the end.
 */
import { statSync } from 'node:fs';
import { uptime } from 'node:os';
import { DatabaseSync } from 'node:sqlite';
import { corrupt } from '../failure.ts';
import { readAt } from './read-at.ts';

const WAL_HEADER_BYTES = 32;
const INDEX_HEADER_BYTES = 48;
const WAL_MAGIC = 0x377f0682;

interface WalHeader {
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
 * Throws `store.corrupt` when commits are missing from the log of the database at `path`. Gives the
 * connection that has read the log, if there was one: while it is open no other has to read it.
 */
export function checkWal(path: string, options: WalCheckOptions): DatabaseSync | null {
  const wal = readAt(`${path}-wal`, 0, WAL_HEADER_BYTES);
  if (wal === null) return null;
  // SQLite would begin anew and throw the log away
  if ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) === 0) throw damaged(0);
  const { isSynced, bootedAtMs = Date.now() - uptime() * 1000 } = options;
  const isOfThisBoot = statSync(`${path}-wal`).mtimeMs >= bootedAtMs;
  const before = isOfThisBoot ? readIndexHeader(path) : null;
  const header = checkHeader(wal);
  if (header === null) return null;

  const db = new DatabaseSync(path, { readOnly: true });
  try {
    // the first read makes SQLite go through the log and write a new index
    db.prepare('SELECT count(*) FROM sqlite_schema').get();
    const beyond = commitsBeyond(path, header, readIndexHeader(path));
    const after = readIndexHeader(path);
    // another process has begun the log anew meanwhile, so it had read all of it
    if (after === null || !after.salts.equals(header.salts)) return db;
    const expected = before?.salts.equals(header.salts) === true ? before.committedFrames : 0;
    const isFollowed = (isSynced || isOfThisBoot) && beyond(after) > 1;
    if (after.committedFrames < expected || isFollowed) throw damaged(after.committedFrames + 1);
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

function damaged(frame: number): Error {
  return corrupt('The write-ahead log of the store is damaged', { file: 'wal', frame });
}

/** What marks the frames of this log; null when nothing was ever written to it. */
function checkHeader(header: Buffer): WalHeader | null {
  if (header.every((byte) => byte === 0)) return null;
  const magic = header.readUInt32BE(0);
  const isLittleEndian = magic === WAL_MAGIC;
  const isKnown = isLittleEndian || magic === WAL_MAGIC + 1;
  const [first, second] = checksum(header.subarray(0, 24), isLittleEndian);
  if (isKnown && header.readUInt32BE(24) === first && header.readUInt32BE(28) === second) {
    return { salts: header.subarray(16, 24), frameBytes: header.readUInt32BE(8) + 24 };
  }
  throw damaged(0);
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

/**
 * Counts the commits of the same log that stand behind its end. There may be one, the commit that is
 * being written or was when the power went; not two, because the first is synced before the second
 * begins. What another process commits meanwhile is left out by asking with a later index.
 */
function commitsBeyond(
  path: string,
  { salts, frameBytes }: WalHeader,
  index: IndexHeader | null,
): (later: IndexHeader) => number {
  const first = index?.committedFrames ?? 0;
  const from = WAL_HEADER_BYTES + first * frameBytes;
  const frames = Math.floor((statSync(`${path}-wal`).size - from) / frameBytes);
  const bytes = frames > 0 ? readAt(`${path}-wal`, from, frames * frameBytes) : null;
  return ({ committedFrames }) => {
    let commits = 0;
    for (let frame = committedFrames - first; frame < frames && bytes !== null; frame++) {
      const at = frame * frameBytes;
      const isOfThisLog = bytes.subarray(at + 8, at + 16).equals(salts);
      if (isOfThisLog && bytes.readUInt32BE(at + 4) !== 0) commits++;
    }
    return commits;
  };
}
