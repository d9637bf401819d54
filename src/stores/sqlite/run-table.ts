/** The rows that identify a run and hold its status. Each is checked whenever it is read. */
import { jsonFrom, type JsonValue } from '../../errors/support/safe-json.ts';
import {
  RUN_STATUSES,
  type ListQuery,
  type NewRun,
  type RunSummary,
} from '../../machine/ports/store-port.ts';
import { isKind } from '../../errors/thrown/errand-error.ts';
import { digestOf, rowChecksum } from '../checksum.ts';
import { corrupt, runNotFound } from '../store-failure.ts';
import { jsonText, seenClaim } from '../store-rules.ts';
import { CountedRuns, type CheckedRows, type KnownLists } from './checked-rows.ts';
import { readClaim, type PresentClaim, type RunRef } from './claims.ts';
import { readMeta, writeMeta, type Preparer } from './meta.ts';
import { integerAt, textAt, textOrNullAt, type Row } from '../typed-row.ts';
import { readStatus } from './run-statuses.ts';
import { strayRuns } from './stray-runs.ts';
import { countTombstones, readTombstone } from './tombstones.ts';

const STARTS = 'SELECT key, id, workflow, file, started_at, checksum FROM runs';

const SUMMARIES = `
  SELECT r.key, r.id, r.workflow, r.file, r.started_at, r.checksum,
    s.status, s.plan, s.status_row, s.due_ms, s.checksum AS status_row_checksum,
    c.epoch, c.owner, c.until_ms, c.checksum AS claim_checksum
  FROM runs r LEFT JOIN statuses s ON s.run = r.key LEFT JOIN claims c ON c.run = r.key
`;

/** The number of a run within its store; throws `run.not_found`. */
export function runKey(db: Preparer, id: string): number {
  const key = findRun(db, id);
  if (key !== null) return key;
  const removed = readTombstone(db, id);
  // damage to an index or a row must not make a run look as if it never existed
  if (removed === null) checkAllRuns(db, id);
  throw runNotFound(id, removed);
}

/** By the index alone; an entry that leads to another run is detected. */
export function findRun(db: Preparer, id: string): number | null {
  const row = db.prepare(`${STARTS} WHERE id = ?`).get(id);
  return row === undefined ? null : checkedStart(row)[0];
}

