/**
 * BLAKE2s (RFC 7693) with 160 bits of output: a cryptographic hash for the keys of effects. Nobody can build
 * two texts with the same hash, even somebody who knows everything else that is in them.
 */
import { hex, utf8Words, type Utf8Words } from './utf8-words.ts';

const BLOCK_WORDS = 16;
const BLOCK_BYTES = 64;
const OUTPUT_BYTES = 20;

const IV = Int32Array.of(
  0x6a09e667,
  0xbb67ae85,
  0x3c6ef372,
  0xa54ff53a,
  0x510e527f,
  0x9b05688c,
  0x1f83d9ab,
  0x5be0cd19,
);

/** Which word of the block goes where: sixteen for each round. */
// oxfmt-ignore
const SIGMA = Uint8Array.of(
  0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15,
  14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3,
  11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4,
  7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8,
  9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13,
  2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9,
  12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11,
  13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10,
  6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5,
  10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0,
);

// shared: a hash is finished before the next one begins
const state = new Int32Array(8);
const work = new Int32Array(16);

/** 40 hexadecimal digits, as the bytes of the hash are written. */
export function blakeHex(text: string): string {
  const words = blake2s(utf8Words(text), OUTPUT_BYTES);
  let digits = '';
  for (let index = 0; index < OUTPUT_BYTES / 4; index++) digits += hex(swapped(words[index] ?? 0));
  return digits;
}

/** The words of a hash of so many bytes, at most 32. Valid until the next call. */
export function blake2s(text: Utf8Words, outputBytes: number): Int32Array {
  state.set(IV);
  // the parameter block: length of the hash, no key, no tree
  state[0] = (state[0] ?? 0) ^ 0x01010000 ^ outputBytes;
  const last = Math.max(0, Math.ceil(text.length / BLOCK_BYTES) - 1);
  for (let index = 0; index < last; index++)
    compress(text, index * BLOCK_WORDS, (index + 1) * BLOCK_BYTES, false);
  // zeros follow the text, up to the end of the block
  compress(text, last * BLOCK_WORDS, text.length, true);
  return state;
}

function compress({ words }: Utf8Words, from: number, counted: number, isLast: boolean): void {
  work.set(state);
  work.set(IV, 8);
  work[12] = (work[12] ?? 0) ^ counted;
  work[13] = (work[13] ?? 0) ^ Math.floor(counted / 2 ** 32);
  if (isLast) work[14] = ~(work[14] ?? 0);
  for (let at = 0; at < SIGMA.length; at += 2) {
    const column = (at >>> 1) & 3;
    // the first half of a round mixes columns, the second one diagonals
    const turn = (at >>> 3) & 1;
    const one = words[from + (SIGMA[at] ?? 0)] ?? 0;
    const other = words[from + (SIGMA[at + 1] ?? 0)] ?? 0;
    mix(column, turn, one, other);
  }
  for (let index = 0; index < 8; index++)
    state[index] = (state[index] ?? 0) ^ (work[index] ?? 0) ^ (work[index + 8] ?? 0);
}

/** The function G of the RFC, on a column or a diagonal of the four rows of four words. */
function mix(column: number, turn: number, one: number, other: number): void {
  const ib = 4 + ((column + turn) & 3);
  const ic = 8 + ((column + 2 * turn) & 3);
  const id = 12 + ((column + 3 * turn) & 3);
  let a = work[column] ?? 0;
  let b = work[ib] ?? 0;
  let c = work[ic] ?? 0;
  let d = work[id] ?? 0;
  a = (a + b + one) | 0;
  d = turned(d ^ a, 16);
  c = (c + d) | 0;
  b = turned(b ^ c, 12);
  a = (a + b + other) | 0;
  d = turned(d ^ a, 8);
  c = (c + d) | 0;
  b = turned(b ^ c, 7);
  work[column] = a;
  work[ib] = b;
  work[ic] = c;
  work[id] = d;
}

function turned(word: number, by: number): number {
  return (word >>> by) | (word << (32 - by));
}

/** The same four bytes, the first one as the most significant. */
function swapped(word: number): number {
  return (word << 24) | ((word & 0xff00) << 8) | ((word >>> 8) & 0xff00) | (word >>> 24);
}
