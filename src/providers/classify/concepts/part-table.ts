/** Remembers values for parts of texts, and finds them without cutting the part out of its text. */

export interface PartTable<Value> {
  find(text: string, begin: number, end: number, hash: number): Value | undefined;
  remember(part: string, hash: number, value: Value): void;
}

interface Entry<Value> {
  readonly part: string;
  readonly value: Value;
}

/** A power of two; in a full row, the last part makes room. */
const ROWS = 4096;
const MAX_IN_ROW = 4;

export function createPartTable<Value>(): PartTable<Value> {
  const rows: Entry<Value>[][] = [];
  return {
    find(text, begin, end, hash) {
      const row = rows[hash & (ROWS - 1)];
      if (row === undefined) return undefined;
      for (const { part, value } of row)
        if (part.length === end - begin && text.startsWith(part, begin)) return value;
      return undefined;
    },
    remember(part, hash, value) {
      const row = (rows[hash & (ROWS - 1)] ??= []);
      if (row.length === MAX_IN_ROW) row.pop();
      row.push({ part, value });
    },
  };
}

/** FNV-1a, one UTF-16 unit at a time. */
export const HASH_START = 0x811c9dc5;

export function hashWith(hash: number, unit: number): number {
  const mixed = Math.imul(hash ^ unit, 0x01000193);
  return mixed ^ (mixed >>> 15);
}
