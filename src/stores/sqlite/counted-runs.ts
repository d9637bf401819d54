/**
 * How many rows of runs there are: all are counted once, and then only those that were added. While no other connection
 * has written, nothing but our own statements can have changed them, and those keep the count right.
 */
import { integerAt } from '../typed-row.ts';
import type { Preparer } from './meta.ts';

/** Runs that were ever created, and those of them that were removed. */
export interface Expected {
  readonly created: number;
  readonly removed: number;
}

interface Counted extends Expected {
  /** Changes with every write of another connection. */
  readonly byOthers: unknown;
}

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
    // a count that is not right is made again each time
    this.#counted = present + removed === created ? { created, removed, byOthers } : undefined;
    return present;
  }
}
