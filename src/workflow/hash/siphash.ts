/**
 * SipHash-2-4 with 64 bits of output, by Jean-Philippe Aumasson and Daniel J. Bernstein (2012): a
 * keyed hash for short texts. Without the key nobody can find two texts with the same hash, so no
 * text of a model or an input can make two names equal. A 64-bit word is two halves, low and high.
 */
import { utf8Words } from './utf8-words.ts';

/** The 16 bytes of the key as words. */
export type SipKey = readonly [number, number, number, number];

/** The two halves of the hash, high and low. */
export function sipHash(text: string, [k0, k1, k2, k3]: SipKey): [number, number] {
  const { bytes, words, length } = utf8Words(text);
  let aLow = k0 ^ 0x70736575;
  let aHigh = k1 ^ 0x736f6d65;
  let bLow = k2 ^ 0x6e646f6d;
  let bHigh = k3 ^ 0x646f7261;
  let cLow = k0 ^ 0x6e657261;
  let cHigh = k1 ^ 0x6c796765;
  let dLow = k2 ^ 0x79746573;
  let dHigh = k3 ^ 0x74656462;
  // the last block holds the rest of the text, and its length in the last byte
  const last = length >>> 3;
  bytes[last * 8 + 7] = length;
  let held = 0;
  for (let block = 0; block <= last + 1; block++) {
    const isEnd = block > last;
    const low = isEnd ? 0 : (words[block * 2] ?? 0);
    const high = isEnd ? 0 : (words[block * 2 + 1] ?? 0);
    const rounds = isEnd ? 4 : 2;
    if (isEnd) cLow ^= 0xff;
    dLow ^= low;
    dHigh ^= high;
    for (let round = 0; round < rounds; round++) {
      held = aLow;
      aLow = (aLow + bLow) | 0;
      aHigh = (aHigh + bHigh + carry(aLow, held)) | 0;
      held = bLow;
      bLow = ((bLow << 13) | (bHigh >>> 19)) ^ aLow;
      bHigh = ((bHigh << 13) | (held >>> 19)) ^ aHigh;
      // a rotation by 32 swaps the halves
      held = aLow;
      aLow = aHigh;
      aHigh = held;

      held = cLow;
      cLow = (cLow + dLow) | 0;
      cHigh = (cHigh + dHigh + carry(cLow, held)) | 0;
      held = dLow;
      dLow = ((dLow << 16) | (dHigh >>> 16)) ^ cLow;
      dHigh = ((dHigh << 16) | (held >>> 16)) ^ cHigh;

      held = aLow;
      aLow = (aLow + dLow) | 0;
      aHigh = (aHigh + dHigh + carry(aLow, held)) | 0;
      held = dLow;
      dLow = ((dLow << 21) | (dHigh >>> 11)) ^ aLow;
      dHigh = ((dHigh << 21) | (held >>> 11)) ^ aHigh;

      held = cLow;
      cLow = (cLow + bLow) | 0;
      cHigh = (cHigh + bHigh + carry(cLow, held)) | 0;
      held = bLow;
      bLow = ((bLow << 17) | (bHigh >>> 15)) ^ cLow;
      bHigh = ((bHigh << 17) | (held >>> 15)) ^ cHigh;
      held = cLow;
      cLow = cHigh;
      cHigh = held;
    }
    aLow ^= low;
    aHigh ^= high;
  }
  return [aHigh ^ bHigh ^ cHigh ^ dHigh, aLow ^ bLow ^ cLow ^ dLow];
}

/** Carry bit of the addition that gave this sum. */
function carry(sum: number, summand: number): number {
  return sum >>> 0 < summand >>> 0 ? 1 : 0;
}
