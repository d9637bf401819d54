/**
 * Checksums that find damage. The commits of a run form a chain: the digest of each covers the digest
 * of the one before it, so that an altered, missing or moved row shows at that row. Other rows carry
 * a checksum of their own values. Against accidents only: someone who can write to the file can write
 * a matching digest, whatever the hash. MurmurHash3 needs no import, and loading `node:crypto` costs more
 * than reading a log.
 */
import { murmur128, murmurHex } from '../workflow/hash/murmur3.ts';

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

/** For a row outside the chain. The order of the values matters. */
export function rowChecksum(values: readonly (string | number | null)[]): number {
  return murmur128(JSON.stringify(values))[0] >>> 0;
}

/** 32 hexadecimal digits. */
export function digestOf(text: string): string {
  return murmurHex(text);
}
