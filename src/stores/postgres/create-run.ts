/**
 * Creates a run: its plan, its row and its first commit, in one statement, so that no lock is held between round trips.
 * Only where that statement creates nothing is the reason looked for.
 */
import type { Claim, LogHead, NewRun } from '../../machine/ports/store-port.ts';
import { chainDigest } from '../checksum.ts';
import { idWasUsed } from '../store-failure.ts';
import { firstOfRepeated } from '../store-rules.ts';
import { integerAt, textAt } from '../typed-row.ts';
import type { Database, Query } from './database.ts';
import type { Known } from './event-log.ts';
import { readTombstone } from './removal.ts';
import { findRun, FRESH_COLUMNS, freshRow, NOW_MS } from './run-table.ts';
import { keepNotices } from './shared-work-schema.ts';

export interface Created {
  readonly claim: Claim;
  readonly head: LogHead;
}

/** The numbers of its parameters: the columns of the row, of which the id is the first, then these. */
const after = FRESH_COLUMNS.length;
const [LEASE, PLAN_TEXT, NEXT_SEQ, DIGEST, COUNT, EVENTS] = [1, 2, 3, 4, 5, 6].map(
  (number) => `$${after + number}`,
);
const NOTICES = after + 7;
const ROW = FRESH_COLUMNS.map((_, index) => `$${index + 1}`);
const PLAN = ROW[FRESH_COLUMNS.indexOf('plan')];

const create = ({ withNotices }: { readonly withNotices: boolean }): string => `
  WITH made AS (
    INSERT INTO @runs (${FRESH_COLUMNS.join(', ')}, until_ms, next_seq, digest)
    SELECT ${ROW.join(', ')}, ${NOW_MS} + ${LEASE}, ${NEXT_SEQ}, ${DIGEST}
    WHERE NOT EXISTS (SELECT 1 FROM @tombstones WHERE id = $1)
    ON CONFLICT (id) DO NOTHING RETURNING key
  ), planned AS (
    INSERT INTO @plans (digest, plan) SELECT ${PLAN}, ${PLAN_TEXT} FROM made ON CONFLICT DO NOTHING
  )
  ${withNotices ? `, kept AS (${keepNotices('made', NOTICES)})` : ''}
  INSERT INTO @events (run, seq, count, digest, events)
  SELECT key, 1, ${COUNT}, ${DIGEST}, ${EVENTS} FROM made RETURNING run`;

const CREATE = { name: 'errand_create', text: create({ withNotices: false }) };
const CREATE_WITH_NOTICES = {
  name: 'errand_create_with_notices',
  text: create({ withNotices: true }),
};

/** `known`: the end of the log that this call has written; absent if an earlier call wrote it. */
export async function createRun(
  db: Database,
  run: NewRun,
  { text, statusRow }: { readonly text: string; readonly statusRow: string },
): Promise<{ readonly created: Created; readonly known?: Known }> {
  const { seed, plan, columns } = freshRow(run, statusRow);
  const count = run.events.length;
  const digest = chainDigest(seed, { run: 0, seq: 1, count, text });
  const head = { nextSeq: 1 + count, digest };
  const { notices = [] } = run;
  const hasNotices = notices.length > 0;
  const [row] = await db.query(hasNotices ? CREATE_WITH_NOTICES : CREATE, [
    ...FRESH_COLUMNS.map((name) => columns[name]),
    run.leaseMs,
    run.plan,
    head.nextSeq,
    digest,
    count,
    text,
    ...(hasNotices ? [notices.map(({ seq }) => seq), notices.map(({ type }) => type)] : []),
  ]);
  if (row === undefined)
    return { created: await db.transaction((query) => earlierCreate(query, run, text)) };
  const known = { key: integerAt(row, 'run'), epoch: 1, plan, head };
  return { created: { claim: { run: run.id, epoch: 1 }, head }, known };
}

/** The id is in use, or was. */
async function earlierCreate(query: Query, run: NewRun, text: string): Promise<Created> {
  const removed = await readTombstone(query, run.id);
  if (removed !== null) throw idWasUsed(removed);
  const { key, epoch, summary } = await findRun(query, run.id);
  const [row] = await query(
    'SELECT count, digest, events FROM @events WHERE run = $1 AND seq = 1',
    [key],
  );
  const first = row && { text: textAt(row, 'events'), row };
  const present = { epoch, held: summary.claim };
  const { row: stored } = firstOfRepeated(run, present, { first, text });
  const head = { nextSeq: 1 + integerAt(stored, 'count'), digest: textAt(stored, 'digest') };
  return { claim: { run: run.id, epoch: 1 }, head };
}
