/** The rows that say what a run is and where it stands. Each is checked whenever it is read. */
import type { JsonValue } from '../../errors/json.ts';
import type {
  ListQuery,
  NewRun,
  RunStanding,
  RunSummary,
  StandingStatus,
} from '../../machine/store-port.ts';
import { digestOf, rowChecksum } from '../checksum.ts';
import { corrupt, runNotFound } from '../failure.ts';
import { jsonText } from '../rules.ts';
import { readClaim } from './claims.ts';
import { readMeta, writeMeta, type Preparer } from './meta.ts';
import { integerAt, textAt, textOrNullAt, type Row } from './row.ts';

const STATUSES: Readonly<Record<StandingStatus, true>> = {
  running: true,
  paused: true,
  completed: true,
  failed: true,
  cancelled: true,
  interrupted: true,
};

const SUMMARIES = `
  SELECT r.key, r.id, r.workflow, r.file, r.started_at, r.checksum,
    s.status, s.plan, s.standing, s.checksum AS standing_checksum,
    c.epoch, c.owner, c.until_ms, c.checksum AS claim_checksum
  FROM runs r LEFT JOIN standings s ON s.run = r.key LEFT JOIN claims c ON c.run = r.key
`;

/** The number of a run within its store; throws `run.not_found`. */
export function runKey(db: Preparer, id: string): number {
  const key = findRun(db, id);
  if (key === null) throw runNotFound(id);
  return key;
}

export function findRun(db: Preparer, id: string): number | null {
  const row = db.prepare('SELECT key FROM runs WHERE id = ?').get(id);
  if (row !== undefined) return integerAt(row, 'key');
  // damage to an index or a row must not pass for a run that never was
  checkAllRuns(db, id);
  return null;
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
  writeStanding(db, key, { standing: run.standing, plan: storePlan(db, run.plan) });
  return { key, seed: seedOf(start, input) };
}

export function storePlan(db: Preparer, plan: string): string {
  const digest = digestOf(plan);
  db.prepare('INSERT OR IGNORE INTO plans (digest, plan) VALUES (?, ?)').run(digest, plan);
  return digest;
}

export function writeStanding(
  db: Preparer,
  key: number,
  { standing, plan }: { readonly standing: RunStanding; readonly plan: string },
): void {
  const text = jsonText(standing, 'The standing of a run');
  const values = [key, standing.status, plan, text] as const;
  db.prepare(
    'INSERT OR REPLACE INTO standings (run, status, plan, standing, checksum) VALUES (?, ?, ?, ?, ?)',
  ).run(...values, rowChecksum(values));
}

export function readSummary(
  db: Preparer,
  id: string,
): RunSummary & { readonly planDigest: string } {
  const row = db.prepare(`${SUMMARIES} WHERE r.key = ?`).get(runKey(db, id));
  if (row === undefined) throw damagedRun(id, 'runs');
  const summary = toSummary(row);
  return { ...summary, planDigest: textAt(row, 'plan') };
}

export function listRuns(db: Preparer, query: ListQuery): RunSummary[] {
  checkRunCount(db);
  const { statuses, limit = -1, before } = query;
  // a damaged status is none of the unwanted ones, so it is read, and found
  const unwanted = statuses
    ? Object.keys(STATUSES).filter((status) => !statuses.some((wanted) => wanted === status))
    : [];
  const end = before === undefined ? Number.MAX_SAFE_INTEGER : runKey(db, before);
  return db
    .prepare(
      `${SUMMARIES}
       WHERE r.key < ? AND coalesce(s.status, '') NOT IN (SELECT value FROM json_each(?))
       ORDER BY r.key DESC LIMIT ?`,
    )
    .all(end, JSON.stringify(unwanted), limit)
    .map(toSummary);
}

export function readPlan(db: Preparer, id: string, digest: string): string {
  const row = db.prepare('SELECT plan FROM plans WHERE digest = ?').get(digest);
  const plan = row === undefined ? null : textAt(row, 'plan');
  if (plan === null || digestOf(plan) !== digest) throw damagedRun(id, 'plans');
  return plan;
}

/** The input, and the digest that the log of the run begins with. */
export function readStart(
  db: Preparer,
  id: string,
  key: number,
): { readonly input: JsonValue; readonly seed: string } {
  const row = db.prepare('SELECT * FROM runs WHERE key = ?').get(key);
  if (row === undefined) throw damagedRun(id, 'runs');
  const start = checkedStart(row);
  const input = textAt(row, 'input');
  if (integerAt(row, 'input_checksum') !== rowChecksum([key, input])) throw damagedRun(id, 'runs');
  // its checksum is right, so it is the JSON that insertRun wrote
  return { input: JSON.parse(input) as JsonValue, seed: seedOf(start, input) };
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
  if (integerAt(row, 'checksum') !== rowChecksum(start)) throw damagedRun(start[1], 'runs');
  return start;
}

function toSummary(row: Row): RunSummary {
  const [key, run, workflow, file, startedAt] = checkedStart(row);
  if (row['standing'] === null) throw damagedRun(run, 'standings');
  const text = textAt(row, 'standing');
  const values = [key, textAt(row, 'status'), textAt(row, 'plan'), text];
  if (integerAt(row, 'standing_checksum') !== rowChecksum(values)) {
    throw damagedRun(run, 'standings');
  }
  const { held } = readClaim(row, { key, run });
  // its checksum is right, so it is what writeStanding wrote
  return { run, workflow, file, startedAt, ...(JSON.parse(text) as RunStanding), claim: held };
}

function checkRunCount(db: Preparer): void {
  const row = db.prepare('SELECT count(*) AS present FROM runs NOT INDEXED').get();
  const present = row === undefined ? 0 : integerAt(row, 'present');
  const created = Number(readMeta(db, 'runs'));
  if (present !== created) {
    throw corrupt(`${created} runs were created, and ${present} can be found`, {
      table: 'runs',
      created,
      present,
    });
  }
}

function checkAllRuns(db: Preparer, wanted: string): void {
  checkRunCount(db);
  for (const row of db.prepare('SELECT * FROM runs NOT INDEXED').iterate()) {
    const [key, id] = checkedStart(row);
    if (id === wanted) throw corrupt(`The index does not find run ${id}`, { run: id, row: key });
  }
}

function damagedRun(run: string, table: string): Error {
  return corrupt(`The row of run ${run} in ${table} is missing or altered`, { run, table });
}
