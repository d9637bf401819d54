/**
 * How damage is found. The commits of a run form a chain: the digest of each covers the digest of
 * the one before it, so that an altered, missing or moved row shows at that row. What is no commit
 * carries a checksum of its own values. Against accidents: who can write to the file can write what
 * fits, whatever the hash. Ours is at hand, and loading a better one costs more than reading a log.
 */
import { hashText } from '../workflow/hash.ts';

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
  return hashText(`${before} ${run} ${seq} ${count} ${text}`);
}

/** Of a row that stands alone. The order of the values matters. */
export function rowChecksum(values: readonly (string | number | null)[]): number {
  return Number.parseInt(hashText(JSON.stringify(values)).slice(8), 16);
}
