/**
 * The log of a run: commits in a chain, whose digests each cover the one before. The head of a log
 * that is being written is cached, so that a commit is one statement; the row of the run accepts it
 * only if no other process has moved the head or taken the claim.
 */
import type { Commit, LogHead, StoredCommit } from '../../machine/ports/store-port.ts';
import { chainDigest } from '../checksum.ts';
import { commitEvents } from '../commit-text.ts';
import { dueMsOf } from '../due-time.ts';
import { corrupt } from '../store-failure.ts';
import { checkTaken, conflict, placeCommit } from '../store-rules.ts';
import { integerAt, textAt, type Row } from '../typed-row.ts';
import type { Database, Query } from './database.ts';
import { keepNotices } from './shared-work-schema.ts';
import { findRun, statusChecksum, type RunRow } from './run-table.ts';

/** The end of a log that this process has written. */
export interface Known {
  readonly key: number;
  readonly epoch: number;
  readonly plan: string;
  readonly head: LogHead;
}

/** A commit as it is written. */
export interface Entry {
  readonly commit: Commit;
  readonly text: string;
  /** The new status, where it changes. */
  readonly statusRow: string | undefined;
}

const PAGE_ROWS = 200;

const append = ({ withNotices }: { readonly withNotices: boolean }): string => `
  WITH moved AS (
    UPDATE @runs SET next_seq = $4, digest = $5, status = coalesce($6, status),
      status_row = coalesce($7, status_row), status_row_checksum = coalesce($8::bigint, status_row_checksum),
      taken = coalesce($9::integer, taken), due_ms = CASE WHEN $6::text IS NULL THEN due_ms ELSE $13::bigint END
    WHERE key = $1 AND epoch = $2 AND next_seq = $3 AND digest = $10
    RETURNING key
  ), gone AS (DELETE FROM @messages USING moved WHERE run = moved.key AND number <= $9::integer)
  ${withNotices ? `, kept AS (${keepNotices('moved', 14)})` : ''}
  INSERT INTO @events (run, seq, count, digest, events)
  SELECT key, $3, $11, $5, $12 FROM moved RETURNING run`;

const APPEND = { name: 'errand_append', text: append({ withNotices: false }) };
const APPEND_WITH_NOTICES = {
  name: 'errand_append_with_notices',
  text: append({ withNotices: true }),
};

export class EventLog {
  readonly #db: Database;
  readonly #known = new Map<string, Known>();

  constructor(db: Database) {
    this.#db = db;
  }

  /** Forgets the head of a run that another process may have written to, or whose commit failed. */
  forget(run: string): void {
    this.#known.delete(run);
  }

  remember(run: string, known: Known): void {
    this.#known.set(run, known);
  }

  async append(entry: Entry): Promise<LogHead> {
    const { run, epoch } = entry.commit.claim;
    const known = this.#known.get(run);
    const isNext = known?.epoch === epoch && known.head.nextSeq === entry.commit.seq;
    if (known !== undefined && isNext && entry.commit.messagesThrough === undefined) {
      const head = await this.#write(this.#db.forRun(run), known, entry);
      if (head !== null) return head;
    }
    this.forget(run);
    return this.#db.transaction((query) => this.#appendSlowly(query, entry), { run });
  }

