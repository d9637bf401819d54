/**
 * The log of a run: appends commits, and walks back along the chain. The head of a run that is being
 * written is cached, so that a commit needs one statement; the trigger accepts it only if no other
 * process has moved the head or taken the claim.
 */
import { readProperty } from '../../errors/support/safe-json.ts';
import type { Commit, LogHead } from '../../machine/ports/store-port.ts';
import { chainDigest } from '../checksum.ts';
import { corrupt } from '../store-failure.ts';
import { conflict, placeCommit } from '../store-rules.ts';
import { presentClaim, type RunRef } from './claims.ts';
import type { Preparer } from './meta.ts';
import { integerAt, textAt, type Row } from '../typed-row.ts';
import { readStart, runKey } from './run-table.ts';

interface Head {
  readonly key: number;
  readonly epoch: number;
  readonly lastRow: number;
  readonly head: LogHead;
}

/** A row without its events. */
export interface Link {
  readonly id: number;
  readonly prev: number;
  readonly seq: number;
  readonly count: number;
  readonly digest: string;
  /** Size of the events' text. */
  readonly bytes: number;
}

/** The requested part of a log, and the digest of what comes before it. */
export interface Excerpt extends RunRef {
  readonly before: string;
  /** Number of the first event in it, or of the next one if there is none. */
  readonly firstSeq: number;
  readonly links: readonly Link[];
}

const INSERT = `INSERT INTO events (prev, run, epoch, seq, count, checksum, events)
  VALUES (?, ?, ?, ?, ?, ?, ?)`;

const LINK = `SELECT id, prev, run, seq, count, checksum, octet_length(events) AS bytes FROM events`;

/** From a row back to the one that holds an event; the numbers must fall, or it would not end. */
const WALK = `
  WITH RECURSIVE walk (id, prev, run, seq, count, checksum, bytes) AS (
    ${LINK} WHERE id = ?
    UNION ALL
    SELECT e.id, e.prev, e.run, e.seq, e.count, e.checksum, octet_length(e.events)
    FROM walk w JOIN events e ON e.id = w.prev WHERE w.seq > ? AND e.seq < w.seq
  )
  SELECT * FROM walk`;

/** SQLITE_CONSTRAINT_TRIGGER: what the trigger on `events` refuses with. */
const REFUSED = 1811;

export class EventLog {
  readonly #db: Preparer;
  readonly #heads = new Map<string, Head>();

  constructor(db: Preparer) {
    this.#db = db;
  }

  /** Forgets one head, or all: another process may have written, or a transaction was undone. */
  forget(run?: string): void {
    if (run === undefined) this.#heads.clear();
    else this.#heads.delete(run);
  }

  /** The first commit of a run, whose claim is the first too. */
  begin(ref: RunRef, seed: string, commit: { count: number; text: string }): LogHead {
    this.#db
      .prepare(
        `INSERT INTO heads (run, epoch, next_seq, last_row, digest, sent, taken)
         VALUES (?, 1, 1, 0, ?, 0, 0)`,
      )
      .run(ref.key, seed);
    const head = { key: ref.key, epoch: 1, lastRow: 0, head: { nextSeq: 1, digest: seed } };
    const written = this.#write(ref.run, head, { seq: 1, ...commit });
    if (written === null) throw damagedHead(ref);
    return written;
  }

