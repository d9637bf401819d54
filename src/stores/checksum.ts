/**
 * How damage is found. The commits of a run form a chain: the digest of each covers the digest of
 * the one before it, so that an altered, missing or moved row shows at that row. What is no commit
 * carries a checksum of its own values.
 */
import { hash } from 'node:crypto';
import { crc32 } from 'node:zlib';

/** Half of SHA-256: no accident matches it, and a row stays small. */
const DIGEST_CHARS = 32;

export interface ChainLink {
  /** Number of the run within its store. */
  readonly run: number;
  readonly seq: number;
  readonly count: number;
  /** The JSON text of the events. */
  readonly text: string;
}

export function digestOf(text: string): string {
  return hash('sha256', text).slice(0, DIGEST_CHARS);
}

/** Digest of a log that ends with this commit, from the digest of the log before it. */
export function chainDigest(before: string, { run, seq, count, text }: ChainLink): string {
  return digestOf(`${before} ${run} ${seq} ${count} ${text}`);
}

/** Of a row that stands alone. The order of the values matters. */
export function rowChecksum(values: readonly (string | number | null)[]): number {
  return crc32(JSON.stringify(values));
}
