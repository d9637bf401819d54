/**
 * Remembers values for parts of texts, and finds them without cutting the part out of its text. The keys
 * are two hashes side by side, so that a search stays within one line of the processor's cache.
 */

export interface PartTable<Value> {
  find(hash: number, check: number): Value | undefined;
  remember(hash: number, check: number, value: Value): void;
}

/** A power of two; in a full row, the last part makes room. */
const ROWS = 2048;
const IN_ROW = 4;

export function createPartTable<Value>(): PartTable<Value> {
  const keys = new Int32Array(ROWS * IN_ROW * 2);
  const values: (Value | undefined)[] = Array.from({ length: ROWS * IN_ROW }, () => undefined);
  return {
    find(hash, check) {
      const first = (hash & (ROWS - 1)) * IN_ROW;
      for (let at = first; at < first + IN_ROW; at++)
        if (keys[2 * at] === hash && keys[2 * at + 1] === check) return values[at];
      return undefined;
    },
    remember(hash, check, value) {
      const first = (hash & (ROWS - 1)) * IN_ROW;
      let at = first;
      while (at < first + IN_ROW - 1 && values[at] !== undefined) at++;
      keys[2 * at] = hash;
      keys[2 * at + 1] = check;
      values[at] = value;
    },
  };
}

export const HASH_START = 0x811c9dc5 | 0;

/** FNV-1a, one UTF-16 unit at a time. */
export function hashWith(hash: number, unit: number): number {
  const mixed = Math.imul(hash ^ unit, 0x01000193);
  return mixed ^ (mixed >>> 15);
}

/** A second hash of another make; both together tell parts apart. */
export function checkWith(check: number, unit: number): number {
  return (Math.imul(check, 0x5bd1e995) + unit) ^ (check >>> 17);
}
