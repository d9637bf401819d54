/** Reading a log back: every commit is checked against the chain before anyone sees it. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { JsonObject } from '../../errors/json.ts';
import type { StoredCommit } from '../../machine/store-port.ts';
import { chainDigest } from '../checksum.ts';
import type { RunRef } from './claims.ts';
import type { Connection } from './connection.ts';
import { damaged, type EventLog, type Link } from './event-log.ts';
import type { Preparer } from './meta.ts';
import { textAt } from './row.ts';

/** Text read between two turns of the event loop. */
const BATCH_CHARS = 256 * 1024;

interface CheckedCommit {
  readonly commit: StoredCommit;
  readonly text: string;
}

export async function* readLog(
  db: Connection,
  log: EventLog,
  { run, fromSeq }: { readonly run: string; readonly fromSeq: number },
): AsyncGenerator<StoredCommit> {
  const excerpt = db.read(() => log.excerpt(run, fromSeq), { run });
  let { before, links } = excerpt;
  while (links.length > 0) {
    // rows never change, so what is written meanwhile does not matter
    const batch = db.read(() => readBatch(db, { ...excerpt, before, links }), { run });
    for (const commit of batch) yield cutTo(commit, fromSeq);
    before = batch.at(-1)?.head.digest ?? before;
    links = links.slice(batch.length);
    if (links.length > 0) await nextTurn();
  }
}

/** One commit, checked against the digest of the log before it. */
export function readCommit(db: Preparer, ref: RunRef, link: Link, before: string): CheckedCommit {
  const row = db.prepare('SELECT events FROM events WHERE id = ?').get(link.id);
  const text = row === undefined ? '' : textAt(row, 'events');
  const { id, seq, count, digest } = link;
  if (chainDigest(before, { run: ref.key, seq, count, text }) !== digest) {
    throw damaged(ref, { seq, row: id });
  }
  // its digest is right, so it is the list that was appended
  const events = JSON.parse(text) as JsonObject[];
  return { text, commit: { seq, events, head: { nextSeq: seq + count, digest } } };
}

function readBatch(
  db: Preparer,
  { before, links, ...ref }: RunRef & { readonly before: string; readonly links: readonly Link[] },
): StoredCommit[] {
  const commits: StoredCommit[] = [];
  let digest = before;
  let chars = 0;
  for (const link of links) {
    const { commit, text } = readCommit(db, ref, link, digest);
    commits.push(commit);
    digest = commit.head.digest;
    chars += text.length;
    if (chars >= BATCH_CHARS) break;
  }
  return commits;
}

/** Nothing but the events from `fromSeq` on. */
function cutTo(commit: StoredCommit, fromSeq: number): StoredCommit {
  const skipped = fromSeq - commit.seq;
  return skipped <= 0 ? commit : { ...commit, seq: fromSeq, events: commit.events.slice(skipped) };
}