  /** Where the commit ends, and whether it was in the log already. */
  append(commit: Commit, text: string): { head: LogHead; key: number; isRepeated: boolean } {
    const { run, epoch } = commit.claim;
    const known = this.#heads.get(run);
    const entry = { seq: commit.seq, count: commit.events.length, text };
    if (known?.epoch === epoch && known.head.nextSeq === commit.seq) {
      const head = this.#write(run, known, entry);
      if (head !== null) return { head, key: known.key, isRepeated: false };
    }

    const present = this.#load(run);
    const { key } = present;
    if (placeCommit(commit, present) === 'past') {
      return { head: this.#findRepeated(commit, present, text), key, isRepeated: true };
    }
    const head = this.#write(run, present, entry);
    if (head === null) throw damagedHead({ run, key });
    return { head, key, isRepeated: false };
  }

  /** The stored head, after checking that the log really ends there. */
  head(run: string): LogHead {
    return this.#load(run).head;
  }

  /** Everything needed to read the log from `fromSeq` on; the rows themselves never change. */
  excerpt(run: string, fromSeq: number): Excerpt {
    const present = this.#load(run);
    const ref = { run, key: present.key };
    const from = Math.max(fromSeq, 1);
    let end = present.head.nextSeq;
    let id = present.lastRow;
    const rows = end > from ? this.#db.prepare(WALK).all(id, from) : [];
    const links = rows.map((row) => {
      const link = checkedLink(row, ref, { id, end });
      end = link.seq;
      id = link.prev;
      return link;
    });
    if (end > from) throw damaged(ref, { seq: end - 1, row: id });
    return {
      ...ref,
      before: this.#digestBefore(ref, id, end),
      firstSeq: end,
      links: links.reverse(),
    };
  }

  /** Whether the log has this position, with this digest. */
  confirms(run: string, { nextSeq, digest }: LogHead): boolean {
    if (nextSeq < 1 || nextSeq > this.#load(run).head.nextSeq) return false;
    const { firstSeq, before } = this.excerpt(run, nextSeq);
    return firstSeq === nextSeq && before === digest;
  }

  /** Null when the head is not where it was expected. */
  #write(
    run: string,
    at: Head,
    { seq, count, text }: { seq: number; count: number; text: string },
  ): LogHead | null {
    const { key, epoch, lastRow } = at;
    const digest = chainDigest(at.head.digest, { run: key, seq, count, text });
    const id = this.#insert([lastRow, key, epoch, seq, count, digest, text]);
    if (id === null) return null;
    const nextSeq = seq + count;
    const head = { nextSeq, digest };
    this.#heads.set(run, { key, epoch, lastRow: id, head });
    return head;
  }

  /** Null when the trigger rejects it. */
  #insert(values: readonly (string | number)[]): number | null {
    try {
      return Number(this.#db.prepare(INSERT).run(...values).lastInsertRowid);
    } catch (error) {
      if (readProperty(error, 'errcode') === REFUSED) return null;
      throw error;
    }
  }

  #load(run: string): Head {
    const key = runKey(this.#db, run);
    const row = this.#db
      .prepare('SELECT epoch, next_seq, last_row, digest FROM heads WHERE run = ?')
      .get(key);
    if (row === undefined) throw damagedHead({ run, key });
    const head = { nextSeq: integerAt(row, 'next_seq'), digest: textAt(row, 'digest') };
    const lastRow = integerAt(row, 'last_row');
    const { epoch } = presentClaim(this.#db, { run, key });
    const last = this.#link({ run, key }, lastRow, head.nextSeq);
    if (last.digest !== head.digest) throw damaged({ run, key }, { seq: last.seq, row: lastRow });
    return { key, epoch, lastRow, head };
  }

  /** The row `id`, which must end right before `end`. */
  #link(ref: RunRef, id: number, end: number): Link {
    const row = this.#db.prepare(`${LINK} WHERE id = ?`).get(id);
    if (row === undefined) throw damaged(ref, { seq: end - 1, row: id });
    return checkedLink(row, ref, { id, end });
  }

  #digestBefore(ref: RunRef, id: number, end: number): string {
    if (end > 1) return this.#link(ref, id, end).digest;
    if (id !== 0) throw damaged(ref, { seq: 1, row: id });
    return readStart(this.#db, ref).seed;
  }

  #findRepeated(commit: Commit, present: Head, text: string): LogHead {
    const { run } = commit.claim;
    const [link] = this.excerpt(run, commit.seq).links;
    if (link?.seq !== commit.seq) throw conflict(commit);
    const before = this.#digestBefore({ run, key: present.key }, link.prev, link.seq);
    const { seq, count } = link;
    if (chainDigest(before, { run: present.key, seq, count, text }) !== link.digest) {
      throw conflict(commit);
    }
    return { nextSeq: seq + count, digest: link.digest };
  }
}

/** The row must be the expected one, and end right before `end`. */
function checkedLink(row: Row, ref: RunRef, expected: { id: number; end: number }): Link {
  const link = {
    id: integerAt(row, 'id'),
    prev: integerAt(row, 'prev'),
    seq: integerAt(row, 'seq'),
    count: integerAt(row, 'count'),
    digest: textAt(row, 'checksum'),
    bytes: integerAt(row, 'bytes'),
  };
  const isInPlace =
    link.id === expected.id &&
    row['run'] === ref.key &&
    link.count > 0 &&
    link.seq > 0 &&
    link.seq + link.count === expected.end;
  if (!isInPlace) throw damaged(ref, { seq: expected.end - 1, row: expected.id });
  return link;
}

/** Names the event and the row; the run cannot resume without them. */
export function damaged(
  { run }: RunRef,
  where: { readonly seq: number; readonly row?: number },
): Error {
  return corrupt(`Event ${where.seq} of run ${run} is missing or altered`, {
    run,
    table: 'events',
    ...where,
  });
}

function damagedHead({ run }: RunRef): Error {
  return corrupt(`The head of run ${run} is missing or altered`, { run, table: 'heads' });
}
