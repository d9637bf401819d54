/**
 * Where a run stands, which a commit may change beside the log, and by which plan it was started. The
 * text written last is remembered while the claim is held, so that repeating it costs nothing.
 */
import type { NewRun, RunStanding } from '../../machine/store-port.ts';
import { digestOf, rowChecksum } from '../checksum.ts';
import { corrupt } from '../failure.ts';
import type { RunRef } from './claims.ts';
import type { Preparer } from './meta.ts';
import { integerAt, textAt, type Row } from '../row.ts';

interface StandingRow {
  readonly text: string;
  /** Digest of the plan that the run was started with. */
  readonly plan: string;
}

export class Standings {
  readonly #db: Preparer;
  readonly #written = new Map<string, string>();

  constructor(db: Preparer) {
    this.#db = db;
  }

  /** Of one run, or of all: another process may have written, or a transaction was undone. */
  forget(run?: string): void {
    if (run === undefined) this.#written.clear();
    else this.#written.delete(run);
  }

  insert(ref: RunRef, text: string, { plan }: NewRun): void {
    this.#write(ref, { text, plan: this.#storePlan(plan) });
  }

  /** True when the text would change nothing; undefined leaves it as it is. */
  isKept(run: string, text: string | undefined): boolean {
    return text === undefined || text === this.#written.get(run);
  }

  update(ref: RunRef, text: string): void {
    this.#write(ref, { text, plan: this.#read(ref).plan });
  }

  readPlan(ref: RunRef): string {
    const digest = this.#read(ref).plan;
    const row = this.#db.prepare('SELECT plan FROM plans WHERE digest = ?').get(digest);
    const plan = row === undefined ? null : textAt(row, 'plan');
    if (plan === null || digestOf(plan) !== digest) throw damaged(ref, 'plans');
    return plan;
  }

  #read(ref: RunRef): StandingRow {
    const row = this.#db
      .prepare(
        `SELECT status, plan, standing, checksum AS standing_checksum
         FROM standings WHERE run = ?`,
      )
      .get(ref.key);
    if (row === undefined) throw damaged(ref, 'standings');
    return checkedRow(row, ref);
  }

  #write({ key, run }: RunRef, { text, plan }: StandingRow): void {
    const values = [key, parse(text).status, plan, text] as const;
    this.#db
      .prepare(
        `INSERT OR REPLACE INTO standings (run, status, plan, standing, checksum)
         VALUES (?, ?, ?, ?, ?)`,
      )
      .run(...values, rowChecksum(values));
    this.#written.set(run, text);
  }

  /** Runs of the same plan share a row. */
  #storePlan(plan: string): string {
    const digest = digestOf(plan);
    this.#db.prepare('INSERT OR IGNORE INTO plans (digest, plan) VALUES (?, ?)').run(digest, plan);
    return digest;
  }
}

/** From a row of `standings`, whose checksum is called `standing_checksum`. */
export function readStanding(row: Row, ref: RunRef): RunStanding {
  return parse(checkedRow(row, ref).text);
}

function checkedRow(row: Row, ref: RunRef): StandingRow {
  if (row['standing_checksum'] === null) throw damaged(ref, 'standings');
  const text = textAt(row, 'standing');
  const plan = textAt(row, 'plan');
  const checksum = rowChecksum([ref.key, textAt(row, 'status'), plan, text]);
  if (integerAt(row, 'standing_checksum') !== checksum) throw damaged(ref, 'standings');
  return { text, plan };
}

function parse(text: string): RunStanding {
  // made from a standing, and its checksum is right
  return JSON.parse(text) as RunStanding;
}

function damaged({ run }: RunRef, table: string): Error {
  return corrupt(`The row of run ${run} in ${table} is missing or altered`, { run, table });
}