/** The new run's number, and the digest that its log begins with. */
export function insertRun(db: Preparer, run: NewRun): { key: number; seed: string } {
  const key = Number(readMeta(db, 'runs')) + 1;
  const input = jsonText(run.input, `The input of run ${run.id}`);
  const start = [key, run.id, run.workflow, run.file, run.startedAt] as const;
  db.prepare(
    `INSERT INTO runs (key, id, workflow, file, started_at, checksum, input, input_checksum)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
  ).run(...start, rowChecksum(start), input, rowChecksum([key, input]));
  writeMeta(db, 'runs', String(key));
  return { key, seed: seedOf(start, input) };
}

/** Reads runs: their rows, and results of earlier reads. */
export interface SummaryReader {
  readonly db: Preparer;
  readonly rows: CheckedRows<CheckedSummary>;
  readonly lists: KnownLists<CheckedSummary>;
  readonly counted: CountedRuns;
  readonly nowMs: number;
}

export function readSummary({ db, rows, nowMs }: SummaryReader, { run, key }: RunRef): RunSummary {
  const row = db.prepare(`${SUMMARIES} WHERE r.key = ?`).get(key);
  if (row === undefined) throw damagedRun(run);
  return toSummary(rows.read(row, checkedSummary), nowMs);
}

export function listRuns(reader: SummaryReader, query: ListQuery): RunSummary[] {
  const { db, lists, nowMs } = reader;
  const { statuses, limit, before, onDamage = refuse } = query;
  const name = JSON.stringify([statuses, limit, before]);
  let isWhole = true;
  const list =
    lists.get(db, name) ??
    checkedList(reader, query, (damage) => {
      isWhole = false;
      onDamage(damage);
    });
  // damage is reported whenever it is read
  if (isWhole) lists.keep(name, list);
  return list.map((each) => toSummary(each, nowMs));
}

function checkedList(
  { db, rows, counted }: Pick<SummaryReader, 'db' | 'rows' | 'counted'>,
  { statuses, limit = -1, before }: ListQuery,
  onDamage: (damage: unknown) => void,
): readonly CheckedSummary[] {
  // damage is reported, and does not hide the other runs
  const unlessDamaged = <T>(read: () => T): T[] => {
    try {
      return [read()];
    } catch (thrown) {
      if (!isKind(thrown, 'store.corrupt')) throw thrown;
      onDamage(thrown);
      return [];
    }
  };
  unlessDamaged(() => checkRunCount(db, counted));
  // a damaged status is none of the unwanted ones, so it is read and detected
  const unwanted = statuses
    ? RUN_STATUSES.filter((status) => !statuses.some((wanted) => wanted === status))
    : [];
  const end = before === undefined ? Number.MAX_SAFE_INTEGER : runKey(db, before);
  return db
    .prepare(
      `${SUMMARIES}
       WHERE r.key < ? AND coalesce(s.status, '') NOT IN (SELECT value FROM json_each(?))
       ORDER BY r.key DESC LIMIT ?`,
    )
    .all(end, JSON.stringify(unwanted), limit)
    .flatMap((row) => unlessDamaged(() => rows.read(row, checkedSummary)));
}

function refuse(damage: unknown): never {
  throw damage;
}

/** The input, and the digest that the log of the run begins with. */
export function readStart(
  db: Preparer,
  { run, key }: RunRef,
): { readonly input: JsonValue; readonly seed: string } {
  const row = db.prepare('SELECT * FROM runs WHERE key = ?').get(key);
  if (row === undefined) throw damagedRun(run);
  const start = checkedStart(row);
  const input = textAt(row, 'input');
  if (integerAt(row, 'input_checksum') !== rowChecksum([key, input])) throw damagedRun(run);
  return { input: jsonFrom(input), seed: seedOf(start, input) };
}

type StartValues = readonly [number, string, string, string | null, string];

function seedOf(start: StartValues, input: string): string {
  return digestOf(`${JSON.stringify(start)} ${input}`);
}

function checkedStart(row: Row): StartValues {
  const start = [
    integerAt(row, 'key'),
    textAt(row, 'id'),
    textAt(row, 'workflow'),
    textOrNullAt(row, 'file'),
    textAt(row, 'started_at'),
  ] as const;
  if (integerAt(row, 'checksum') !== rowChecksum(start)) throw damagedRun(start[1]);
  return start;
}

/** A summary as its row has it, independent of the time. */
export type CheckedSummary = Omit<RunSummary, 'claim'> & Pick<PresentClaim, 'held'>;

function checkedSummary(row: Row): CheckedSummary {
  const [key, run, workflow, file, startedAt] = checkedStart(row);
  const statusRow = readStatus(row, { key, run });
  const { held } = readClaim(row, { key, run });
  return { run, workflow, file, startedAt, ...statusRow, held };
}

function toSummary({ held, ...summary }: CheckedSummary, nowMs: number): RunSummary {
  return { ...summary, claim: seenClaim(held, nowMs) };
}

function checkRunCount(db: Preparer, counted = new CountedRuns()): void {
  const created = Number(readMeta(db, 'runs'));
  const removed = countTombstones(db);
  const present = counted.present(db, { created, removed });
  if (present + removed === created) return;
  const runs = strayRuns(db).map(({ run }) => run);
  const names = runs.length === 0 ? '' : `; the log has events of ${runs.join(', ')}`;
  throw corrupt(
    `${created} runs were created, ${removed} removed, and ${present} can be found${names}`,
    { table: 'runs', created, removed, present, ...(runs.length === 0 ? {} : { runs }) },
  );
}

export function checkAllRuns(db: Preparer, wanted: string): void {
  checkRunCount(db);
  for (const row of db.prepare(`${STARTS} NOT INDEXED`).iterate()) {
    const [key, id] = checkedStart(row);
    if (id === wanted) throw corrupt(`The index does not find run ${id}`, { run: id, row: key });
  }
}

function damagedRun(run: string): Error {
  return corrupt(`The row of run ${run} is missing or altered`, { run, table: 'runs' });
}
