/**
 * How damage is found. The commits of a run form a chain: the digest of each covers the digest of
 * the one before it, so that an altered, missing or moved row shows at that row. What is no commit
 * carries a checksum of its own values. Against accidents: who can write to the file can write what
 * fits, whatever the hash. Ours is at hand, and loading a better one costs more than reading a log.
 */
import { hex } from '../workflow/hash.ts';

export interface ChainLink {
  /** Number of the run within its store. */
  readonly run: number;
  readonly seq: number;
  readonly count: number;
  /** The JSON text of the events. */
  readonly text: string;
}

/** Digest of a log that ends with this commit, from the digest of the log before it. */
export function chainDigest(before: string, { run, seq, count, text }: ChainLink): string {
  return digestOf(`${before} ${run} ${seq} ${count} ${text}`);
}

/** Of a row that stands alone. The order of the values matters. */
export function rowChecksum(values: readonly (string | number | null)[]): number {
  return digest(JSON.stringify(values))[0] >>> 0;
}

/** 32 hexadecimal digits. */
export function digestOf(text: string): string {
  const [a, b, c, d] = digest(text);
  return hex(a) + hex(b) + hex(c) + hex(d);
}

const { imul } = Math;

/**
 * Four lanes over the words of the text, which need not wait for each other: every byte that is
 * written or read passes through here. Each round can be undone if its words are known, so two texts
 * that differ in one word never come to the same.
 */
function digest(text: string): [number, number, number, number] {
  const { bytes, words } = roomFor(text.length * MAX_UNIT_BYTES + ROUND_BYTES);
  const length = encoder.encodeInto(text, bytes).written;
  const rounds = Math.ceil(length / ROUND_BYTES);
  bytes.fill(0, length, rounds * ROUND_BYTES);
  let a = 0x9e3779b9 ^ length;
  let b = 0x85ebca6b;
  let c = 0xc2b2ae35;
  let d = 0x27d4eb2f;
  for (let index = 0; index < rounds * ROUND_WORDS; index += ROUND_WORDS) {
    a = imul(a ^ (words[index] ?? 0), 0x01000193) ^ (b >>> 15);
    b = imul(b ^ (words[index + 1] ?? 0), 0x5bd1e995) ^ (c >>> 15);
    c = imul(c ^ (words[index + 2] ?? 0), 0x1b873593) ^ (d >>> 15);
    d = imul(d ^ (words[index + 3] ?? 0), 0x27d4eb2d) ^ (a >>> 15);
  }
  // a last word reaches every digit
  for (let round = 0; round < 4; round++) {
    a = mix(a ^ d);
    b = mix(b ^ a);
    c = mix(c ^ b);
    d = mix(d ^ c);
  }
  return [a, b, c, d];
}

function mix(value: number): number {
  const mixed = imul(value ^ (value >>> 16), 0x85ebca6b);
  return mixed ^ (mixed >>> 13);
}

const ROUND_WORDS = 4;
const ROUND_BYTES = ROUND_WORDS * Int32Array.BYTES_PER_ELEMENT;
/** A unit of UTF-16 takes at most so many in UTF-8. */
const MAX_UNIT_BYTES = 3;
/** A longer text has a place of its own, and leaves nothing behind. */
const MAX_KEPT_BYTES = 1024 * 1024;

interface Room {
  readonly bytes: Uint8Array;
  readonly words: Int32Array;
}

const encoder = new TextEncoder();
let kept = newRoom(4096);

function newRoom(size: number): Room {
  const buffer = new ArrayBuffer(size);
  return { bytes: new Uint8Array(buffer), words: new Int32Array(buffer) };
}

function roomFor(size: number): Room {
  if (size <= kept.bytes.length) return kept;
  const room = newRoom(2 ** Math.ceil(Math.log2(size)));
  if (room.bytes.length <= MAX_KEPT_BYTES) kept = room;
  return room;
}
