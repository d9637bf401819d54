/**
 * Rows and lists that were read before. A row with unchanged values is not checked and parsed
 * again, and a list is not read again until something is written: lists are read far more often
 * than runs change.
 */
import { integerAt, type Row } from '../typed-row.ts';
import type { Preparer } from './meta.ts';

interface Known<T> {
  readonly row: Row;
  readonly value: T;
}

const MAX_ROWS = 2000;
const MAX_LISTS = 20;
/** Longer lists are rare, and would hold much. */
const MAX_LIST_ROWS = 300;

export class CheckedRows<T> {
  readonly #known = new Map<unknown, Known<T>>();

  /** `check` throws for a damaged row. The column `key` distinguishes rows. */
  read(row: Row, check: (row: Row) => T): T {
    const { key } = row;
    const known = this.#known.get(key);
    if (known !== undefined && isSame(known.row, row)) return known.value;
    const value = check(row);
    // the newest come last, so that rows read long ago are forgotten first
    this.#known.delete(key);
    this.#known.set(key, { row, value });
    const first = this.#known.keys().next();
    if (this.#known.size > MAX_ROWS && first.done !== true) this.#known.delete(first.value);
    return value;
  }
}

function isSame(one: Row, other: Row): boolean {
  for (const column in one) if (one[column] !== other[column]) return false;
  return true;
}

/** Changes with every write to the database, by whichever process, as long as the connection is open. */
export function versionOf(db: Preparer): string {
  const { data_version: byOthers } = db.prepare('PRAGMA data_version').get() ?? {};
  const { own } = db.prepare('SELECT total_changes() AS own').get() ?? {};
  return `${String(byOthers)} ${String(own)}`;
}

export class KnownLists<T> {
  readonly #known = new Map<string, readonly T[]>();
  #version = '';

  /** Called when the connection is another one, or a transaction was undone. */
  forget(): void {
    this.#known.clear();
  }

  /**
   * Undefined if it was not read since the last write. Call it within a transaction, as the reading
   * is.
   */
  get(db: Preparer, name: string): readonly T[] | undefined {
    const version = versionOf(db);
    if (version !== this.#version) this.#known.clear();
    this.#version = version;
    return this.#known.get(name);
  }

  keep(name: string, list: readonly T[]): void {
    if (list.length > MAX_LIST_ROWS) return;
    if (this.#known.size >= MAX_LISTS) this.#known.clear();
    this.#known.set(name, list);
  }
}

/** Runs that were ever created, and those of them that were removed. */
interface Expected {
  readonly created: number;
  readonly removed: number;
}

interface Counted extends Expected {
  /** Changes with every write of another connection. */
  readonly byOthers: unknown;
}

/**
 * Counts the rows of runs: all of them once, and then only new ones. While no other connection has
 * written, only our own statements can have changed them, and those keep the count right.
 */
export class CountedRuns {
  #counted: Counted | undefined;

  /** Called when the connection is another one, or a transaction was undone. */
  forget(): void {
    this.#counted = undefined;
  }

  /** Within a transaction, as the reading is. */
  present(db: Preparer, { created, removed }: Expected): number {
    const byOthers = db.prepare('PRAGMA data_version').get()?.['data_version'];
    const known = this.#counted;
    const isKnown = known !== undefined && known.byOthers === byOthers && known.removed === removed;
    const from = isKnown ? known.created : 0;
    // the rows themselves: an index may be damaged
    const row = db
      .prepare('SELECT count(*) AS present FROM runs NOT INDEXED WHERE key > ?')
      .get(from);
    const added = row === undefined ? 0 : integerAt(row, 'present');
    const present = isKnown ? known.created - removed + added : added;
    // a wrong count is made again each time
    this.#counted = present + removed === created ? { created, removed, byOthers } : undefined;
    return present;
  }
}
