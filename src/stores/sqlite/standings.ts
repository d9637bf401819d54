/** Where a run stands and by which plan: what a commit may change beside the log. */
import type { Commit, NewRun, RunStanding } from '../../machine/store-port.ts';
import { digestOf, rowChecksum } from '../checksum.ts';
import { corrupt } from '../failure.ts';
import { jsonText } from '../rules.ts';
import type { RunRef } from './claims.ts';
import type { Preparer } from './meta.ts';
import { integerAt, textAt, type Row } from './row.ts';

interface Standing {
  readonly standing: RunStanding;
  /** Digest of the plan in force. */
  readonly plan: string;
}

export function insertStanding(db: Preparer, key: number, run: NewRun): void {
  writeStanding(db, key, { standing: run.standing, plan: storePlan(db, run.plan) });
}

/** The commit says what of it changes. */
export function updateStanding(db: Preparer, ref: RunRef, commit: Commit): void {
  const present = readStanding(db, ref);
  const plan = commit.plan === undefined ? present.plan : storePlan(db, commit.plan);
  writeStanding(db, ref.key, { standing: commit.standing ?? present.standing, plan });
}

export function readPlan(db: Preparer, ref: RunRef): string {
  const digest = readStanding(db, ref).plan;
  const row = db.prepare('SELECT plan FROM plans WHERE digest = ?').get(digest);
  const plan = row === undefined ? null : textAt(row, 'plan');
  if (plan === null || digestOf(plan) !== digest) throw damaged(ref, 'plans');
  return plan;
}

/** From a row of `standings`, whose checksum is called `standing_checksum`. */
export function checkedStanding(row: Row, ref: RunRef): Standing {
  if (row['standing_checksum'] === null) throw damaged(ref, 'standings');
  const text = textAt(row, 'standing');
  const plan = textAt(row, 'plan');
  const checksum = rowChecksum([ref.key, textAt(row, 'status'), plan, text]);
  if (integerAt(row, 'standing_checksum') !== checksum) throw damaged(ref, 'standings');
  // its checksum is right, so it is what writeStanding wrote
  return { standing: JSON.parse(text) as RunStanding, plan };
}

function readStanding(db: Preparer, ref: RunRef): Standing {
  const row = db
    .prepare(
      `SELECT status, plan, standing, checksum AS standing_checksum
       FROM standings WHERE run = ?`,
    )
    .get(ref.key);
  if (row === undefined) throw damaged(ref, 'standings');
  return checkedStanding(row, ref);
}

function writeStanding(db: Preparer, key: number, { standing, plan }: Standing): void {
  const text = jsonText(standing, 'The standing of a run');
  const values = [key, standing.status, plan, text] as const;
  db.prepare(
    'INSERT OR REPLACE INTO standings (run, status, plan, standing, checksum) VALUES (?, ?, ?, ?, ?)',
  ).run(...values, rowChecksum(values));
}

/** Runs of the same plan share a row. */
function storePlan(db: Preparer, plan: string): string {
  const digest = digestOf(plan);
  db.prepare('INSERT OR IGNORE INTO plans (digest, plan) VALUES (?, ?)').run(digest, plan);
  return digest;
}

function damaged({ run }: RunRef, table: string): Error {
  return corrupt(`The row of run ${run} in ${table} is missing or altered`, { run, table });
}
