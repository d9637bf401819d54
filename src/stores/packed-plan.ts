/**
 * The text of a plan in its row. The plan of a long workflow repeats itself for every node, so it
 * is packed: that of 1,000 nodes takes 39 kB instead of 274. Its digest is of the text, so
 * alterations are found as before.
 */
import type * as Zlib from 'node:zlib';

/** No plan begins so: they are objects of JSON. */
const PACKED = 'deflate ';
/** A shorter one takes a few pages at most. */
const LEAST_CHARS = 16_384;
/** What one row may ask a reader to hold. */
const MOST_BYTES = 2 ** 28;
const MAX_UNIT_BYTES = 3;

export function packedPlan(text: string): string {
  if (text.length < LEAST_CHARS || text.length * MAX_UNIT_BYTES > MOST_BYTES) return text;
  return PACKED + zlib().deflateRawSync(text, { level: 1 }).toString('base64');
}

/** Null where it was altered. */
export function unpackedPlan(stored: string): string | null {
  if (!stored.startsWith(PACKED)) return stored;
  const bytes = Buffer.from(stored.slice(PACKED.length), 'base64');
  try {
    return zlib().inflateRawSync(bytes, { maxOutputLength: MOST_BYTES }).toString();
  } catch {
    // it fails for nothing but its bytes
    return null;
  }
}

/** Loaded with the first long plan: most processes have none. */
function zlib(): typeof Zlib {
  return process.getBuiltinModule('node:zlib');
}
