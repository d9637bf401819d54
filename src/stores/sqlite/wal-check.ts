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
import { closeSync, openSync, readFileSync, readSync, statSync } from 'node:fs';
import { uptime } from 'node:os';
import { DatabaseSync } from 'node:sqlite';
import { corrupt } from '../failure.ts';

const WAL_HEADER_BYTES = 32;
const FRAME_HEADER_BYTES = 24;
const INDEX_HEADER_BYTES = 48;
const WAL_MAGIC = 0x377f0682;

interface IndexHeader {
  readonly salts: Buffer;
  readonly committedFrames: number;
}

export interface WalCheckOptions {
  readonly isSynced: boolean;
  /** Milliseconds since the epoch; before it there was a power cut or a restart. */
  readonly bootedAtMs?: number;
}

/** Throws `store.corrupt` when commits are missing from the log of the database at `path`. */
export function checkWal(path: string, options: WalCheckOptions): void {
  const wal = readStart(`${path}-wal`, WAL_HEADER_BYTES);
  if (wal === null) return;
  // SQLite would begin anew and throw the log away
  if ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) === 0) throw damaged(0);
  const { isSynced, bootedAtMs = Date.now() - uptime() * 1000 } = options;
  const isOfThisBoot = statSync(`${path}-wal`).mtimeMs >= bootedAtMs;
  const before = isOfThisBoot ? readIndexHeader(path) : null;
  const salts = checkHeader(wal);
  if (salts === null) return;

  const db = new DatabaseSync(path, { readOnly: true });
  try {
    // the first read makes SQLite go through the log and write a new index
    db.prepare('SELECT count(*) FROM sqlite_schema').get();
    const tail = readTail(path, readIndexHeader(path));
    const after = readIndexHeader(path);
    // another process has begun the log anew meanwhile, so it had read all of it
    if (after === null || !after.salts.equals(salts)) return;
    const expected = before?.salts.equals(salts) === true ? before.committedFrames : 0;
    const isFollowed = (isSynced || isOfThisBoot) && commitsBeyond(tail, after) > 1;
    if (after.committedFrames < expected || isFollowed) throw damaged(after.committedFrames + 1);
  } finally {
    db.close();
  }
}

function damaged(frame: number): Error {
  return corrupt('The write-ahead log of the store is damaged', { file: 'wal', frame });
}

/** The salts that mark the frames of this log; null when nothing was ever written to it. */
function checkHeader(header: Buffer): Buffer | null {
  if (header.every((byte) => byte === 0)) return null;
  const magic = header.readUInt32BE(0);
  const isLittleEndian = magic === WAL_MAGIC;
  const isKnown = isLittleEndian || magic === WAL_MAGIC + 1;
  const [first, second] = checksum(header.subarray(0, 24), isLittleEndian);
  if (isKnown && header.readUInt32BE(24) === first && header.readUInt32BE(28) === second) {
    return header.subarray(16, 24);
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
  const index = readStart(`${path}-shm`, 2 * INDEX_HEADER_BYTES);
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

/** The frames behind the end of the log, as they stand in the file. */
interface Tail {
  readonly firstFrame: number;
  readonly frameBytes: number;
  readonly bytes: Buffer;
}

function readTail(path: string, index: IndexHeader | null): Tail | null {
  const header = readStart(`${path}-wal`, WAL_HEADER_BYTES);
  if (index === null || header === null) return null;
  const frameBytes = header.readUInt32BE(8) + FRAME_HEADER_BYTES;
  const from = WAL_HEADER_BYTES + index.committedFrames * frameBytes;
  const bytes = readFileSync(`${path}-wal`).subarray(from);
  return { firstFrame: index.committedFrames, frameBytes, bytes };
}

/**
 * How many commits of the same log stand behind its end. There may be one, the commit that is being
 * written or was when the power went; not two, because the first is synced before the second begins.
 */
function commitsBeyond(tail: Tail | null, { salts, committedFrames }: IndexHeader): number {
  if (tail === null) return 0;
  const { bytes, frameBytes } = tail;
  let commits = 0;
  let at = (committedFrames - tail.firstFrame) * frameBytes;
  for (; at + frameBytes <= bytes.length; at += frameBytes) {
    const isOfThisLog = bytes.subarray(at + 8, at + 16).equals(salts);
    const isCommit = bytes.readUInt32BE(at + 4) !== 0;
    if (isOfThisLog && isCommit) commits++;
  }
  return commits;
}

/** The first bytes of a file; null when it has fewer. */
function readStart(path: string, bytes: number): Buffer | null {
  if ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) < bytes) return null;
  const file = openSync(path, 'r');
  try {
    const buffer = Buffer.alloc(bytes);
    return readSync(file, buffer) === bytes ? buffer : null;
  } finally {
    closeSync(file);
  }
}
