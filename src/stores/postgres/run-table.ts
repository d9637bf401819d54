/** The row of a run: its start, its status, its claim, and the head of its log. */
import { jsonFrom, type JsonValue } from '../../errors/support/safe-json.ts';
import type {
  ClaimOwner,
  ClaimState,
  LogHead,
  NewRun,
  RunStatusRow,
  RunSummary,
} from '../../machine/ports/store-port.ts';
import { digestOf, rowChecksum } from '../checksum.ts';
import { dueMsOf } from '../due-time.ts';
import { corrupt, runNotFound } from '../store-failure.ts';
import { jsonText, seenClaim } from '../store-rules.ts';
import { integerAt, textAt, type Row } from '../typed-row.ts';
import type { Query } from './database.ts';
import { canBeId, readTombstone } from './removal.ts';

export interface RunRow {
  /** The summary that every store returns. */
  readonly summary: RunSummary;
  readonly key: number;
  readonly epoch: number;
  readonly head: LogHead;
  readonly sent: number;
  readonly taken: number;
  /** When the row was read, by the clock of the server. */
  readonly nowMs: number;
  readonly inputText: string;
  /** Digest of the plan that the run was started with. */
  readonly plan: string;
  /** The digest that the log begins with, before its first event. */
  readonly seed: string;
}

/** Now, by the clock of the server: the only one that all its clients share. */
export const NOW_MS = 'floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint';

/** Selects numbers as floats, which hold them exactly; pg would return them as text. */
export const COLUMNS = `key, id, workflow, file, started_at, input, checksum::float8 AS checksum, plan,
  status_row, status_row_checksum::float8 AS status_row_checksum, epoch, owner, until_ms::float8 AS until_ms,
  next_seq, digest, sent, taken, due_ms::float8 AS due_ms, ${NOW_MS}::float8 AS now_ms`;

export async function findRun(
  query: Query,
  run: string,
  lock: '' | 'FOR UPDATE' = '',
): Promise<RunRow> {
  return readRun(await findRow(query, run, lock));
}

/** The row of a run as it is, also a damaged one. */
export async function findRow(query: Query, run: string, lock: '' | 'FOR UPDATE'): Promise<Row> {
  const sql = `SELECT ${COLUMNS} FROM @runs WHERE id = $1 ${lock}`;
  const [row] = canBeId(run) ? await query(sql, [run]) : [];
  if (row === undefined) throw runNotFound(run, await readTombstone(query, run));
  return row;
}

export function readRun(row: Row): RunRow {
  const run = textAt(row, 'id');
  const names = [textAt(row, 'workflow'), textAt(row, 'file'), textAt(row, 'started_at')] as const;
  const inputText = textAt(row, 'input');
  const seed = seedOf(run, names, inputText);
  if (integerAt(row, 'checksum') !== rowChecksum([seed])) throw damaged(run, 'The start');
  const plan = textAt(row, 'plan');
  const statusRow = textAt(row, 'status_row');
  if (integerAt(row, 'status_row_checksum') !== statusChecksum(run, plan, statusRow))
    throw damaged(run, 'The status');
  // its checksum is right, so it is the JSON that this store wrote
  const status = JSON.parse(statusRow) as RunStatusRow;
  if (row['due_ms'] !== dueMsOf(status)) throw damaged(run, 'The time');
  const epoch = integerAt(row, 'epoch');
  const nowMs = integerAt(row, 'now_ms');
  const [workflow, file, startedAt] = names;
  return {
    summary: {
      run,
      // their checksums are right, so they are the JSON that this store wrote
      workflow: JSON.parse(workflow) as string,
      file: JSON.parse(file) as string | null,
      startedAt,
      ...status,
      claim: seenClaim(claimOf(row, epoch), nowMs),
    },
    key: integerAt(row, 'key'),
    epoch,
    head: { nextSeq: integerAt(row, 'next_seq'), digest: textAt(row, 'digest') },
    sent: integerAt(row, 'sent'),
    taken: integerAt(row, 'taken'),
    nowMs,
    inputText,
    plan,
    seed,
  };
}

export interface FreshRow {
  readonly seed: string;
  readonly plan: string;
  readonly columns: Readonly<Record<FreshColumn, string | number | null>>;
}

type FreshColumn = (typeof FRESH_COLUMNS)[number];

/** Columns that the row of a new run has from its start. */
export const FRESH_COLUMNS = [
  'id',
  'workflow',
  'file',
  'started_at',
  'input',
  'checksum',
  'plan',
  'status',
  'status_row',
  'status_row_checksum',
  'due_ms',
  'epoch',
  'owner',
  'sent',
  'taken',
] as const;

/** The row of a new run, without the head of its log and its lease, which the writer adds. */
export function freshRow(run: NewRun, statusRow: string): FreshRow {
  // JSON holds what a text of PostgreSQL cannot
  const [workflow, file] = [JSON.stringify(run.workflow), JSON.stringify(run.file)];
  const input = jsonText(run.input, `The input of run ${run.id}`);
  const seed = seedOf(run.id, [workflow, file, run.startedAt], input);
  const plan = digestOf(run.plan);
  return {
    seed,
    plan,
    columns: {
      id: run.id,
      workflow,
      file,
      started_at: run.startedAt,
      input,
      checksum: rowChecksum([seed]),
      plan,
      status: run.statusRow.status,
      status_row: statusRow,
      status_row_checksum: statusChecksum(run.id, plan, statusRow),
      due_ms: dueMsOf(run.statusRow),
      epoch: 1,
      owner: JSON.stringify(run.owner),
      sent: 0,
      taken: 0,
    },
  };
}

export function statusChecksum(run: string, plan: string, statusRow: string): number {
  return rowChecksum([run, plan, statusRow]);
}

export function inputOf({ inputText }: RunRow): JsonValue {
  return jsonFrom(inputText);
}

function seedOf(run: string, names: readonly string[], input: string): string {
  return digestOf(`${JSON.stringify([run, ...names])} ${input}`);
}

export function claimOf(row: Row, epoch: number): ClaimState | null {
  if (row['owner'] === null) return null;
  const owner = JSON.parse(textAt(row, 'owner')) as ClaimOwner;
  return { owner, epoch, untilMs: integerAt(row, 'until_ms') };
}

/** For a row that may be damaged. */
export function workflowIn(row: Row): string {
  try {
    return String(JSON.parse(textAt(row, 'workflow')));
  } catch {
    // whatever it is now, it is no name
    return '';
  }
}

function damaged(run: string, what: string): Error {
  return corrupt(`${what} of run ${run} is altered`, { run, table: 'runs' });
}