  /** Appends after reading the stored head. */
  async #appendSlowly(query: Query, entry: Entry): Promise<LogHead> {
    const { commit, text } = entry;
    const present = await findRun(query, commit.claim.run, 'FOR UPDATE');
    if (placeCommit(commit, present) === 'past') return repeated(query, present, commit, text);
    checkTaken(commit, present);
    const head = await this.#write(query, present, entry);
    if (head === null) throw conflict(commit);
    return head;
  }

  /** Null when the log does not end at the expected place. */
  async #write(
    query: Query,
    at: Known,
    { commit, text, statusRow }: Entry,
  ): Promise<LogHead | null> {
    const { seq, events, claim, notices = [] } = commit;
    const digest = chainDigest(at.head.digest, { run: 0, seq, count: events.length, text });
    const head = { nextSeq: seq + events.length, digest };
    const change =
      statusRow === undefined
        ? [null, null, null]
        : [
            commit.statusRow?.status ?? null,
            statusRow,
            statusChecksum(claim.run, at.plan, statusRow),
          ];
    const hasNotices = notices.length > 0;
    const written = await query(hasNotices ? APPEND_WITH_NOTICES : APPEND, [
      at.key,
      at.epoch,
      seq,
      head.nextSeq,
      digest,
      ...change,
      commit.messagesThrough ?? null,
      at.head.digest,
      events.length,
      text,
      commit.statusRow === undefined ? null : dueMsOf(commit.statusRow),
      ...(hasNotices ? [notices.map((each) => each.seq), notices.map(({ type }) => type)] : []),
    ]);
    if (written.length === 0) return null;
    this.remember(claim.run, { key: at.key, epoch: at.epoch, plan: at.plan, head });
    return head;
  }

  /**
   * Reads the log as it is when reading begins, page by page, so that nothing is held open
   * meanwhile.
   */
  async *read(run: string, fromSeq: number): AsyncGenerator<StoredCommit> {
    const query = this.#db.forRun(run);
    const present = await findRun(query, run);
    const end = present.head;
    const from = await placeBefore(query, present, Math.min(Math.max(fromSeq, 1), end.nextSeq));
    for await (const { seq, text, head } of checkedRows(query, present, { from, end })) {
      const events = commitEvents(text, { run, seq });
      const skipped = Math.max(0, fromSeq - seq);
      yield { seq: seq + skipped, events: events.slice(skipped), head };
    }
  }

  /**
   * Whether the log has this position, with this digest. Reads every row before it and parses none:
   * throws `store.corrupt`, which names the first event that is missing or altered.
   */
  async confirms(query: Query, present: RunRow, end: LogHead): Promise<boolean> {
    if (end.nextSeq < 1 || end.nextSeq > present.head.nextSeq) return false;
    const place = await placeBefore(query, present, end.nextSeq);
    if (place.nextSeq !== end.nextSeq || place.digest !== end.digest) return false;
    const from = { nextSeq: 1, digest: present.seed };
    for await (const _ of checkedRows(query, present, { from, end }));
    return true;
  }
}

interface CheckedRow {
  readonly seq: number;
  readonly text: string;
  /** The head of the log after this row. */
  readonly head: LogHead;
}

/** The rows between two positions, each checked against the digest of the log before it. */
async function* checkedRows(
  query: Query,
  { key, summary: { run } }: RunRow,
  { from, end }: { readonly from: LogHead; readonly end: LogHead },
): AsyncGenerator<CheckedRow> {
  let head = from;
  while (head.nextSeq < end.nextSeq) {
    const rows = await query(
      `SELECT seq, count, digest, events FROM @events
       WHERE run = $1 AND seq >= $2 AND seq < $3 ORDER BY seq LIMIT $4`,
      [key, head.nextSeq, end.nextSeq, PAGE_ROWS],
    );
    if (rows.length === 0) throw missing(run, head.nextSeq);
    for (const row of rows) {
      const seq = head.nextSeq;
      const { count, text } = checked(row, { run, next: seq, before: head.digest });
      head = { nextSeq: seq + count, digest: textAt(row, 'digest') };
      yield { seq, text, head };
    }
  }
  if (head.nextSeq !== end.nextSeq || head.digest !== end.digest) throw missing(run, end.nextSeq);
}

/** The beginning of the commit that has this event, and the digest of all before it. */
async function placeBefore(
  query: Query,
  { key, seed, summary }: RunRow,
  seq: number,
): Promise<LogHead> {
  const [row] = await query(
    `SELECT seq, count, digest FROM @events WHERE run = $1 AND seq + count <= $2
     ORDER BY seq DESC LIMIT 1`,
    [key, seq],
  );
  if (row === undefined) return { nextSeq: 1, digest: seed };
  const nextSeq = integerAt(row, 'seq') + integerAt(row, 'count');
  if (nextSeq < 1) throw missing(summary.run, seq);
  return { nextSeq, digest: textAt(row, 'digest') };
}

/** A commit that is repeated: succeeds if the same commit is stored already. */
async function repeated(
  query: Query,
  present: RunRow,
  commit: Commit,
  text: string,
): Promise<LogHead> {
  const [row] = await query(
    'SELECT count, digest, events FROM @events WHERE run = $1 AND seq = $2',
    [present.key, commit.seq],
  );
  if (row === undefined || textAt(row, 'events') !== text) throw conflict(commit);
  return { nextSeq: commit.seq + integerAt(row, 'count'), digest: textAt(row, 'digest') };
}

function checked(
  row: Row,
  { run, next, before }: { readonly run: string; readonly next: number; readonly before: string },
): { readonly count: number; readonly text: string } {
  const seq = integerAt(row, 'seq');
  if (seq !== next) throw missing(run, next);
  const count = integerAt(row, 'count');
  const text = textAt(row, 'events');
  if (textAt(row, 'digest') !== chainDigest(before, { run: 0, seq, count, text }))
    throw corrupt(`Event ${seq} of run ${run} is altered`, { run, seq, table: 'events' });
  return { count, text };
}

function missing(run: string, seq: number): Error {
  return corrupt(`Event ${seq} of run ${run} is missing`, { run, seq, table: 'events' });
}
