/**
 * BLAKE2s (RFC 7693) with 160 bits of output: a cryptographic hash for the keys of effects. Nobody
 * can build two texts with the same hash, even if they know all other text in them.
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

/** The sixteen words are variables, because a list of them takes three times as long. */
// oxlint-disable-next-line max-lines-per-function -- a line for each variable
function compress({ words }: Utf8Words, from: number, counted: number, isLast: boolean): void {
  let v0 = state[0] ?? 0;
  let v1 = state[1] ?? 0;
  let v2 = state[2] ?? 0;
  let v3 = state[3] ?? 0;
  let v4 = state[4] ?? 0;
  let v5 = state[5] ?? 0;
  let v6 = state[6] ?? 0;
  let v7 = state[7] ?? 0;
  let v8 = IV[0] ?? 0;
  let v9 = IV[1] ?? 0;
  let v10 = IV[2] ?? 0;
  let v11 = IV[3] ?? 0;
  let v12 = IV[4] ?? 0;
  let v13 = IV[5] ?? 0;
  let v14 = IV[6] ?? 0;
  let v15 = IV[7] ?? 0;
  v12 ^= counted;
  v13 ^= Math.floor(counted / 2 ** 32);
  if (isLast) v14 = ~v14;
  for (let at = 0; at < SIGMA.length; at += BLOCK_WORDS) {
    // the columns, with the function G of the RFC written out
    v0 = (v0 + v4 + (words[from + (SIGMA[at] ?? 0)] ?? 0)) | 0;
    v12 = turned(v12 ^ v0, 16);
    v8 = (v8 + v12) | 0;
    v4 = turned(v4 ^ v8, 12);
    v0 = (v0 + v4 + (words[from + (SIGMA[at + 1] ?? 0)] ?? 0)) | 0;
    v12 = turned(v12 ^ v0, 8);
    v8 = (v8 + v12) | 0;
    v4 = turned(v4 ^ v8, 7);
    v1 = (v1 + v5 + (words[from + (SIGMA[at + 2] ?? 0)] ?? 0)) | 0;
    v13 = turned(v13 ^ v1, 16);
    v9 = (v9 + v13) | 0;
    v5 = turned(v5 ^ v9, 12);
    v1 = (v1 + v5 + (words[from + (SIGMA[at + 3] ?? 0)] ?? 0)) | 0;
    v13 = turned(v13 ^ v1, 8);
    v9 = (v9 + v13) | 0;
    v5 = turned(v5 ^ v9, 7);
    v2 = (v2 + v6 + (words[from + (SIGMA[at + 4] ?? 0)] ?? 0)) | 0;
    v14 = turned(v14 ^ v2, 16);
    v10 = (v10 + v14) | 0;
    v6 = turned(v6 ^ v10, 12);
    v2 = (v2 + v6 + (words[from + (SIGMA[at + 5] ?? 0)] ?? 0)) | 0;
    v14 = turned(v14 ^ v2, 8);
    v10 = (v10 + v14) | 0;
    v6 = turned(v6 ^ v10, 7);
    v3 = (v3 + v7 + (words[from + (SIGMA[at + 6] ?? 0)] ?? 0)) | 0;
    v15 = turned(v15 ^ v3, 16);
    v11 = (v11 + v15) | 0;
    v7 = turned(v7 ^ v11, 12);
    v3 = (v3 + v7 + (words[from + (SIGMA[at + 7] ?? 0)] ?? 0)) | 0;
    v15 = turned(v15 ^ v3, 8);
    v11 = (v11 + v15) | 0;
    v7 = turned(v7 ^ v11, 7);
    // the diagonals
    v0 = (v0 + v5 + (words[from + (SIGMA[at + 8] ?? 0)] ?? 0)) | 0;
    v15 = turned(v15 ^ v0, 16);
    v10 = (v10 + v15) | 0;
    v5 = turned(v5 ^ v10, 12);
    v0 = (v0 + v5 + (words[from + (SIGMA[at + 9] ?? 0)] ?? 0)) | 0;
    v15 = turned(v15 ^ v0, 8);
    v10 = (v10 + v15) | 0;
    v5 = turned(v5 ^ v10, 7);
    v1 = (v1 + v6 + (words[from + (SIGMA[at + 10] ?? 0)] ?? 0)) | 0;
    v12 = turned(v12 ^ v1, 16);
    v11 = (v11 + v12) | 0;
    v6 = turned(v6 ^ v11, 12);
    v1 = (v1 + v6 + (words[from + (SIGMA[at + 11] ?? 0)] ?? 0)) | 0;
    v12 = turned(v12 ^ v1, 8);
    v11 = (v11 + v12) | 0;
    v6 = turned(v6 ^ v11, 7);
    v2 = (v2 + v7 + (words[from + (SIGMA[at + 12] ?? 0)] ?? 0)) | 0;
    v13 = turned(v13 ^ v2, 16);
    v8 = (v8 + v13) | 0;
    v7 = turned(v7 ^ v8, 12);
    v2 = (v2 + v7 + (words[from + (SIGMA[at + 13] ?? 0)] ?? 0)) | 0;
    v13 = turned(v13 ^ v2, 8);
    v8 = (v8 + v13) | 0;
    v7 = turned(v7 ^ v8, 7);
    v3 = (v3 + v4 + (words[from + (SIGMA[at + 14] ?? 0)] ?? 0)) | 0;
    v14 = turned(v14 ^ v3, 16);
    v9 = (v9 + v14) | 0;
    v4 = turned(v4 ^ v9, 12);
    v3 = (v3 + v4 + (words[from + (SIGMA[at + 15] ?? 0)] ?? 0)) | 0;
    v14 = turned(v14 ^ v3, 8);
    v9 = (v9 + v14) | 0;
    v4 = turned(v4 ^ v9, 7);
  }
  absorb(0, v0 ^ v8);
  absorb(1, v1 ^ v9);
  absorb(2, v2 ^ v10);
  absorb(3, v3 ^ v11);
  absorb(4, v4 ^ v12);
  absorb(5, v5 ^ v13);
  absorb(6, v6 ^ v14);
  absorb(7, v7 ^ v15);
}

function absorb(index: number, word: number): void {
  state[index] = (state[index] ?? 0) ^ word;
}

function turned(word: number, by: number): number {
  return (word >>> by) | (word << (32 - by));
}

/** The same four bytes, the first one as the most significant. */
function swapped(word: number): number {
  return (word << 24) | ((word & 0xff00) << 8) | ((word >>> 8) & 0xff00) | (word >>> 24);
}
