/**
 * The status of a run, which a commit may change beside the log, and the run's first plan. The last
 * status written is cached while the claim is held, so that repeating it costs nothing, and
 * changing it needs no read.
 */
import type { NewRun, RunStatusRow } from '../../machine/ports/store-port.ts';
import { dueMsOf } from '../due-time.ts';
import { digestOf, rowChecksum } from '../checksum.ts';
import { corrupt } from '../store-failure.ts';
import type { RunRef } from './claims.ts';
import type { Preparer } from './meta.ts';
import { packedPlan, unpackedPlan } from '../packed-plan.ts';
import { integerAt, textAt, type Row } from '../typed-row.ts';

interface StandingText {
  readonly text: string;
  /** Digest of the plan that the run was started with. */
  readonly plan: string;
}

interface StandingRow extends StandingText {
  readonly statusRow: RunStatusRow;
}

export class Standings {
  readonly #db: Preparer;
  readonly #written = new Map<string, StandingText>();
  /** The plan of the newest run. */
  #digested = { plan: '', digest: digestOf('') };

  constructor(db: Preparer) {
    this.#db = db;
  }

  /** Forgets one run, or all: another process may have written, or a transaction was undone. */
  forget(run?: string): void {
    if (run === undefined) this.#written.clear();
    else this.#written.delete(run);
  }

  insert({ key, run }: RunRef, text: string, { plan }: NewRun): void {
    const standing = { text, plan: this.#storePlan(plan) };
    const { status, digest, dueMs, checksum } = valuesOf(key, standing);
    this.#db
      .prepare(
        `INSERT INTO statuses (run, status, plan, status_row, checksum, due_ms)
         VALUES (?, ?, ?, ?, ?, ?)`,
      )
      .run(key, status, digest, text, checksum, dueMs);
    this.#written.set(run, standing);
  }

  /** True when the text would change nothing; undefined leaves it as it is. */
  isKept(run: string, text: string | undefined): boolean {
    return text === undefined || text === this.#written.get(run)?.text;
  }

  /** An update that leaves the index of due runs alone if the time is the same. */
  update(ref: RunRef, text: string): void {
    const { plan } = this.#written.get(ref.run) ?? this.#read(ref);
    const standing = { text, plan };
    const { status, dueMs, checksum } = valuesOf(ref.key, standing);
    const { changes } = this.#db
      .prepare(
        'UPDATE statuses SET status = ?, status_row = ?, checksum = ?, due_ms = ? WHERE run = ?',
      )
      .run(status, text, checksum, dueMs, ref.key);
    if (Number(changes) !== 1) throw damaged(ref, 'statuses');
    this.#written.set(ref.run, standing);
  }

  readPlan(ref: RunRef): string {
    const digest = this.#read(ref).plan;
    const row = this.#db.prepare('SELECT plan FROM plans WHERE digest = ?').get(digest);
    const plan = row === undefined ? null : unpackedPlan(textAt(row, 'plan'));
    if (plan === null || digestOf(plan) !== digest) throw damaged(ref, 'plans');
    return plan;
  }

  #read(ref: RunRef): StandingRow {
    const row = this.#db
      .prepare(
        `SELECT status, plan, status_row, due_ms, checksum AS status_row_checksum
         FROM statuses WHERE run = ?`,
      )
      .get(ref.key);
    if (row === undefined) throw damaged(ref, 'statuses');
    return checkedRow(row, ref);
  }

  /** Runs of the same plan share a row. */
  #storePlan(plan: string): string {
    const digest = this.#digestOf(plan);
    if (this.#db.prepare('SELECT 1 FROM plans WHERE digest = ?').get(digest) === undefined)
      this.#db
        .prepare('INSERT INTO plans (digest, plan) VALUES (?, ?)')
        .run(digest, packedPlan(plan));
    return digest;
  }

  /** Most runs start one after the other with one plan, whose text is then one object. */
  #digestOf(plan: string): string {
    if (plan !== this.#digested.plan) this.#digested = { plan, digest: digestOf(plan) };
    return this.#digested.digest;
  }
}

/** From a row of `statuses`, whose checksum is called `status_row_checksum`. */
export function readStatus(row: Row, ref: RunRef): RunStatusRow {
  return checkedRow(row, ref).statusRow;
}

function checkedRow(row: Row, ref: RunRef): StandingRow {
  if (row['status_row_checksum'] === null) throw damaged(ref, 'statuses');
  const text = textAt(row, 'status_row');
  const plan = textAt(row, 'plan');
  const checksum = rowChecksum([ref.key, textAt(row, 'status'), plan, text]);
  const isRight = integerAt(row, 'status_row_checksum') === checksum;
  if (!isRight) throw damaged(ref, 'statuses');
  const statusRow = parse(text);
  if (row['due_ms'] !== dueMsOf(statusRow)) throw damaged(ref, 'statuses');
  return { text, plan, statusRow };
}

function valuesOf(key: number, { text, plan }: StandingText) {
  const statusRow = parse(text);
  const { status } = statusRow;
  const checksum = rowChecksum([key, status, plan, text]);
  return { status, digest: plan, dueMs: dueMsOf(statusRow), checksum };
}

function parse(text: string): RunStatusRow {
  // made from a status row, and its checksum is right
  return JSON.parse(text) as RunStatusRow;
}

function damaged({ run }: RunRef, table: string): Error {
  return corrupt(`The row of run ${run} in ${table} is missing or altered`, { run, table });
}
