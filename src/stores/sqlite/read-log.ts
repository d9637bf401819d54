/** Reads a log back, and checks every commit against the chain before anyone sees it. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { StoredCommit } from '../../machine/ports/store-port.ts';
import { chainDigest } from '../checksum.ts';
import { commitEvents } from '../commit-text.ts';
import type { Connection } from './sqlite-connection.ts';
import { damaged, type EventLog, type Excerpt, type Link } from './event-log.ts';
import type { Preparer } from './meta.ts';
import { integerAt, textAt } from '../typed-row.ts';

/** Text read between two turns of the event loop. */
const BATCH_BYTES = 256 * 1024;
const BATCH_ROWS = 500;

interface CheckedCommit {
  readonly commit: StoredCommit;
  readonly text: string;
}

/** A row whose text is the one that was appended. */
interface CheckedRow {
  readonly link: Link;
  readonly text: string;
}

export async function* readLog(
  db: Connection,
  log: EventLog,
  { run, fromSeq }: { readonly run: string; readonly fromSeq: number },
): AsyncGenerator<StoredCommit> {
  const excerpt = db.read(() => log.excerpt(run, fromSeq), { run });
  for await (const rows of checkedBatches(db, excerpt))
    for (const row of rows) yield cutTo(commitOf(run, row).commit, fromSeq);
}

/**
 * Checks the rows of a log from its first event up to `endSeq` and parses none. Throws `store.corrupt`,
 * which names the first event that is missing or altered.
 */
export async function checkLog(
  db: Connection,
  log: EventLog,
  { run, endSeq }: { readonly run: string; readonly endSeq: number },
): Promise<void> {
  const whole = db.read(() => log.excerpt(run, 1), { run });
  const links = whole.links.filter(({ seq }) => seq < endSeq);
  for await (const _ of checkedBatches(db, { ...whole, links }));
}

type Part = Pick<Excerpt, 'run' | 'key' | 'before' | 'links'>;

async function* checkedBatches(db: Connection, part: Part): AsyncGenerator<readonly CheckedRow[]> {
  let { before } = part;
  for (const [index, links] of batchesOf(part.links).entries()) {
    if (index > 0) await nextTurn();
    // rows never change, so writes in the meantime do not matter
    yield db.read(() => readRows(db, { ...part, before, links }), { run: part.run });
    before = links.at(-1)?.digest ?? before;
  }
}

/** Some commits in a row, each checked against the digest of the log before it. */
export function readCommits(db: Preparer, part: Part): CheckedCommit[] {
  return readRows(db, part).map((row) => commitOf(part.run, row));
}

function readRows(db: Preparer, { run, key, before, links }: Part): CheckedRow[] {
  const texts = new Map(
    db
      .prepare(
        `SELECT e.id, e.events FROM json_each(?) wanted CROSS JOIN events e ON e.id = wanted.value`,
      )
      .all(JSON.stringify(links.map(({ id }) => id)))
      .map((row) => [integerAt(row, 'id'), textAt(row, 'events')]),
  );
  return links.map((link, index) => {
    const { id, seq, count, digest } = link;
    const text = texts.get(id) ?? '';
    const previous = links[index - 1]?.digest ?? before;
    if (chainDigest(previous, { run: key, seq, count, text }) !== digest) {
      throw damaged({ run, key }, { seq, row: id });
    }
    return { link, text };
  });
}

function commitOf(run: string, { link: { seq, count, digest }, text }: CheckedRow): CheckedCommit {
  // its digest is right, so it is the text that was appended
  const events = commitEvents(text, { run, seq });
  return { text, commit: { seq, events, head: { nextSeq: seq + count, digest } } };
}

function batchesOf(links: readonly Link[]): Link[][] {
  const batches: Link[][] = [];
  let bytes = 0;
  for (const link of links) {
    const batch = batches.at(-1);
    bytes += link.bytes;
    if (batch !== undefined && bytes <= BATCH_BYTES && batch.length < BATCH_ROWS) {
      batch.push(link);
      continue;
    }
    batches.push([link]);
    bytes = link.bytes;
  }
  return batches;
}

/** Nothing but the events from `fromSeq` on. */
function cutTo(commit: StoredCommit, fromSeq: number): StoredCommit {
  const skipped = fromSeq - commit.seq;
  return skipped <= 0 ? commit : { ...commit, seq: fromSeq, events: commit.events.slice(skipped) };
}
